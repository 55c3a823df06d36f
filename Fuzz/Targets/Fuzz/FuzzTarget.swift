import AppStoreWire
import Foundation
import Primitives
import SimulatorPKI
import StrictJSON

/// One entry point for untrusted bytes; the raw value is the folder of its corpus.
enum FuzzTarget: String, CaseIterable {
    /// A compact JWS as it arrives.
    case jws
    /// The certificates of a header, three or one, each preceded by its length in two bytes.
    case x5c
    /// A payload under a valid signature; Foundation reads what is accepted as well.
    case payload
    /// An app receipt as it arrives.
    case receipt
    /// The content of an app receipt, without its signature.
    case receiptContent = "receipt-content"
    /// A transaction receipt from before iOS 7, and its purchase info without the signature.
    case plist
    /// A body of `/verifyReceipt`.
    case verifyReceipt = "verify-receipt"
    /// A notification of version 1.
    case notificationV1 = "notification-v1"
    /// An answer of the App Store Server API, read as each of the common responses.
    case serverAPI = "server-api"
    /// Any input of `tenure inspect`.
    case recognition
    /// JSON: what the strict reader accepts, Foundation accepts too, with the same values.
    case json

    func function() -> @Sendable ([UInt8]) -> Void {
        switch self {
        case .jws: { jws in Harness.shared.everyKind(jws) }
        case .x5c: { bytes in Harness.shared.header(bytes) }
        case .payload: { json in Harness.shared.payload(json) }
        case .receipt: { der in Harness.shared.receipt(der) }
        case .receiptContent: { content in Harness.receiptContent(content) }
        case .plist: { bytes in Harness.shared.propertyList(bytes) }
        case .verifyReceipt: { body in Harness.verifyReceipt(body) }
        case .notificationV1: { body in Harness.notificationV1(body) }
        case .serverAPI: { body in Harness.serverAPI(body) }
        case .recognition: { bytes in Harness.recognition(bytes) }
        case .json: { bytes in Harness.json(bytes) }
        }
    }
}

/// A signer of our own and a verifier that trusts it.
struct Harness: Sendable {
    static let shared = Harness()

    let authority: SigningAuthority
    let xcode: XcodeAuthority
    let verifier: AppStoreVerifier
    let app = ExpectedApp(bundleId: "com.example.tenure", appAppleId: 4711, environments: Set(Environment.allCases))
    let now = Timestamp(millisecondsSince1970: 1_780_000_060_000)

    init() {
        do {
            let year = Timestamp(millisecondsSince1970: 1_767_225_600_000)...Timestamp(millisecondsSince1970: 1_798_761_599_000)
            authority = try SigningAuthority(validity: year)
            xcode = try XcodeAuthority(validity: year)
            verifier = AppStoreVerifier(
                roots: TrustRoots(fingerprints: []).adding(der: authority.rootDER).adding(xcodeCertificate: xcode.certificateDER))
        } catch {
            violated("the harness has no keys: \(error)")
        }
    }

    /// Nothing here is signed, so nothing may be accepted.
    func everyKind(_ jws: [UInt8]) {
        wait { harness in
            let results = [
                await harness.verifier.transaction(jws, for: harness.app, at: harness.now).isSuccess,
                await harness.verifier.renewalInfo(jws, for: harness.app, at: harness.now).isSuccess,
                await harness.verifier.appTransaction(jws, for: harness.app, at: harness.now).isSuccess,
                await harness.verifier.realtimeRequest(jws, for: harness.app, at: harness.now).isSuccess,
                await harness.verifier.notification(jws, for: harness.app, at: harness.now).isSuccess,
            ]
            if results.contains(true) { violated("an unsigned JWS was accepted") }
        }
        _ = NotificationBody.signedPayload(in: jws)
    }

    func header(_ bytes: [UInt8]) {
        var certificates: [[UInt8]] = []
        var rest = bytes[...]
        while rest.count > 2, certificates.count < 3 {
            let length = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
            certificates.append(Array(rest.dropFirst(2).prefix(length)))
            rest = rest.dropFirst(2 + length)
        }
        // A trusted root at the end gets the fuzzer past the first check.
        if certificates.count == 2 { certificates.append(authority.rootDER) }
        guard let jws = try? authority.sign(payload: Array("{}".utf8), header: SigningAuthority.header(x5c: certificates)) else {
            return
        }
        let signed = Array(jws.utf8)
        wait { harness in
            if await harness.verifier.transaction(signed, for: harness.app, at: harness.now).isSuccess {
                violated("{} was accepted as a transaction")
            }
        }
    }

    func payload(_ json: [UInt8]) {
        guard let jws = try? authority.sign(payload: json) else { return }
        let signed = Array(jws.utf8)
        wait { harness in
            if case .success(let verified) = await harness.verifier.transaction(signed, for: harness.app, at: harness.now) {
                Self.compare(verified.payload, json)
            }
            _ = await harness.verifier.renewalInfo(signed, for: harness.app, at: harness.now)
            _ = await harness.verifier.appTransaction(signed, for: harness.app, at: harness.now)
            _ = await harness.verifier.realtimeRequest(signed, for: harness.app, at: harness.now)
            _ = await harness.verifier.notification(signed, for: harness.app, at: harness.now)
        }
    }

    func receipt(_ der: [UInt8]) {
        wait { harness in
            if await harness.verifier.appReceipt(der, for: harness.app, at: harness.now).isSuccess {
                violated("an unsigned receipt was accepted")
            }
        }
        _ = ReceiptEncoding.bytes(base64: der)
    }

    /// The in-place reader and the general parser must agree on what is well formed.
    static func receiptContent(_ content: [UInt8]) {
        do throws(ReceiptRefusal) {
            _ = try AppReceiptPayload(content, in: content.indices)
            if !GeneralReceiptParser.reads(content) { violated("the general parser refuses it") }
        } catch {
            // An impossible value ends the reading early and says nothing about the form of what follows.
            if error.code == .contentMalformed, GeneralReceiptParser.reads(content) { violated("the general parser reads it") }
        }
    }

    func propertyList(_ bytes: [UInt8]) {
        if case .success(.proved) = verifier.transactionReceipt(bytes, for: app, at: now) { violated("no issuer is configured") }
        _ = try? TransactionReceiptPayload(purchaseInfo: bytes, environment: nil)
    }

    static func verifyReceipt(_ body: [UInt8]) {
        let outcome = VerifyReceiptOutcome(httpStatus: 200, body: body, from: .sandbox)
        if outcome.body != body { violated("the body was changed") }
    }

    static func notificationV1(_ body: [UInt8]) {
        guard let hint = try? NotificationV1Hint(body: body) else { return }
        _ = hint.meaning
        _ = hint.hasPassword(equalTo: "secret")
    }

    static func serverAPI(_ body: [UInt8]) {
        let now = Timestamp(millisecondsSince1970: 1_780_000_000_000)
        let status = body.first.map { $0 % 2 == 0 ? 200 : 429 } ?? 200
        let reply = ServerAPIReply(
            status: status, headers: [.init(name: "Content-Type", value: "application/json")], body: Array(body.dropFirst()))
        do throws(ServerAPIRequestError) {
            _ = try ServerAPICall.getAllSubscriptionStatuses(anyTransactionId: "1").answer(to: reply, at: now)
            _ = try ServerAPICall.getTransactionHistory(anyTransactionId: "1").answer(to: reply, at: now)
            _ = try ServerAPICall.getTestNotificationStatus(testNotificationToken: "1").answer(to: reply, at: now)
        } catch {
            violated("our own call was refused")
        }
    }

    static func recognition(_ bytes: [UInt8]) {
        guard case .artifact(let artifact, _) = Recognition(of: bytes) else { return }
        switch artifact {
        case .jws(_, let jws), .ownJWS(let jws): _ = ClaimedApp(jws: jws)
        case .appReceipt(let der): _ = ClaimedApp(receipt: der)
        case .transactionReceipt(let list): _ = ClaimedApp(transactionReceipt: list)
        case .serverAPIAnswer(_, let signed): for one in signed { _ = ClaimedApp(jws: one.jws) }
        default: break
        }
    }

    static func json(_ bytes: [UInt8]) {
        guard let document = try? JSONDocument(bytes) else { return }
        do {
            let foundation = try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
            if !hasByteOrderMark(bytes), !same(document.root, foundation) { violated("Foundation reads another value") }
        } catch {
            // RFC 8259 lets a number be of any size; Foundation gives up on those beyond a Double.
            if !"\(error)".contains("not representable") { violated("Foundation refuses it: \(error)") }
        }
    }

    private func wait(_ body: @escaping @Sendable (Harness) async -> Void) {
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            await body(self)
            done.signal()
        }
        done.wait()
    }
}

extension Result {
    var isSuccess: Bool {
        if case .success = self { return true }
        return false
    }
}
