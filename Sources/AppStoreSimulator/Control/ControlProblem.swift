internal import AppStoreModel
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import StrictJSON

/// A refusal as an HTTP answer; the only place that knows both errors and HTTP statuses.
///
/// Source: RFC 9457.
struct ControlProblem: Error {
    let status: HTTPResponse.Status
    /// Stable; programs may rely on it.
    let code: String
    /// For display.
    let detail: String
    /// For 405: the methods that the address allows.
    var allowed: String?

    private init(status: HTTPResponse.Status, code: String, detail: String) {
        self.status = status
        self.code = code
        self.detail = detail
    }

    init(_ mistake: RequestMistake, _ detail: String) {
        self.init(status: mistake.status, code: mistake.rawValue, detail: detail)
    }

    init(_ error: any Error) {
        switch error {
        case let problem as ControlProblem: self = problem
        case let refusal as StoreRefusal: self.init(status: refusal.status, code: refusal.rawValue, detail: refusal.detail)
        case let refusal as SimulatorRefusal: self.init(status: refusal.status, code: refusal.rawValue, detail: refusal.detail)
        case let mistake as RequestMistake: self.init(mistake, mistake.status.reasonPhrase)
        case let error as SimulatorStateError: self.init(error.mistake, error.description)
        case let error as JSONError: self.init(.invalidJSON, error.description)
        case let error as JSONFieldError: self.init(error)
        case SimulatorConfigurationError.notificationURL:
            self.init(.invalidURL, "The address must be http or https, of at most 2048 visible ASCII characters.")
        case let error as any HTTPResponseError:
            let known = [RequestMistake.notFound, .methodNotAllowed, .bodyTooLarge]
            let mistake = known.first { $0.status == error.status } ?? (error.status.code < 500 ? .badRequest : .internal)
            self.init(mistake, error.status.reasonPhrase)
        default: self.init(.internal, "The simulator failed.")
        }
    }

    private init(_ error: JSONFieldError) {
        switch error.expected {
        case .noneBut(let known):
            self.init(
                .unknownMember, known.isEmpty ? "No member is known here." : "Known here: \(known.joined(separator: ", ")).")
        default: self = .invalid(error.path, "\(error.found == .nothing ? "there, " : "")\(error.expected)")
        }
    }

    /// A member of a body or of the query that has a wrong type or value.
    static func invalid(_ name: String, _ wanted: String) -> ControlProblem {
        ControlProblem(.invalidMember, "\(name) must be \(wanted).")
    }

    var response: Response {
        var json = JSONWriter()
        json.object {
            $0.member("type", "about:blank")
            $0.member("title", status.reasonPhrase)
            $0.member("status", Int64(status.code))
            $0.member("code", code)
            $0.member("detail", detail)
        }
        var headers: HTTPFields = [.contentType: "application/problem+json"]
        if let allowed { headers[.allow] = allowed }
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: .init(bytes: json.bytes)))
    }
}

/// What is wrong with a request before the store looks at it; the spellings are stable.
enum RequestMistake: String, Error, Sendable, Hashable, CaseIterable {
    case invalidJSON
    /// Not an object, or members that belong together and are not together.
    case invalidBody
    case unknownMember
    /// A member of a body or of the query that has a wrong type or value.
    case invalidMember
    case invalidURL
    case badRequest
    case notFound, methodNotAllowed, bodyTooLarge, mediaTypeNotJSON
    /// The request comes from a web page that is not the simulator's, or uses a host name that is not the simulator's.
    case foreignOrigin, foreignHost
    /// Faults of a saved state.
    case notAState, stateOfAnotherVersion, stateChanged, stateUnreadable, cannotBeSaved
    /// Our mistake, not the caller's.
    case `internal`

    fileprivate var status: HTTPResponse.Status {
        switch self {
        case .invalidJSON, .invalidBody, .unknownMember, .invalidMember, .invalidURL, .badRequest, .notAState,
            .stateOfAnotherVersion, .stateChanged, .stateUnreadable:
            .badRequest
        case .cannotBeSaved: .conflict
        case .foreignOrigin, .foreignHost: .forbidden
        case .notFound: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .bodyTooLarge: .contentTooLarge
        case .mediaTypeNotJSON: .unsupportedMediaType
        case .internal: .internalServerError
        }
    }
}

extension StoreRefusal {
    fileprivate var status: HTTPResponse.Status {
        switch self {
        case .unknownApp, .unknownAccount, .unknownProduct, .unknownSubscription, .unknownTransaction, .unknownFamily,
            .unknownDevice, .unknownOffer, .unknownSeat:
            .notFound
        case .invalidAccountId, .invalidFamilyId, .invalidDeviceId, .invalidAppAccountToken,
            .invalidStorefront, .invalidQuantity, .invalidGracePeriod, .invalidEarlyCharge, .invalidSandboxRate,
            .invalidPercentage, .invalidPrice, .invalidExtension, .offerSignatureInvalid:
            .badRequest
        case .unknownEnvironment, .appExists, .accountExists, .familyExists, .deviceExists, .alreadyOwned, .alreadySubscribed,
            .subscriptionEnded,
            .subscriptionsActive, .productNotForSale, .planNotOffered, .offerNotEligible, .alreadyRefunded, .notRefunded,
            .refundRequested, .noRefundRequested, .familyShared, .notInFamily, .alreadyInFamily, .familyFull, .noPriceIncrease,
            .notExtendable, .tooManyExtensions, .seatAssigned, .notActive, .notRecovered, .invalidSwitch:
            .conflict
        case .paymentDeclined: .init(code: 402, reasonPhrase: "Payment Required")
        case .storeFull: .init(code: 507, reasonPhrase: "Insufficient Storage")
        }
    }

    fileprivate var detail: String {
        switch self {
        case .unknownApp: "There is no app with that bundle id."
        case .unknownAccount: "There is no such account."
        case .unknownProduct: "The catalogue has no such product."
        case .unknownSubscription: "There is no subscription with that originalTransactionId."
        case .unknownTransaction: "There is no such transaction."
        case .unknownFamily: "There is no such family."
        case .unknownDevice: "There is no such device."
        case .unknownOffer: "The product has no such offer."
        case .unknownSeat: "The account has no seat of this subscription."
        case .unknownEnvironment: "An account belongs to Production or to Sandbox, and all members of a family to the same one."
        case .appExists: "An app with that bundle id or Apple ID exists already."
        case .accountExists: "An account with that id exists already."
        case .familyExists: "A family with that id exists already."
        case .deviceExists: "A device with that id exists already."
        case .invalidAccountId, .invalidFamilyId, .invalidDeviceId:
            "An id is 1 to 64 letters, digits, dots, underscores and hyphens, and does not begin with a dot."
        case .invalidAppAccountToken: "An appAccountToken is a UUID."
        case .invalidStorefront: "A storefront is three capital letters."
        case .invalidQuantity: "A quantity is 1 to 10, and more than 1 only for consumables and non-renewing subscriptions."
        case .invalidGracePeriod: "A billing grace period is 1 to 28 days."
        case .invalidEarlyCharge: "A renewal is charged at most 24 hours before its period begins."
        case .invalidSandboxRate: "A month in the Sandbox takes 3, 5, 15, 30 or 60 minutes."
        case .invalidPercentage: "A percentage is 1 to 100000 thousandths of a percent."
        case .invalidPrice: "The new price must be higher than the old one, and at most 999999999999999 thousandths."
        case .invalidExtension: "A subscription can be extended by 1 to 90 days."
        case .alreadyOwned: "The account owns this product."
        case .alreadySubscribed: "The account already has this subscription, or will renew into it."
        case .subscriptionEnded: "The subscription has ended; it can be bought again."
        case .subscriptionsActive: "The account has subscriptions that have not ended."
        case .paymentDeclined: "The account's payment fails."
        case .productNotForSale: "The product is not sold any more."
        case .planNotOffered: "The product is not sold by the month, or not with this offer."
        case .offerNotEligible: "The offer is not for this customer, or not for this product."
        case .offerSignatureInvalid: "The offer is not signed for this purchase, or was used, or is older than 24 hours."
        case .alreadyRefunded: "The transaction is refunded."
        case .notRefunded: "The transaction is not refunded."
        case .refundRequested: "A refund of the transaction was requested already."
        case .noRefundRequested: "No refund request for the transaction is pending."
        case .familyShared: "The subscription is shared by a family, or is a seat; only its purchaser can do that."
        case .seatAssigned: "The account has this subscription already, by a seat or by its family."
        case .notActive: "The subscription is not in a paid period."
        case .notRecovered: "The subscription's newest period did not recover a failed renewal."
        case .invalidSwitch: "A switch goes to a subscription of another group."
        case .notInFamily: "The account is not in this family."
        case .alreadyInFamily: "The account is already in a family."
        case .familyFull: "A family has six members at most."
        case .noPriceIncrease: "No price increase is pending for the customer."
        case .notExtendable: "Only an active, paid subscription can be extended."
        case .tooManyExtensions: "A subscription can be extended at most twice in 365 days."
        case .storeFull: "This store is full; start another."
        }
    }
}

extension SimulatorRefusal {
    fileprivate var status: HTTPResponse.Status {
        switch self {
        case .busy: .serviceUnavailable
        case .clockGoesForward, .tooFar, .invalidKeyId: .badRequest
        case .unknownNotification, .unknownMessage, .receiptLost, .appTransactionMissing, .unknownKey: .notFound
        case .noNotificationURL, .stateOfAnotherStore, .keyExists: .conflict
        }
    }

    fileprivate var detail: String {
        switch self {
        case .busy: "Too many changes are waiting."
        case .clockGoesForward: "The clock can only move forward."
        case .tooFar: "The clock can move at most ten years at a time and 59 years in total."
        case .unknownNotification: "There is no such notification, or it is no longer kept."
        case .unknownMessage: "The app has no such image or message."
        case .receiptLost: "The receipt is missing on the device; a purchase or a restore creates one."
        case .appTransactionMissing: "The device is signed in with no Apple Account, or with one that never had the app."
        case .noNotificationURL: "No address for notifications is set."
        case .unknownKey: "The app has no In-App Purchase key with that id."
        case .keyExists: "The app has an In-App Purchase key with that id already."
        case .invalidKeyId: "A key's id is 1 to 64 letters and digits."
        case .stateOfAnotherStore:
            "The state belongs to another store, with another root, other apps or other keys. Start with --state."
        }
    }
}

extension SimulatorStateError {
    fileprivate var mistake: RequestMistake {
        switch self {
        case .cannotBeSaved: .cannotBeSaved
        case .notAState: .notAState
        case .ofVersion: .stateOfAnotherVersion
        case .changed: .stateChanged
        case .unreadable: .stateUnreadable
        }
    }
}

/// Answers every error with a problem, including those of the router.
struct ControlProblemMiddleware<Context: RequestContext>: RouterMiddleware {
    let addresses: KnownAddresses

    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            var problem = ControlProblem(error)
            if problem.code == RequestMistake.notFound.rawValue, let allowed = addresses.methods(at: request.uri.path) {
                problem = ControlProblem(.methodNotAllowed, "The address accepts \(allowed).")
                problem.allowed = allowed
            }
            if problem.status.code >= 500 { context.logger.error("control call failed", metadata: ["error": "\(error)"]) }
            // An answer to HEAD has no body: a client would read it as the next answer.
            return request.method == .head ? problem.response.createHeadResponse() : problem.response
        }
    }
}

/// Which methods each address has. The router only says that it found no route.
///
/// Source: RFC 9110, section 15.5.6.
struct KnownAddresses: Sendable {
    private let methods: [(path: RouterPath, methods: Set<HTTPRequest.Method>)]

    init(_ router: Router<BasicRequestContext>) {
        methods = Dictionary(grouping: router.routes, by: \.path.description).map { path, routes in
            var methods = Set(routes.map(\.method))
            // The router answers HEAD wherever it answers GET.
            if methods.contains(.get) { methods.insert(.head) }
            return (RouterPath(path), methods)
        }
    }

    /// In the form of the `Allow` header; nil where the address does not exist.
    func methods(at path: String) -> String? {
        let parts = path.split(separator: "/")
        let found = methods.filter { known in
            known.path.count == parts.count && zip(known.path, parts).allSatisfy { $0 ~= $1 }
        }
        let all = found.reduce(into: Set<HTTPRequest.Method>()) { $0.formUnion($1.methods) }
        return all.isEmpty ? nil : all.map(\.rawValue).sorted().joined(separator: ", ")
    }
}
