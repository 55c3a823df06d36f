import AppStoreWire
package import Ledger
package import Primitives
import Storage

/// What Apple is asked to do because somebody wants it. Each is sent once under the id that its caller chose: whoever asks again
/// is answered from what is kept.
extension Backend {
    /// By how many days, and why.
    package struct Extension: Sendable, Hashable {
        /// 1 to 90.
        package let days: Int64
        /// Apple's: 0 undeclared, 1 customer satisfaction, 2 other, 3 service issue or outage.
        package let reasonCode: Int64

        package init(days: Int64, reasonCode: Int64) {
            self.days = days
            self.reasonCode = reasonCode
        }

        fileprivate var reason: ExtendReasonCode { ExtendReasonCode(rawValue: reasonCode) }
    }

    /// The same for all active subscriptions of a product.
    package struct ProductExtension: Sendable, Hashable {
        package let product: Ledger.ProductID
        package let length: Extension
        /// ISO 3166-1 alpha-3; nil: in all.
        package let storefronts: [String]?

        package init(product: Ledger.ProductID, length: Extension, storefronts: [String]?) {
            self.product = product
            self.length = length
            self.storefronts = storefronts
        }
    }

    /// How far an extension of all subscriptions of a product is, as Apple says.
    package struct ProductExtensionProgress: Sendable, Hashable {
        package let isComplete: Bool
        package let completeDate: Timestamp?
        package let succeededCount: Int64?
        package let failedCount: Int64?
    }

    /// Who asks, and under which id it is kept.
    package struct RequestedBy: Sendable, Hashable {
        package let id: String
        package let actor: String

        /// - Parameter actor: nil: the app's backend.
        /// - Throws: `BackendError.invalidIdentifier`.
        package init(id: String, actor: String?) throws {
            self.id = try Self.checked(id, "id")
            self.actor = ActingKey.signed(try Self.checked(actor ?? "appBackend", "actor"))
        }

        private static func checked(_ text: String, _ name: String) throws -> String {
            guard !text.isEmpty, text.isPlain(upTo: longestCustomer) else {
                throw BackendError.invalidIdentifier(name: name, longest: longestCustomer)
            }
            return text
        }
    }

    /// By which way an app's question goes to Apple.
    package struct AppleWay: Sendable {
        let scope: Scope
        /// Nil where this server asks nothing.
        let desk: AppleDesk?

        package init(_ app: AppID, _ environment: Environment, by desk: AppleDesk?) {
            scope = Scope(app: app, environment: environment)
            self.desk = desk
        }

        init(_ key: SubscriptionKey, by desk: AppleDesk?) { self.init(key.app, key.environment, by: desk) }
    }

    /// Something that Apple was told or asked to do, and what came of it.
    package struct AppleRequestReport: Sendable, Hashable {
        /// As Apple names it.
        package let endpoint: String
        package let id: String
        /// A subscription, or a product.
        package let subject: String
        package let actor: String
        package let requestedAt: Timestamp
        /// JSON; empty where nothing was sent.
        package let content: String
        /// Nil while nobody knows.
        package let result: Result?

        package struct Result: Sendable, Hashable {
            /// `accepted`, or why not.
            package let outcome: String
            /// JSON; empty where Apple answered nothing.
            package let answer: String
            package let at: Timestamp
        }

        fileprivate init(_ request: AppleRequest) {
            (endpoint, id, subject) = (request.name.endpoint, request.name.id, request.subject)
            (actor, requestedAt, content) = (request.actor, request.requestedAt, request.content)
            result = request.result.map { Result(outcome: $0.outcome, answer: $0.answer, at: $0.at) }
        }
    }

    /// Lengthens the present period of a subscription without a charge, at most twice in 365 days.
    ///
    /// - Returns: what is kept of it; Apple took it.
    /// - Throws: `BackendError.appleRefused`, `.appleUnavailable`, `.appleNotAsked`; `CustomerRefusal.idTaken`.
    package func extend(
        _ key: SubscriptionKey, by more: Extension, _ by: RequestedBy, desk: AppleDesk?
    ) async throws -> AppleRequestReport {
        try await checkKnown(key)
        let call: ServerAPICall<ExtendRenewalDateResponse> = try wellFormed { () throws(ServerAPIRequestError) in
            try .extendSubscriptionRenewalDate(
                originalTransactionId: key.originalTransactionId.rawValue,
                ExtendRenewalDateRequest(
                    extendByDays: more.days, extendReasonCode: more.reason, requestIdentifier: by.id))
        }
        return try await carryOut(
            call, AppleErrand(subject: key.originalTransactionId.rawValue, by, thenRead: key), AppleWay(key, by: desk)
        ) { $0.success }
    }

    /// Lengthens the present period of every active subscription of a product. Apple answers that it has begun;
    /// ``extensionProgress(of:_:by:)`` says how far it is.
    package func extendAll(_ wanted: ProductExtension, _ by: RequestedBy, _ way: AppleWay) async throws -> AppleRequestReport {
        let call: ServerAPICall<MassExtendRenewalDateResponse> = try wellFormed { () throws(ServerAPIRequestError) in
            try .extendRenewalDateForAllActiveSubscribers(
                MassExtendRenewalDateRequest(
                    requestIdentifier: by.id, extendByDays: wanted.length.days, extendReasonCode: wanted.length.reason,
                    productId: wanted.product.rawValue, storefrontCountryCodes: wanted.storefronts))
        }
        return try await carryOut(call, AppleErrand(subject: wanted.product.rawValue, by), way)
    }

    /// How far an extension of all subscriptions of a product is.
    package func extensionProgress(
        of product: Ledger.ProductID, _ id: String, _ way: AppleWay
    ) async throws -> ProductExtensionProgress {
        let call: ServerAPICall<MassExtendRenewalDateStatusResponse> = try wellFormed { () throws(ServerAPIRequestError) in
            try .getStatusOfSubscriptionRenewalDateExtensions(productId: product.rawValue, requestIdentifier: id)
        }
        let answer = try await ask(call, way)
        return ProductExtensionProgress(
            isComplete: answer.complete, completeDate: answer.completeDate, succeededCount: answer.succeededCount,
            failedCount: answer.failedCount)
    }

    /// Attaches a token to the purchases of a subscription at Apple, or replaces it; renewals will bear it.
    package func set(
        _ token: Ledger.AppAccountToken, on key: SubscriptionKey, _ by: RequestedBy, desk: AppleDesk?
    ) async throws -> AppleRequestReport {
        let token = try Self.named(token)
        try await checkKnown(key)
        let call: ServerAPICall<NoResponseBody> = try wellFormed { () throws(ServerAPIRequestError) in
            try .setAppAccountToken(
                originalTransactionId: key.originalTransactionId.rawValue,
                UpdateAppAccountTokenRequest(appAccountToken: token.rawValue))
        }
        return try await carryOut(
            call, AppleErrand(subject: key.originalTransactionId.rawValue, by, thenRead: key), AppleWay(key, by: desk))
    }

    /// What Apple was told or asked to do, the last one first; at most ``longestRequests``.
    ///
    /// - Parameter subject: a subscription or a product; nil: whatever it was about.
    package func appleRequests(
        about subject: String?, app: AppID, environment: Environment
    ) async throws -> [AppleRequestReport] {
        try settings(of: app).checkTakes(environment)
        return try await translatingStorageErrors {
            try await store.appleRequests(
                about: subject, in: Scope(app: app, environment: environment), limit: Self.longestRequests
            ).map { AppleRequestReport($0) }
        }
    }

    /// How many requests one answer shows at the most.
    package static let longestRequests = 200

    // MARK: Together

    /// What is wanted of Apple.
    private struct AppleErrand: Sendable {
        let subject: String
        let by: RequestedBy
        /// Whose history tells what it came to; nil where none does.
        let thenRead: SubscriptionKey?

        init(subject: String, _ by: RequestedBy, thenRead: SubscriptionKey? = nil) {
            self.subject = subject
            self.by = by
            self.thenRead = thenRead
        }
    }

    /// Makes a call that changes something at Apple, once for each id.
    ///
    /// - Parameter isDone: whether an answer of Apple's says that it was done.
    private func carryOut<Response>(
        _ call: ServerAPICall<Response>, _ errand: AppleErrand, _ way: AppleWay,
        isDone: (Response) -> Bool = { _ in true }
    ) async throws -> AppleRequestReport {
        try checkAsked(way.scope)
        let request = AppleRequest(
            AppleRequestName(way.scope, call.endpoint.name, id: errand.by.id), subject: errand.subject,
            content: String(decoding: call.body ?? [], as: UTF8.self), by: errand.by.actor, at: clock.now())
        let kept = try await begin(request)
        if let result = kept.result {
            guard result.isAccepted else { throw BackendError.appleRefused(code: result.outcome) }
            return AppleRequestReport(kept)
        }
        do {
            let answer = try await put(call, way)
            guard isDone(answer.response) else { throw BackendError.appleRefused(code: "apple.notDone") }
            let result = AppleRequest.Result(outcome: AppleRequest.Result.accepted, answer: answer.text, at: clock.now())
            return AppleRequestReport(try await end(kept, with: result, thenRead: errand.thenRead))
        } catch BackendError.appleRefused(let code) {
            _ = try await end(kept, with: AppleRequest.Result(outcome: code, at: clock.now()), thenRead: nil)
            throw BackendError.appleRefused(code: code)
        }
    }

    /// What is kept under the request's name: the request itself, or the one before it that wants the same.
    private func begin(_ request: AppleRequest) async throws -> AppleRequest {
        let kept = try await translatingStorageErrors {
            try await store.write { transaction in
                if let kept = try transaction.appleRequest(request.name) { return kept }
                try transaction.record(request)
                return request
            }
        }
        guard kept.subject == request.subject, kept.content == request.content else {
            throw CustomerRefusal.idTaken(request.name.id)
        }
        return kept
    }

    private func end(
        _ request: AppleRequest, with result: AppleRequest.Result, thenRead key: SubscriptionKey?
    ) async throws -> AppleRequest {
        let orders = try key.map { [try WorkOrder(fetchingHistoryOf: $0, at: result.at)] } ?? []
        return try await translatingStorageErrors {
            try await store.write { transaction in
                // Another call under the same id may have ended meanwhile; what Apple accepted stays accepted.
                var ended = try transaction.appleRequest(request.name) ?? request
                if ended.result?.isAccepted == true { return ended }
                ended.result = result
                try transaction.record(ended)
                if !orders.isEmpty { try transaction.order(orders) }
                return ended
            }
        }
    }

    /// Asks Apple now, for somebody who waits.
    func ask<Response>(_ call: ServerAPICall<Response>, _ way: AppleWay) async throws -> Response {
        try checkAsked(way.scope)
        return try await put(call, way).response
    }

    private func put<Response>(
        _ call: ServerAPICall<Response>, _ way: AppleWay
    ) async throws -> ServerAPIAnswer<Response> {
        guard let desk = way.desk else { throw BackendError.appleNotAsked(way.scope.app) }
        let answer = try await translatingStorageErrors {
            try await desk.ask(call, in: way.scope, .someoneWaits, at: clock.now())
        }
        switch answer {
        case .answered(let answer): return answer
        case .notAsked(let why): throw BackendError.appleUnavailable(code: why.rawValue)
        case .failed(let failure) where failure.isFinal: throw BackendError.appleRefused(code: failure.code)
        case .failed(let failure): throw BackendError.appleUnavailable(code: failure.code)
        }
    }

    private func checkAsked(_ scope: Scope) throws {
        let app = try settings(of: scope.app)
        try app.checkTakes(scope.environment)
        guard app.asksByKey else { throw BackendError.appleNotAsked(scope.app) }
    }

    func checkKnown(_ key: SubscriptionKey) async throws {
        try settings(of: key.app).checkTakes(key.environment)
        guard try await translatingStorageErrors({ try await store.subscription(key) }) != nil else {
            throw BackendError.unknownSubscription
        }
    }

    /// What Apple would refuse is refused before it is sent.
    func wellFormed<Call>(_ make: () throws(ServerAPIRequestError) -> Call) throws -> Call {
        do throws(ServerAPIRequestError) {
            return try make()
        } catch {
            throw BackendError.appleRequestInvalid(field: error.field, reason: "\(error)")
        }
    }
}

extension ServerAPIAnswer {
    fileprivate var text: String { String(decoding: rawBody, as: UTF8.self) }
}
