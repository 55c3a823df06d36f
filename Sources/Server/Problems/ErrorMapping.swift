import APIContract
import Backend
import HTTPTypes
import Hummingbird
import Ledger
import NIOCore
import Primitives

/// The one place that knows both our errors and HTTP's statuses.
enum ErrorMapping {
    static func problem(of error: any Error) -> Problem {
        switch error {
        case is HostMissing: Problem(.hostMissing, detail: "A request needs one Host (RFC 9112, section 3.2).")
        case let error as ParameterError:
            Problem(.invalidParameter, detail: "\(error.name) \(error.reason)", field: error.name)
        case is NoAnswerKey:
            Problem(
                .signingNotConfigured, detail: "This server signs no answers: no key is configured.", rule: "ENT-10",
                setting: "signedAnswers.keys")
        case is CursorInvalid:
            Problem(
                .cursorInvalid, detail: "after is not where a page of this list ended; take it from the page's next.",
                field: "after")
        case let error as InvalidBody:
            Problem(.invalidBody, detail: "\(error.member ?? "The body") \(error.reason).", field: error.member)
        case is IdempotencyKeyInvalid:
            Problem(
                .idempotencyKeyInvalid,
                detail: "Idempotency-Key must be one key of 1 to \(IdempotencyKey.longest) visible characters of ASCII.")
        case let refusal as IdempotencyRefusal: problem(of: refusal)
        case let error as DoorError: problem(of: error)
        case let error as BackendError: problem(of: error)
        case let refusal as CustomerRefusal: problem(of: refusal)
        case let refusal as OfferRefusal: OfferProblems.problem(of: refusal)
        case let refusal as JobRefusal: problem(of: refusal)
        case let refusal as KeyRefusal: problem(of: refusal)
        case let refusal as WebhookRefusal: problem(of: refusal)
        case let refusal as SettingsRefusal: Problem(.settingsRefused, detail: refusal.description, rule: "OWN-17")
        case let refused as Backend.ClaimRefused:
            Problem(
                .claimRefused, code: refused.reason.rawValue, detail: "The subscription serves another customer.",
                rule: refused.rule.rawValue, hint: refused.owner?.masked)
        case is MethodNotAllowed: problem(of: HTTPError(.methodNotAllowed))
        case let error as HTTPError: problem(of: error)
        case is NIOTooManyBytesError: problem(of: HTTPError(.contentTooLarge))
        case let refused as UnsupportedMediaType:
            Problem(
                .unsupportedMediaType,
                detail: "The body must be JSON in UTF-8, and Content-Type says \(refused.said); send `application/json`.")
        case is BodyBudget.Unfinished:
            Problem(.bodyUnfinished, detail: "The body broke off, or its chunks are malformed.")
        case let spent as RequestBudgets.Spent: problem(of: spent)
        case is BodyBudget.Full: problem(of: BackendError.overloaded)
        case is TurnTaken:
            Problem(
                .oneAtATime, detail: "This customer's last receipt is still being read. Send one at a time.",
                retryAfterSeconds: 1)
        default:
            // Nothing of the error itself: it may hold what a client must not see.
            Problem(.internalError, detail: "An internal error occurred; it was logged.")
        }
    }

    /// A budget that is spent.
    static func problem(of spent: RequestBudgets.Spent) -> Problem {
        Problem(
            kind(of: spent.standing.holder), detail: words(of: spent.standing.holder),
            retryAfterSeconds: spent.retryAfterSeconds)
    }

    private static func kind(of holder: RequestBudgets.Holder) -> ProblemKind {
        switch holder {
        case .serverKey, .publicKey, .customer: .tooManyRequests
        case .wrongKeys: .tooManyWrongKeys
        }
    }

    private static func words(of holder: RequestBudgets.Holder) -> String {
        switch holder {
        case .serverKey(_, let name):
            "The server key \(name) has made as many requests as the app's limits.serverKeyPerMinute allows."
        case .publicKey(_, let name):
            "All together, whoever shows the public key \(name) has made as many requests as the app's "
                + "limits.publicKeyPerMinute allows."
        case .customer: "This customer has made as many requests as the app's limits.customerPerMinute allows."
        case .wrongKeys:
            "The key or the customer token is wrong, like too many others from this address (http.wrongKeysPerMinute)."
        }
    }

    private static func problem(of refusal: IdempotencyRefusal) -> Problem {
        switch refusal {
        case .reused:
            Problem(
                .idempotencyKeyReused,
                detail: "Something else was asked under this Idempotency-Key within 24 hours; take another key.")
        case .tooMany(let most):
            Problem(
                .tooManyIdempotencyKeys, detail: "This customer has used \(most) idempotency keys within 24 hours.",
                retryAfterSeconds: 3600)
        }
    }

    private static func problem(of error: DoorError) -> Problem {
        switch error {
        case .keyMissing: Problem(.keyMissing, detail: "Send the key as `Authorization: Bearer <key>`.")
        case .keyWrong: Problem(.keyWrong, detail: "The key is not one of this app's.")
        case .customerTokenNotConfigured:
            Problem(
                .customerTokenNotConfigured,
                detail: "The public key needs a customer token, and the app has no secret to verify one with.",
                decidedBy: .customerTokenSecret)
        case .customerTokenMissing:
            Problem(
                .customerTokenMissing,
                detail: "The public key needs a customer token from the app's backend in `Tenure-Customer-Token`.")
        case .customerTokenRefused(let reason, let now):
            Problem(
                .customerTokenRefused, detail: "The customer token is not accepted: \(reason.rawValue); it is \(now) here.",
                decidedBy: setting(of: reason))
        case .deviceSecretWrong:
            Problem(.deviceSecretWrong, detail: "`Tenure-Device-Secret` is not the secret of this customer's device.")
        case .anotherCustomer:
            Problem(.anotherCustomer, detail: "The customer token is for another customer.")
        case .scopeMissing(let scope, let key):
            Problem(.scopeMissing, detail: "This request needs the scope \(scope.rawValue), which the key \(key) does not have.")
        case .serverKeyNeeded: Problem(.serverKeyNeeded, detail: "This request needs the secret server key.")
        }
    }

    private static func setting(of refusal: CustomerToken.Refusal) -> DecidingSetting? {
        switch refusal {
        case .signatureInvalid: .customerTokenSecret
        case .notYetIssued, .notYetValid, .expired: .clockFile
        case .keyUnknown, .issuerOfAnother: .customerTokenKeys
        case .malformed, .algorithmNotAccepted, .claimMissing, .audienceOfAnotherApp, .validForTooLong: nil
        }
    }

    private static func unknownSignal(_ number: Int64) -> Problem {
        Problem(
            .unknownSignal,
            detail: "There is no signal \(number) in the requested environment (?environment=, Production by default).")
    }

    private static func signalChanged(_ number: Int64) -> Problem {
        Problem(
            .signalChanged,
            detail: "Signal \(number) has changed since: read it again, and acknowledge it with its new changedAt.",
            rule: "ABUSE-1")
    }

    private static func namesNobody(_ name: String) -> Problem {
        Problem(
            .invalidParameter,
            detail:
                "\(name) must name one customer, and this value is a constant that programs write where a value is missing, such "
                + "as null, guest or the nil UUID. Send this customer's own value.",
            rule: "OWN-2", field: name)
    }

    private static func problem(of error: BackendError) -> Problem {
        switch error {
        case .unknownApp: Problem(.unknownApp, detail: "No such app is configured.")
        case .refusedEvidence(let refusal):
            Problem(
                .refusedEvidence, code: refusal.code, detail: "The evidence was refused: \(refusal.words).", rule: "FACT-3",
                decidedBy: refusal.setting)
        case .environmentNotOpen(let environment, let access):
            Problem(
                .environmentNotOpen, detail: "The request is for \(environment.rawValue), and the app \(words(of: access)).",
                rule: "FACT-4",
                decidedBy: .sandboxAccess)
        case .environmentNotTaken(let environment, let taken):
            Problem(
                .environmentNotTaken,
                detail:
                    "The request is for \(environment.rawValue) (?environment=, Production by default), and the app accepts "
                    + "\(taken.map(\.rawValue).sorted().joined(separator: " and ")) only.",
                rule: "FACT-4", decidedBy: .environments)
        case .unknownSubscription:
            Problem(
                .unknownSubscription,
                detail: "This subscription is not known in the requested environment (?environment=, Production by default).")
        case .eventsForgotten:
            Problem(
                .eventsForgotten,
                detail:
                    "What was told after this place is forgotten by now (webhooks.keepEventsForDays). Begin without after, and "
                    + "ask the API for what you have missed.",
                rule: "TELL-3")
        case .unknownSignal(let number): unknownSignal(number)
        case .signalChanged(let number): signalChanged(number)
        case .invalidIdentifier(let name, let longest):
            Problem(
                .invalidParameter, detail: "\(name) must be 1 to \(longest) characters, none of them a control character.",
                field: name)
        case .namesNobody(let name): namesNobody(name)
        case .tokenTaken:
            Problem(.tokenTaken, detail: "The token already belongs to another customer.", rule: "OWN-2")
        case .tokenTooLate:
            Problem(
                .tokenTooLate,
                detail:
                    "A purchase carried this token before it was registered, so it identifies no customer; if your backend made "
                    + "it for this customer alone, register it with minted=true.",
                rule: "OWN-2")
        case .store(let failure): problem(of: failure)
        case .appleNotAsked, .appleRefused, .appleUnavailable, .appleRequestInvalid, .unknownOrder, .refreshedJustNow,
            .invalidStretch:
            problem(ofAsking: error)
        case .settingsSuperseded(let app, let number, let newest):
            Problem(
                .settingsSuperseded,
                detail: "This server's file has the content of version \(number) of \(app); version \(newest) is in force.",
                rule: "OWN-17")
        case .tooManyReceipts:
            Problem(
                .tooManyRequests, detail: "Apple was asked about as many receipts of this customer as in one hour it may be.",
                rule: "RECON-6", retryAfterSeconds: 3600)
        case .overloaded:
            Problem(
                .overloaded, detail: "Too many requests wait to be stored; this one was not. Send it again.",
                retryAfterSeconds: 1)
        }
    }

    /// What somebody wants of Apple and does not get.
    private static func problem(ofAsking error: BackendError) -> Problem {
        switch error {
        case .appleNotAsked(let app):
            Problem(
                .appleNotAsked, detail: "\(app) has no In-App Purchase key, so Apple is not asked about it.",
                decidedBy: .apple)
        case .appleRefused(let code):
            Problem(.appleRefused, code: code, detail: "Apple says that this cannot be done: \(code).")
        case .appleUnavailable(let code):
            Problem(
                .appleUnavailable, code: code, detail: "Apple cannot be asked now, or does not answer: \(code). Try again.",
                retryAfterSeconds: 60)
        case .appleRequestInvalid(let field, let reason):
            Problem(.invalidParameter, detail: "Apple would refuse this: \(reason).", field: field)
        case .unknownOrder: Problem(.unknownOrder, detail: "Apple knows no such order of this app.")
        case .refreshedJustNow:
            Problem(
                .refreshedJustNow, detail: "Apple was asked about this subscription a moment ago; read it instead.",
                retryAfterSeconds: 10)
        case .invalidStretch(let oldest, let now):
            Problem(
                .invalidStretch,
                detail: "Nothing of the stretch lies between \(oldest), before which Apple keeps nothing, and \(now).")
        default: Problem(.internalError, detail: "An internal error occurred; it was logged.")
        }
    }

    /// What is refused of what is said about customers.
    private static func problem(of refusal: CustomerRefusal) -> Problem {
        switch refusal {
        case .unknownEntitlement(let name, let known):
            Problem(
                .unknownEntitlement,
                detail: "No product of the app gives the entitlement \(name); known: \(known.joined(separator: ", ")).")
        case .unknownCustomer(let customer): Problem(.unknownCustomer, detail: "Nothing is kept of the customer \(customer).")
        case .unknownVote(let vote): Problem(.unknownVote, detail: "The customer has no vote \(vote) that can be withdrawn.")
        case .unknownClaim(let claim): Problem(.unknownClaim, detail: "No claim \(claim) waits for a decision.", rule: "OWN-9")
        case .unknownPurchase(let id):
            Problem(.unknownPurchase, detail: "The customer has no purchase \(id) that was not refunded.")
        case .deliveredBefore(let first): deliveredBefore(first)
        case .tooManyAttributes(let most):
            Problem(.tooManyAttributes, detail: "A customer has \(most) attributes at the most; remove some first.")
        case .unknownContentKind(let kind): Problem(.unknownContentKind, detail: "The app has no kind of content \(kind).")
        case .idTaken(let taken):
            Problem(.idTaken, detail: "The id \(taken) stands for something else already; choose another one.")
        case .customerTaken:
            Problem(.customerTaken, detail: "This customer id is in use and is not this device's.", rule: "OWN-10")
        case .deviceRefused:
            Problem(
                .deviceRefused,
                detail: "The secret is not that of the anonymous customer's device, or the other customer is anonymous too.",
                rule: "OWN-10")
        case .mergedBefore:
            Problem(.mergedBefore, detail: "The anonymous customer was merged into another customer before.", rule: "OWN-10")
        case .notJoined(let refusal): Problem(.notJoined, detail: words(of: refusal), rule: "OWN-10")
        case .notTheOwner: Problem(.notTheOwner, detail: "Only the owner of the subscription may decide this.", rule: "OWN-9")
        }
    }

    private static func deliveredBefore(_ first: CustomerDelivery) -> Problem {
        var problem = Problem(
            .deliveredBefore,
            detail: "It was delivered to \(first.customer) at \(first.delivery.deliveredAt); a vote can allow a second delivery.",
            rule: "PER-9")
        problem.delivered = .init(to: first.customer.rawValue, at: first.delivery.deliveredAt)
        return problem
    }

    private static func problem(of refusal: WebhookRefusal) -> Problem {
        switch refusal {
        case .unknownEndpoint(let id): Problem(.unknownEndpoint, detail: "The app has no endpoint \(id).")
        case .invalidId:
            Problem(
                .invalidParameter, detail: "endpoint must be 1 to 64 letters, digits, `.`, `_` and `-`.", field: "endpoint")
        case .invalid(let field, let reason):
            Problem(.invalidBody, detail: "\(field)\(reason.hasPrefix(":") ? "" : " ")\(reason).", field: field)
        case .addressRefused(let refusal):
            Problem(
                .addressRefused, detail: "Nothing may be sent to that address: \(refusal.description).", rule: "TELL-4",
                setting: "webhooks.allow")
        case .noSecretKey:
            Problem(
                .secretKeyMissing,
                detail: "This server has no key with which secrets are kept: `openssl rand -hex 32` makes one.",
                setting: "webhooks.secretKeys")
        case .tooManyEndpoints(let most): Problem(.tooManyEndpoints, detail: "An app has at most \(most) endpoints.")
        case .tooManyResends:
            Problem(.tooManyResends, detail: "So much is to be sent to it once more already; wait until that is done.")
        case .unknownEvent(let subject, let sequence):
            Problem(.unknownEvent, detail: "\(subject) has no event \(sequence) in that environment.")
        }
    }

    private static func problem(of refusal: KeyRefusal) -> Problem {
        switch refusal {
        case .nameTaken: Problem(.keyNameTaken, detail: refusal.description)
        case .unknown: Problem(.unknownKey, detail: refusal.description)
        case .tooMany: Problem(.tooManyKeys, detail: refusal.description)
        case .invalid(let field, _): Problem(.invalidBody, detail: refusal.description, field: field)
        }
    }

    private static func problem(of refusal: JobRefusal) -> Problem {
        switch refusal {
        case .unknown(let id): Problem(.unknownJob, detail: "There is no job \(id); jobs are forgotten 30 days after their end.")
        case .idTaken(let id): problem(of: CustomerRefusal.idTaken(id))
        case .notCancelable(let id):
            Problem(
                .jobNotCancelable, detail: "\(id) works a version through that holds already; apply another one.", rule: "OWN-17")
        case .documentRefused:
            Problem(
                .invalidBody, detail: "document is not what a version says: take one of listSettings and change it.",
                field: "document")
        }
    }

    private static func words(of refusal: JoinRefusal) -> String {
        switch refusal {
        case .isThemselves(let customer): "Both are \(customer) already."
        case .joinedBefore(let customer):
            "The other customer is \(customer) already; withdraw that first, or join \(customer)."
        case .isAnonymous: "This customer is anonymous; join this one into an identified customer."
        case .idTaken(let id): "The id \(id) stands for something else already; choose another one."
        }
    }

    /// Testers are not named: the caller may be anyone.
    private static func words(of access: SandboxAccess) -> String {
        switch access {
        case .testers(let customers) where customers.isEmpty: "lists no testers"
        case .testers: "admits its testers only; this customer is not one of them"
        case .nobody: "admits no customer"
        case .everyone: "admits every customer"
        }
    }

    /// An error is not a denial: a client without an answer keeps what it had (decision 10).
    private static func problem(of failure: StoreFailure) -> Problem {
        switch failure.unkeepable {
        case .text:
            Problem(.invalidText, detail: "The request contains a text that cannot be stored: \(failure.words).")
        case .size:
            Problem(.tooLarge, detail: "The request contains more than can be stored: \(failure.words).")
        case nil:
            Problem(
                .store, code: "store.\(failure.code)", detail: "The store cannot do this now; nothing was changed.",
                retryAfterSeconds: 5)
        }
    }

    private static func problem(of error: HTTPError) -> Problem {
        switch error.status {
        case .contentTooLarge: Problem(.bodyTooLarge, detail: "The body is longer than this server reads.")
        case .notFound: Problem(.unknownRoute, detail: "There is nothing at this address.")
        case .methodNotAllowed: Problem(.methodNotAllowed, detail: "This address does not accept this method.")
        default:
            Problem(error.status.kind == .serverError ? .internalError : .requestMalformed, detail: error.status.reasonPhrase)
        }
    }
}

/// The address answers other methods.
struct MethodNotAllowed: Error {
    let allowed: [HTTPRequest.Method]
}

extension Problem {
    /// A problem that another configuration would have spared: its words end with what decides it.
    fileprivate init(
        _ kind: ProblemKind, code: String? = nil, detail: String, rule: String? = nil, decidedBy setting: DecidingSetting?
    ) {
        let words = setting.map { "\(detail) \($0.words)" } ?? detail
        self.init(kind, code: code, detail: words, rule: rule, setting: setting?.rawValue)
    }
}

/// None, or more than one.
struct HostMissing: Error {}

extension CustomerID {
    /// OWN-9: enough for a customer to recognise another account of theirs, and not enough to learn another
    /// customer's id.
    package var masked: String {
        let characters = Array(rawValue)
        guard characters.count > 1, let first = characters.first, let last = characters.last else { return "…" }
        return characters.count == 2 ? "\(first)…" : "\(first)…\(last)"
    }
}
