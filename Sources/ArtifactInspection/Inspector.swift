package import AppStoreWire
package import Crypto
package import Primitives
import StrictJSON

/// Verifies one artifact of any kind against the caller's expectation, and explains what it means.
package struct Inspector: Sendable {
    /// What the caller expects; nil: what the artifact says about itself.
    package struct Expectation: Sendable {
        package var bundleId: String?
        package var environment: Environment?
        package var appAppleId: Int64?

        package init(bundleId: String? = nil, environment: Environment? = nil, appAppleId: Int64? = nil) {
            (self.bundleId, self.environment, self.appAppleId) = (bundleId, environment, appAppleId)
        }
    }

    let verifier: AppStoreVerifier
    let expected: Expectation
    /// The public key that a JWS of our own must be signed with; nil: none was given.
    let ownKey: P256.Signing.PublicKey?
    let now: Timestamp

    /// - Parameters:
    ///   - expected: what the artifact must be of; what is nil there, it may say itself.
    ///   - ownKey: nil: what a server of ours signed cannot be verified.
    ///   - now: for what must not be from the future, and for what has ended.
    package init(
        verifier: AppStoreVerifier, expecting expected: Expectation, ownKey: P256.Signing.PublicKey? = nil, at now: Timestamp
    ) {
        (self.verifier, self.expected, self.ownKey, self.now) = (verifier, expected, ownKey, now)
    }

    /// Recognises a text or the bytes of a file, and checks what it is.
    package func inspect(text bytes: [UInt8]) async -> Inspected {
        switch Recognition(of: bytes) {
        case .artifact(let artifact, let wrappings): .artifact(await inspect(artifact, outOf: wrappings))
        case .unusable(let form): .unusable(form)
        }
    }

    /// - Parameter wrappings: the wrapping that was removed.
    package func inspect(_ artifact: AppleArtifact, outOf wrappings: [TextWrapping]) async -> Inspection {
        var inspection = await inspect(artifact)
        inspection.wrappings = wrappings
        inspection.meaning += Meaning.of(wrappings)
        return inspection
    }

    private func inspect(_ artifact: AppleArtifact) async -> Inspection {
        switch artifact {
        case .jws(let kind, let jws): await inspect(kind, jws)
        case .ownJWS(let jws): inspectOwn(jws)
        case .appReceipt(let der): await inspect(receipt: der)
        case .transactionReceipt(let list): inspect(transactionReceipt: list)
        case .verifyReceiptAnswer(let body): await inspect(verifyReceipt: body)
        case .notificationV1(let body): await inspect(notificationV1: body)
        case .serverAPIAnswer(_, let signed): await inspect(answer: signed)
        case .serverAPIError(let body): inspect(error: body)
        case .transactionId(let id): Self.inspection(transactionId: id)
        }
    }

    /// The app that an artifact must be of: what the caller expects, completed with what the artifact claims.
    private func app(_ claimed: ClaimedApp) -> ExpectedApp {
        ExpectedApp(
            bundleId: expected.bundleId ?? claimed.bundleId, appAppleId: expected.appAppleId ?? claimed.appAppleId,
            environments: expected.environment.map { [$0] } ?? Set(Environment.allCases))
    }

    // MARK: JWS

    private func inspect(_ kind: AppleArtifact.JWSKind?, _ jws: [UInt8]) async -> Inspection {
        let app = app(ClaimedApp(jws: jws))
        switch kind {
        case .transaction?:
            return inspection(.transaction, await verifier.transaction(jws, for: app, at: now)) {
                Meaning.of($0.payload, at: now)
            }
        case .appTransaction?:
            return inspection(.appTransaction, await verifier.appTransaction(jws, for: app, at: now)) {
                Meaning.of($0.payload)
            }
        case .realtimeRequest?:
            return inspection(.realtimeRequest, await verifier.realtimeRequest(jws, for: app, at: now)) {
                Meaning.of($0.payload)
            }
        case .renewalInfo?:
            let renewal = await verifier.renewalInfo(jws, for: app, at: now).map(\.unbound)
            return inspection(.renewalInfo, renewal) { Meaning.of($0.payload) + [.renewal(.namesNoApp)] }
        case .notification?:
            return inspect(await verifier.notification(jws, for: app, at: now))
        case nil:
            // Even if its signature is valid, its payload is of no known kind; the first reason is given, as always.
            var inspection = inspection(.transaction, await verifier.transaction(jws, for: app, at: now)) { _ in [] }
            inspection.kind = .jws
            return inspection
        }
    }

    private func inspect(_ result: Result<VerifiedNotification, JWSRefusal>) -> Inspection {
        guard case .success(let verified) = result else {
            return inspection(.notification, result.map(\.notification)) { _ in [] }
        }
        let payload = verified.notification.payload
        var inspection = inspection(
            .notification, Result<Verified<NotificationPayload>, JWSRefusal>.success(verified.notification)
        ) {
            _ in [.notification(NotificationMeaning(type: payload.notificationType, subtype: payload.subtype))]
        }
        if let transaction = verified.transaction {
            inspection.inside.append(
                self.inspection(.transaction, .success(transaction), at: "data.signedTransactionInfo") {
                    Meaning.of($0.payload, at: now)
                })
        }
        if let renewal = verified.renewalInfo ?? verified.unboundRenewalInfo?.unbound {
            inspection.inside.append(
                self.inspection(.renewalInfo, .success(renewal), at: "data.signedRenewalInfo") { Meaning.of($0.payload) })
        }
        if let download = verified.appTransaction {
            inspection.inside.append(
                self.inspection(.appTransaction, .success(download), at: "appData.signedAppTransactionInfo") {
                    Meaning.of($0.payload)
                })
        }
        return inspection
    }

    private func inspection<Payload: JWSPayload>(
        _ kind: AppleArtifact.JWSKind, _ result: Result<Verified<Payload>, JWSRefusal>, at path: String? = nil,
        meaning: (Verified<Payload>) -> [Meaning]
    ) -> Inspection {
        switch result {
        case .success(let verified):
            Inspection(
                kind: Inspection.Kind(kind), path: path, result: .verified(evidence(verified, payload: verified.payloadJSON)),
                meaning: Meaning.of(signer: verified) + meaning(verified))
        case .failure(let refusal):
            Inspection(
                kind: Inspection.Kind(kind), path: path,
                result: .refused(refusal.code, Self.detail(refusal, of: kind)))
        }
    }

    /// What a refusal was about, with the JWS inside that it was about.
    private static func detail(_ refusal: JWSRefusal, of kind: AppleArtifact.JWSKind) -> Refusal.Detail {
        refusal.part.rawValue == kind.rawValue ? .found(refusal.detail) : .inside(refusal.part, refusal.detail)
    }

    private func evidence<Payload>(_ verified: Verified<Payload>, payload: [UInt8]) -> Inspection.Evidence {
        Inspection.Evidence(
            environment: verified.environment, signedDate: verified.signedDate, signer: verified.signer, payload: payload)
    }

    /// What a server of ours signs for Apple: offers, eligibility, requests of the API.
    private func inspectOwn(_ jws: [UInt8]) -> Inspection {
        let parts = jws.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard let ownKey else {
            return Inspection(
                kind: .ownJWS,
                result: .refused(.keyMissing, .verifiedWithItsKey))
        }
        guard parts.count == 3, OwnJWS.isES256(header: parts[0]), let payload = StrictBase64.decodeURL(parts[1]),
            let raw = StrictBase64.decodeURL(parts[2]),
            case .success(let signature) = Result(catching: { try P256.Signing.ECDSASignature(rawRepresentation: raw) }),
            ownKey.isValidSignature(signature, for: jws.dropLast(parts[2].count + 1))
        else { return Inspection(kind: .ownJWS, result: .refused(.signatureInvalid)) }
        return OwnJWS.inspection(payload: payload, expecting: expected.bundleId, at: now)
    }

    // MARK: Receipts

    private func inspect(receipt der: [UInt8], at path: String? = nil) async -> Inspection {
        switch await verifier.appReceipt(der, for: app(ClaimedApp(receipt: der)), at: now) {
        case .success(let verified):
            Inspection(
                kind: .appReceipt, path: path, result: .verified(evidence(verified, payload: ReceiptJSON.of(verified.payload))),
                meaning: Meaning.of(signer: verified) + Meaning.of(verified.payload))
        case .failure(let refusal):
            Inspection(kind: .appReceipt, path: path, result: .refused(refusal))
        }
    }

    private func inspect(transactionReceipt list: [UInt8]) -> Inspection {
        let kind = Inspection.Kind.transactionReceipt
        guard expected.environment == nil else {
            return Inspection(
                kind: kind, result: .refused(.environmentNotSigned, .onlyAppleCanTell),
                meaning: [.receipt(.environmentNotSigned)])
        }
        switch verifier.transactionReceipt(list, for: app(ClaimedApp(transactionReceipt: list)), at: now) {
        case .success(.proved(let verified)):
            return Inspection(
                kind: kind,
                result: .verified(
                    .init(
                        environment: nil, signedDate: verified.signedDate, signer: verified.signer,
                        payload: ReceiptJSON.of(verified.payload))),
                meaning: [.signature(.givenIntermediate), .receipt(.environmentNotSigned)])
        case .success(.signatureOnly(let receipt)):
            return Inspection(
                kind: kind,
                result: .refused(
                    .issuerNotProved, .saidToBeIssued(leaf: receipt.leafName, issuer: receipt.issuerName)),
                unproved: ReceiptJSON.of(receipt.payload), meaning: [.receipt(.environmentNotSigned)])
        case .failure(let refusal):
            return Inspection(kind: kind, result: .refused(refusal))
        }
    }

    // MARK: What is not signed, with what is signed in it

    private func inspect(verifyReceipt body: [UInt8]) async -> Inspection {
        var outcome = VerifyReceiptOutcome(httpStatus: 200, body: body, from: .production)
        if case .notAnAnswer(let refusal) = outcome.meaning, refusal.code == .environmentContradicted {
            outcome = VerifyReceiptOutcome(httpStatus: 200, body: body, from: .sandbox)
        }
        var inspection = Inspection(kind: .verifyReceiptAnswer, result: .unsigned, meaning: Meaning.of(outcome))
        switch outcome.meaning {
        case .answer(let answer), .expired(let answer):
            guard let receipt = answer.latestReceipt else {
                inspection.result = .refused(.nothingSigned, .onlyTheAskerKnows)
                return inspection
            }
            inspection.inside.append(await inspect(base64: receipt, at: "latest_receipt"))
        case .notAnAnswer(let refusal):
            inspection.result = .refused(refusal)
        case .wrongEnvironment, .wrongSecret, .retry, .refused:
            inspection.result = .refused(.nothingSigned, outcome.status.map { .found("status \($0.rawValue)") } ?? .none)
        }
        return inspection
    }

    private func inspect(notificationV1 body: [UInt8]) async -> Inspection {
        let kind = Inspection.Kind.notificationV1
        do throws(LegacyRefusal) {
            let hint = try NotificationV1Hint(body: body)
            var inspection = Inspection(kind: kind, result: .unsigned, meaning: Meaning.of(hint))
            guard let receipt = hint.unifiedReceipt?.latestReceipt ?? hint.latestReceipt else {
                inspection.result = .refused(.nothingSigned, .versionOneWithoutReceipt)
                return inspection
            }
            inspection.inside.append(await inspect(base64: receipt, at: "latest_receipt"))
            return inspection
        } catch {
            return Inspection(kind: kind, result: .refused(error))
        }
    }

    /// A receipt in base64 inside something else: an app receipt or, before iOS 7, a transaction receipt.
    private func inspect(base64 text: String, at path: String) async -> Inspection {
        switch AppleArtifact(recognising: Array(text.utf8)) {
        case .appReceipt(let der): return await inspect(receipt: der, at: path)
        case .transactionReceipt(let list):
            var inspection = inspect(transactionReceipt: list)
            inspection.path = path
            return inspection
        default:
            return Inspection(kind: .appReceipt, path: path, result: .refused(.noReceipt))
        }
    }

    private func inspect(answer signed: [AppleArtifact.Signed]) async -> Inspection {
        var inspection = Inspection(kind: .serverAPIAnswer, result: .unsigned)
        for one in signed {
            var inner: Inspection
            if case .jws(let kind, let jws)? = AppleArtifact(recognising: one.jws) {
                inner = await inspect(kind, jws)
            } else {
                inner = Inspection(kind: .jws, result: .refused(.notThreeParts))
            }
            inner.path = one.path
            inspection.inside.append(inner)
        }
        return inspection
    }

    /// A bare number: what it may be, and how to learn more.
    private static func inspection(transactionId id: String) -> Inspection {
        Inspection(
            kind: .transactionId,
            result: .refused(.nothingSigned, .anyoneCanWriteIt),
            meaning: Meaning.of(transactionId: id))
    }

    /// A refusal of the App Store Server API: what it says, and whether asking again may help.
    private func inspect(error body: [UInt8]) -> Inspection {
        var inspection = Inspection(kind: .serverAPIError, result: .refused(.nothingSigned))
        do throws(JSONError) {
            let object = try JSONDocument(body).root.object
            guard let code = object?["errorCode"]?.int64.map(ServerAPIErrorCode.init(rawValue:)) else { return inspection }
            inspection.result = .refused(.nothingSigned, .found("errorCode \(code.rawValue)"))
            inspection.meaning = [
                .answer(.apiRefused(object?["errorMessage"]?.string)), .answer(.isRetryable(code.isRetryable)),
            ]
            return inspection
        } catch {
            return inspection
        }
    }
}

/// What became of a text that was to be inspected.
package enum Inspected: Sendable {
    case artifact(Inspection)
    /// It is nothing of Apple's; what it is instead.
    case unusable(UnusableForm)
}
