/// Every kind of problem that the API answers with. This is the error table: no status of a refusal is written anywhere else.
package struct ProblemKind: Sendable, Hashable {
    /// Stable; the `code` of such a problem, or where it has many codes, their common name.
    package let name: String
    /// The HTTP status.
    package let status: Int
    /// Whether each such problem has a code of its own, which says more than the kind.
    package let hasManyCodes: Bool

    private init(_ name: String, _ status: Int, hasManyCodes: Bool = false) {
        self.name = name
        self.status = status
        self.hasManyCodes = hasManyCodes
    }

    /// Whether the request lacks credentials that are believed, so that the answer names the scheme (RFC 9110, section 11.6.1).
    package var asksForCredentials: Bool { status == 401 }

    /// Whether the same request is refused again, as far as it is for the server to say: not where it came too often or too
    /// soon, where there is room again later, or where the operator can mend it.
    package var isFinal: Bool { (400..<500).contains(status) && status != 429 && !Self.passing.contains(self) }

    private static let passing: Set<ProblemKind> = [
        tooManyResends, tooManyKeys, tooManyEndpoints, secretKeyMissing, offersNotSigned,
    ]

    /// Whether the request may have been right, and the server could not answer it.
    package var isFailureOfOurs: Bool { status >= 500 }

    // MARK: The request

    /// What was sent is no request of HTTP.
    package static let requestMalformed = ProblemKind("requestMalformed", 400)
    package static let hostMissing = ProblemKind("hostMissing", 400)
    package static let invalidParameter = ProblemKind("invalidParameter", 400)
    /// The cursor belongs to another list.
    package static let cursorInvalid = ProblemKind("cursorInvalid", 400)
    package static let invalidBody = ProblemKind("invalidBody", 400)
    /// The body is said to be something else than JSON.
    package static let unsupportedMediaType = ProblemKind("unsupportedMediaType", 415)
    /// The body broke off.
    package static let bodyUnfinished = ProblemKind("bodyUnfinished", 400)
    /// A text that no store keeps.
    package static let invalidText = ProblemKind("invalidText", 400)
    /// The header `Idempotency-Key` says no key.
    package static let idempotencyKeyInvalid = ProblemKind("idempotencyKeyInvalid", 400)
    /// Something else was asked under the idempotency key.
    package static let idempotencyKeyReused = ProblemKind("idempotencyKeyReused", 422)
    package static let unknownRoute = ProblemKind("unknownRoute", 404)
    package static let methodNotAllowed = ProblemKind("methodNotAllowed", 405)
    /// Longer than this server reads.
    package static let bodyTooLarge = ProblemKind("bodyTooLarge", 413)
    /// Longer than the store keeps.
    package static let tooLarge = ProblemKind("tooLarge", 413)

    // MARK: Who asks

    package static let keyMissing = ProblemKind("keyMissing", 401)
    package static let keyWrong = ProblemKind("keyWrong", 401)
    package static let customerTokenNotConfigured = ProblemKind("customerTokenNotConfigured", 401)
    package static let customerTokenMissing = ProblemKind("customerTokenMissing", 401)
    package static let customerTokenRefused = ProblemKind("customerTokenRefused", 401)
    package static let deviceSecretWrong = ProblemKind("deviceSecretWrong", 401)
    package static let anotherCustomer = ProblemKind("anotherCustomer", 403)
    package static let serverKeyNeeded = ProblemKind("serverKeyNeeded", 403)
    /// The key may not do this; another key of the app may.
    package static let scopeMissing = ProblemKind("scopeMissing", 403)
    package static let tooManyRequests = ProblemKind("tooManyRequests", 429)
    package static let tooManyWrongKeys = ProblemKind("tooManyWrongKeys", 429)
    /// A customer used too many idempotency keys within a day.
    package static let tooManyIdempotencyKeys = ProblemKind("tooManyIdempotencyKeys", 429)
    package static let oneAtATime = ProblemKind("oneAtATime", 429)

    /// What anybody can be refused with who must show a key.
    static let ofCredentials: Set<ProblemKind> = [
        keyMissing, keyWrong, customerTokenNotConfigured, customerTokenMissing, customerTokenRefused, deviceSecretWrong,
        tooManyRequests, tooManyWrongKeys,
    ]

    // MARK: What is asked

    /// What was sent proves nothing; each refusal of docs/operations/inspect.md is a code.
    package static let refusedEvidence = ProblemKind("refusedEvidence", 400, hasManyCodes: true)
    package static let environmentNotOpen = ProblemKind("environmentNotOpen", 403)
    package static let environmentNotTaken = ProblemKind("environmentNotTaken", 403)
    package static let unknownApp = ProblemKind("unknownApp", 404)
    package static let unknownSubscription = ProblemKind("unknownSubscription", 404)
    /// What stood in the log after the given place is kept no longer.
    package static let eventsForgotten = ProblemKind("eventsForgotten", 410)
    /// No product of the app gives it.
    package static let unknownEntitlement = ProblemKind("unknownEntitlement", 404)
    /// The server has no key to sign answers with.
    package static let signingNotConfigured = ProblemKind("signingNotConfigured", 404)
    /// Nothing is kept of the customer.
    package static let unknownCustomer = ProblemKind("unknownCustomer", 404)
    package static let unknownVote = ProblemKind("unknownVote", 404)
    package static let unknownClaim = ProblemKind("unknownClaim", 404)
    package static let unknownPurchase = ProblemKind("unknownPurchase", 404)
    /// Another customer has the consumable already.
    package static let deliveredBefore = ProblemKind("deliveredBefore", 409)
    package static let unknownContentKind = ProblemKind("unknownContentKind", 404)
    /// A customer would have more attributes than are kept.
    package static let tooManyAttributes = ProblemKind("tooManyAttributes", 409)
    /// The app's settings have no such offer of the product.
    package static let unknownOffer = ProblemKind("unknownOffer", 404)
    /// The app's settings describe no such subscription.
    package static let unknownPlan = ProblemKind("unknownPlan", 404)
    /// The app has no key that signs offers.
    package static let offersNotSigned = ProblemKind("offersNotSigned", 409)
    /// The customer may not have the offer; the codes begin with `offer.`.
    package static let offerRefused = ProblemKind("offerRefused", 409, hasManyCodes: true)
    /// The customer, or the app, was given as many signatures as they may be for now.
    package static let tooManySignatures = ProblemKind("tooManySignatures", 429)
    /// The id stands for something else: what it stood for first stays.
    package static let idTaken = ProblemKind("idTaken", 409)
    package static let customerTaken = ProblemKind("customerTaken", 409)
    package static let unknownJob = ProblemKind("unknownJob", 404)
    /// A version that was applied is worked through to its end.
    package static let jobNotCancelable = ProblemKind("jobNotCancelable", 409)
    package static let settingsRefused = ProblemKind("settingsRefused", 409)
    package static let notJoined = ProblemKind("notJoined", 409)
    package static let mergedBefore = ProblemKind("mergedBefore", 409)
    package static let deviceRefused = ProblemKind("deviceRefused", 403)
    package static let notTheOwner = ProblemKind("notTheOwner", 403)
    /// The subscription serves another customer; the code says by which right.
    package static let claimRefused = ProblemKind("claimRefused", 409, hasManyCodes: true)
    package static let tokenTaken = ProblemKind("tokenTaken", 409)
    package static let tokenTooLate = ProblemKind("tokenTooLate", 409)
    /// The app has no In-App Purchase key.
    package static let appleNotAsked = ProblemKind("appleNotAsked", 409)
    /// Apple says that it cannot be done; the code is Apple's.
    package static let appleRefused = ProblemKind("appleRefused", 422, hasManyCodes: true)
    /// Apple was asked about the subscription a moment ago.
    package static let refreshedJustNow = ProblemKind("refreshedJustNow", 429)
    /// Apple knows no such order of the app.
    package static let unknownOrder = ProblemKind("unknownOrder", 404)
    /// None of it lies between what Apple keeps and now.
    package static let invalidStretch = ProblemKind("invalidStretch", 422)
    /// The app has no endpoint of that id.
    package static let unknownEndpoint = ProblemKind("unknownEndpoint", 404)
    /// The subscription or customer has no event of that number.
    package static let unknownEvent = ProblemKind("unknownEvent", 404)
    /// Nothing may be sent to that address (TELL-4).
    package static let addressRefused = ProblemKind("addressRefused", 422)
    /// The server has no key to keep secrets with.
    package static let secretKeyMissing = ProblemKind("secretKeyMissing", 409)
    /// The app has as many endpoints as it may have.
    package static let tooManyEndpoints = ProblemKind("tooManyEndpoints", 409)
    /// The app has a key of that name, or had one.
    package static let keyNameTaken = ProblemKind("keyNameTaken", 409)
    /// The app has no key of that name in the database.
    package static let unknownKey = ProblemKind("unknownKey", 404)
    /// The app has as many keys as it may have.
    package static let tooManyKeys = ProblemKind("tooManyKeys", 409)
    /// So much is to be sent once more already.
    package static let tooManyResends = ProblemKind("tooManyResends", 409)

    /// The app's environment has no signal of that id.
    package static let unknownSignal = ProblemKind("unknownSignal", 404)
    /// The signal is another one by now than the one that was looked at.
    package static let signalChanged = ProblemKind("signalChanged", 409)

    // MARK: The server

    package static let internalError = ProblemKind("internalError", 500)
    /// The store cannot do it now; the codes begin with `store.`.
    package static let store = ProblemKind("store", 503, hasManyCodes: true)
    /// Apple cannot be asked, or does not answer; the code says why.
    package static let appleUnavailable = ProblemKind("appleUnavailable", 503, hasManyCodes: true)
    package static let overloaded = ProblemKind("overloaded", 503)
    package static let settingsSuperseded = ProblemKind("settingsSuperseded", 503)
}
