internal import Crypto
public import Primitives

/// Verifies what Apple signs: notifications, transactions, renewal infos, app transactions, real-time requests, app receipts and
/// the transaction receipts from before iOS 7.
///
/// Everything is checked, cheapest first: size, form, header, the chain against pinned roots and Apple's marks, the signature,
/// the JSON, the kind of payload, each field's type, the signing date, the app. There is no switch that omits a check. Any number
/// of tasks may use one verifier at once; calling it twice with the same bytes gives the same answer.
///
/// A chain that was seen before costs one look-up; then nothing suspends, and a JWS costs one P-256 verification. The methods are
/// `async` because the first verification of a chain is. They run where their caller runs, so that the usual case does not change
/// threads.
///
/// Source: RFC 7515, RFC 7518 (ES256), RFC 5280; Apple, App Store Server Library; FACT-3, FACT-4.
public final class AppStoreVerifier: Sendable {
    private let chainVerifier: ChainVerifier
    let chains: ChainCache
    private let limits: JWSLimits
    let receipts: ReceiptVerifier

    /// A verifier that trusts these roots.
    ///
    /// - Parameters:
    ///   - roots: the roots that a chain may end in.
    ///   - distrustedLeafSerials: serial numbers in hexadecimal, as ``Signer/leafSerial`` or any tool writes them, whose
    ///     signatures are no longer trusted (T06). A text that ``LeafSerial/readings(of:)`` cannot read matches no certificate.
    ///   - limits: limits on the size of a JWS, and on the number of remembered chains.
    ///   - receiptLimits: limits on the size of a receipt.
    public init(
        roots: TrustRoots, distrustedLeafSerials: Set<String> = [], limits: JWSLimits = .default,
        receiptLimits: ReceiptLimits = .default
    ) {
        chainVerifier = ChainVerifier(roots: roots, purpose: .jws, distrustedLeafSerials: distrustedLeafSerials)
        chains = ChainCache(limits: limits)
        self.limits = limits
        receipts = ReceiptVerifier(
            chainVerifier: ChainVerifier(roots: roots, purpose: .receipt, distrustedLeafSerials: distrustedLeafSerials),
            chains: ChainCache(limits: limits), limits: receiptLimits, futureTolerance: limits.futureTolerance)
    }

    /// The roots that a chain may end in.
    public var roots: TrustRoots { chainVerifier.roots }

    /// What the chain cache did so far.
    package var chainCounters: ChainCounters { chains.counters }

    /// Verifies a transaction.
    ///
    /// - Parameters:
    ///   - jws: the compact JWS.
    ///   - app: the app that it must be about.
    ///   - now: our clock.
    /// - Returns: the transaction, or the first reason to refuse it, in the order of ``JWSRefusal/Code``.
    public nonisolated(nonsending) func transaction(
        _ jws: String, for app: ExpectedApp, at now: Timestamp
    ) async -> Result<Verified<TransactionPayload>, JWSRefusal> {
        await transaction(Array(jws.utf8), for: app, at: now)
    }

    /// Verifies a transaction; as with a string, without copying one.
    public nonisolated(nonsending) func transaction(
        _ jws: [UInt8], for app: ExpectedApp, at now: Timestamp
    ) async -> Result<Verified<TransactionPayload>, JWSRefusal> {
        await refusing { () async throws(JWSRefusal) in try await verify(jws, for: app, at: now) }
    }

    /// Verifies a renewal info, but not that it belongs to the app, because it names none. ``UnboundRenewalInfo/bound(to:)``
    /// checks the rest.
    ///
    /// - Parameters:
    ///   - jws: the compact JWS.
    ///   - app: whose environments are accepted.
    ///   - now: our clock.
    /// - Returns: the renewal info, or the first reason to refuse it.
    public nonisolated(nonsending) func renewalInfo(
        _ jws: String, for app: ExpectedApp, at now: Timestamp
    ) async -> Result<UnboundRenewalInfo, JWSRefusal> {
        await renewalInfo(Array(jws.utf8), for: app, at: now)
    }

    /// Verifies a renewal info; as with a string, without copying one.
    public nonisolated(nonsending) func renewalInfo(
        _ jws: [UInt8], for app: ExpectedApp, at now: Timestamp
    ) async -> Result<UnboundRenewalInfo, JWSRefusal> {
        await refusing { () async throws(JWSRefusal) in UnboundRenewalInfo(try await verify(jws, for: app, at: now)) }
    }

    /// Verifies an app transaction.
    ///
    /// - Parameters:
    ///   - jws: the compact JWS.
    ///   - app: the app that it must be about.
    ///   - now: our clock.
    /// - Returns: the app transaction, or the first reason to refuse it.
    public nonisolated(nonsending) func appTransaction(
        _ jws: String, for app: ExpectedApp, at now: Timestamp
    ) async -> Result<Verified<AppTransactionPayload>, JWSRefusal> {
        await appTransaction(Array(jws.utf8), for: app, at: now)
    }

    /// Verifies an app transaction; as with a string, without copying one.
    public nonisolated(nonsending) func appTransaction(
        _ jws: [UInt8], for app: ExpectedApp, at now: Timestamp
    ) async -> Result<Verified<AppTransactionPayload>, JWSRefusal> {
        await refusing { () async throws(JWSRefusal) in try await verify(jws, for: app, at: now) }
    }

    /// Verifies a real-time request, which the App Store sends while a customer is about to cancel.
    ///
    /// - Parameters:
    ///   - jws: the compact JWS out of the body; ``NotificationBody`` reads that.
    ///   - app: the app that it must be about. The request names no bundle: in Production ``ExpectedApp/appAppleId`` is compared,
    ///     elsewhere nothing distinguishes one app from another.
    ///   - now: our clock.
    /// - Returns: the request, or the first reason to refuse it.
    public nonisolated(nonsending) func realtimeRequest(
        _ jws: String, for app: ExpectedApp, at now: Timestamp
    ) async -> Result<Verified<RealtimeRequestPayload>, JWSRefusal> {
        await realtimeRequest(Array(jws.utf8), for: app, at: now)
    }

    /// Verifies a real-time request; as with a string, without copying one.
    public nonisolated(nonsending) func realtimeRequest(
        _ jws: [UInt8], for app: ExpectedApp, at now: Timestamp
    ) async -> Result<Verified<RealtimeRequestPayload>, JWSRefusal> {
        await refusing { () async throws(JWSRefusal) in try await verify(jws, for: app, at: now) }
    }

    /// Verifies a notification and every JWS inside it.
    ///
    /// - Parameters:
    ///   - signedPayload: the compact JWS out of the body; ``NotificationBody`` reads that.
    ///   - app: the app that it must be about.
    ///   - now: our clock.
    /// - Returns: the notification, or the first reason to refuse it or a JWS inside; ``JWSRefusal/part`` says which of them.
    public nonisolated(nonsending) func notification(
        _ signedPayload: String, for app: ExpectedApp, at now: Timestamp
    ) async -> Result<VerifiedNotification, JWSRefusal> {
        await notification(Array(signedPayload.utf8), for: app, at: now)
    }

    /// Verifies a notification and every JWS inside it; as with a string, without copying one.
    public nonisolated(nonsending) func notification(
        _ signedPayload: [UInt8], for app: ExpectedApp, at now: Timestamp
    ) async -> Result<VerifiedNotification, JWSRefusal> {
        await refusing { () async throws(JWSRefusal) in try await verifyNotification(signedPayload, for: app, at: now) }
    }
}

extension AppStoreVerifier {
    private nonisolated(nonsending) func refusing<Value>(
        _ body: nonisolated(nonsending) () async throws(JWSRefusal) -> Value
    ) async -> Result<Value, JWSRefusal> {
        do throws(JWSRefusal) {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }

    private nonisolated(nonsending) func verifyNotification(
        _ bytes: [UInt8], for app: ExpectedApp, at now: Timestamp
    ) async throws(JWSRefusal) -> VerifiedNotification {
        let notification: Verified<NotificationPayload> = try await verify(bytes, for: app, at: now)
        let inner = app.narrowed(to: notification.payload.subject.environment)
        var transaction: Verified<TransactionPayload>?
        var renewalInfo: UnboundRenewalInfo?
        var appTransaction: Verified<AppTransactionPayload>?
        if let jws = notification.payload.data?.signedTransactionInfo { transaction = try await verify(jws, for: inner, at: now) }
        if let jws = notification.payload.data?.signedRenewalInfo {
            renewalInfo = UnboundRenewalInfo(try await verify(jws, for: inner, at: now))
        }
        if let jws = notification.payload.appData?.signedAppTransactionInfo {
            appTransaction = try await verify(jws, for: inner, at: now)
        }
        var bound: Verified<RenewalInfoPayload>?
        if let transaction, let renewalInfo { bound = try renewalInfo.bound(to: transaction).get() }
        return VerifiedNotification(
            notification: notification, transaction: transaction, renewalInfo: bound,
            unboundRenewalInfo: bound == nil ? renewalInfo : nil, appTransaction: appTransaction)
    }

    /// One JWS from bytes to payload. Suspends only where its chain was never seen.
    private nonisolated(nonsending) func verify<Payload: SignedPayload>(
        _ bytes: [UInt8], for app: ExpectedApp, at now: Timestamp
    ) async throws(JWSRefusal) -> Verified<Payload> {
        let jws = try CompactJWS(bytes, in: Payload.part, limits: limits)
        let known = chains.chain(header: jws.header)
        let chain: VerifiedChain
        if let known { chain = known } else { chain = try await verifyChain(of: jws) }
        let signature = try checkSignature(of: jws, by: chain)
        if known == nil { chains.remember(chain, header: jws.header) }
        let decoded = DecodedJWS(bytes, payload: try jws.payload(), signature: signature)
        let payload = try Payload.decode(decoded.payload)
        try checkDate(payload, chain: chain, now: now)
        guard chain.signer.authority.speaks(for: payload.signedEnvironment) else {
            throw JWSRefusal(.wrongEnvironment, payload.signedEnvironment.rawValue, in: Payload.part)
        }
        do throws(FieldRefusal) {
            try payload.check(app)
        } catch {
            throw JWSRefusal(error.code, error.field, in: Payload.part)
        }
        return Verified(
            payload: payload, evidence: bytes, signedDate: payload.signingDate, environment: payload.signedEnvironment,
            proof: .signature(chain.signer), jws: decoded)
    }

    private nonisolated(nonsending) func verifyChain(of jws: CompactJWS) async throws(JWSRefusal) -> VerifiedChain {
        let certificates = try JWSHeader(jws.header, in: jws.part, limits: limits).certificates
        guard certificates.count == 3 || !roots.xcodeFingerprints.isEmpty else {
            throw JWSRefusal(.chainLengthNotThree, ChainWords.notThree(certificates.count), in: jws.part)
        }
        do throws(ChainRefusal) {
            return try await chains.chain(of: certificates, verifiedBy: chainVerifier)
        } catch {
            throw JWSRefusal(JWSRefusal.Code(error.fault), error.detail, in: jws.part)
        }
    }

    /// The signature, which holds.
    private func checkSignature(of jws: CompactJWS, by chain: VerifiedChain) throws(JWSRefusal) -> [UInt8] {
        let bytes = try jws.signature()
        guard case .p256(let key) = chain.leafKey else { throw JWSRefusal(.leafKeyNotP256, in: jws.part) }
        let isValid: Bool
        do {
            let signature = try P256.Signing.ECDSASignature(rawRepresentation: bytes)
            isValid = key.isValidSignature(signature, for: jws.signingInput)
        } catch {
            throw JWSRefusal(.signatureLengthWrong, in: jws.part)
        }
        guard isValid else { throw JWSRefusal(.signatureInvalid, in: jws.part) }
        return bytes
    }

    private func checkDate<Payload: SignedPayload>(
        _ payload: Payload, chain: VerifiedChain, now: Timestamp
    ) throws(JWSRefusal) {
        guard chain.validity.contains(payload.signingDate) else {
            throw JWSRefusal(.signedDateOutsideChain, "\(payload.signingDate)", in: Payload.part)
        }
        guard payload.signingDate <= now.adding(limits.futureTolerance) else {
            throw JWSRefusal(
                .signedDateInFuture, payload.signingDate.tooLate(at: now, tolerance: limits.futureTolerance), in: Payload.part)
        }
        chain.use.note(payload.signingDate)
    }
}

extension Timestamp {
    /// The text of a refusal of a date that is later than now, by more than the tolerance.
    func tooLate(at now: Timestamp, tolerance: Milliseconds) -> String {
        "found \(self), expected \(now.adding(tolerance)) or before: here it is \(now)"
    }
}

extension ExpectedApp {
    /// The same app, with only the environment of the notification around a JWS.
    fileprivate func narrowed(to environment: Environment) -> ExpectedApp {
        ExpectedApp(bundleId: bundleId, appAppleId: appAppleId, environments: environments.intersection([environment]))
    }
}

extension Signer.Authority {
    /// Whether this signer may sign payloads of an environment.
    func speaks(for environment: Environment) -> Bool {
        switch self {
        case .apple: environment == .production || environment == .sandbox
        case .xcode: environment == .xcode
        case .configured: true
        }
    }
}
