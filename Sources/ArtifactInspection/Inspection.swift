package import AppStoreWire
package import Primitives
package import StrictJSON

/// The result for one artifact: what is known about it, and the reason against it if there is one.
package struct Inspection: Sendable {
    package internal(set) var kind: Kind
    /// Where it was inside another one; nil: by itself.
    package internal(set) var path: String?
    package internal(set) var result: Outcome
    /// Its content, as JSON, where the signature is valid but the signer is not trusted.
    package internal(set) var unproved: [UInt8]?
    /// What it means, one sentence each.
    package internal(set) var meaning: [Meaning] = []
    /// JWS and receipts inside it, each inspected by itself.
    package internal(set) var inside: [Inspection] = []
    /// The wrapping that was removed before it was read.
    package internal(set) var wrappings: [TextWrapping] = []

    /// What it is. Raw values are stable.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case notification, transaction, renewalInfo, appTransaction, realtimeRequest
        /// A JWS of no known kind.
        case jws
        case ownJWS, appReceipt, transactionReceipt, verifyReceiptAnswer, notificationV1, serverAPIAnswer, serverAPIError
        case transactionId

        init(_ kind: AppleArtifact.JWSKind) {
            self =
                switch kind {
                case .notification: .notification
                case .transaction: .transaction
                case .renewalInfo: .renewalInfo
                case .appTransaction: .appTransaction
                case .realtimeRequest: .realtimeRequest
                }
        }

        /// Its name, in the middle of a sentence.
        package var name: Sentence {
            switch self {
            case .notification: Sentence("notification", "通知")
            case .transaction: Sentence("transaction", "交易")
            case .renewalInfo: Sentence("renewal info", "续订信息")
            case .appTransaction: Sentence("app transaction", "App 交易")
            case .realtimeRequest: Sentence("real-time request of the App Store", "App Store 的实时请求")
            case .jws: Sentence("JWS of no known kind", "种类未知的 JWS")
            case .ownJWS: Sentence("JWS that a server of yours signed", "由您的服务器签名的 JWS")
            case .appReceipt: Sentence("app receipt", "App 收据")
            case .transactionReceipt: Sentence("transaction receipt from before iOS 7", "iOS 7 之前的交易收据")
            case .verifyReceiptAnswer: Sentence("answer of /verifyReceipt", "/verifyReceipt 的答复")
            case .notificationV1: Sentence("notification of version 1", "版本 1 的通知")
            case .serverAPIAnswer: Sentence("answer of the App Store Server API", "App Store Server API 的答复")
            case .serverAPIError: Sentence("refusal of the App Store Server API", "App Store Server API 的拒绝")
            case .transactionId: Sentence("transaction id", "交易标识符")
            }
        }
    }

    package enum Outcome: Sendable {
        /// Its signature is valid and the signer is trusted.
        case verified(Evidence)
        /// It was signed by a key of ours.
        case verifiedOwn(OwnEvidence)
        /// It was read, but it is not signed: only what is inside can be verified.
        case unsigned
        case refused(Refusal)
    }

    /// What is known about a verified artifact.
    package struct Evidence: Sendable {
        /// Nil where it is not signed.
        package let environment: Environment?
        package let signedDate: Timestamp
        package let signer: Signer?
        /// Its content, as JSON.
        package let payload: [UInt8]
    }

    /// What is known about an artifact that a key of ours signed.
    package struct OwnEvidence: Sendable {
        /// `iat`; nil where there is none.
        package let signedDate: Timestamp?
        /// The claims, JSON.
        package let payload: [UInt8]
    }

    /// Its content, if it was verified.
    private var payload: [UInt8]? {
        switch result {
        case .verified(let evidence): evidence.payload
        case .verifiedOwn(let evidence): evidence.payload
        case .unsigned, .refused: nil
        }
    }

    /// What is shown of its content, whether it is proved or not: JSON. Nil where nothing could be read.
    package var shownPayload: [UInt8]? { payload ?? unproved }

    /// What is known about it where it is verified; nil where it is not, or where a key of ours signed it.
    package var evidence: Evidence? { if case .verified(let evidence) = result { evidence } else { nil } }

    /// The subscriptions that it and what is inside it name, each once; in their order.
    package var originalTransactionIds: [String] {
        var ids: [String] = []
        for id in named + inside.flatMap(\.originalTransactionIds) where !ids.contains(id) { ids.append(id) }
        return ids
    }

    private var named: [String] {
        guard let shownPayload else { return [] }
        do throws(JSONError) {
            guard let object = try JSONDocument(shownPayload).root.object else { return [] }
            let purchases = object["inApp"]?.array?.compactMap { $0.object?["originalTransactionId"]?.string } ?? []
            return [object["originalTransactionId"]?.string].compactMap { $0 } + purchases
        } catch {
            return []
        }
    }

    /// Whether all of it is verified: it is signed itself, and its signature and all signatures inside it are valid.
    package var isVerified: Bool {
        if case .unsigned = result { return false }
        return refusal == nil
    }

    /// The first reason to refuse it or anything inside it.
    package var refusal: Refusal? {
        if case .refused(let refusal) = result { return refusal }
        return inside.lazy.compactMap(\.refusal).first
    }
}

extension Inspection.Outcome {
    /// Refused by `inspect` itself.
    static func refused(_ code: InspectionCode, _ detail: Refusal.Detail = .none) -> Self {
        .refused(Refusal(code: .inspection(code), detail: detail))
    }

    /// Refused for a reason of the JWS verifier.
    static func refused(_ code: JWSRefusal.Code, _ detail: Refusal.Detail = .none) -> Self {
        .refused(Refusal(code: .jws(code), detail: detail))
    }

    static func refused(_ refusal: ReceiptRefusal) -> Self {
        .refused(Refusal(code: .receipt(refusal.code), detail: .found(refusal.detail)))
    }

    static func refused(_ refusal: LegacyRefusal) -> Self {
        .refused(Refusal(code: .legacy(refusal.code), detail: .found(refusal.detail)))
    }
}

extension Inspection {
    /// The report, without indentation: one JSON object.
    package func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("kind", kind.rawValue)
            json.optionalMember("path", path)
            if !wrappings.isEmpty {
                json.member("unwrapped") { $0.array { json in wrappings.forEach { json.string($0.rawValue) } } }
            }
            json.member("verified", isVerified)
            switch result {
            case .verified(let evidence): evidence.write(to: &json)
            case .verifiedOwn(let evidence): json.optionalInstant("signedDate", evidence.signedDate)
            case .unsigned: json.member("signedBy", "nobody; see inside")
            case .refused(let refusal): json.member("refusal") { refusal.write(to: &$0) }
            }
            if !meaning.isEmpty { json.member("meaning") { $0.array { json in meaning.forEach { json.string($0.english) } } } }
            if let payload { json.member("payload") { $0.raw(payload) } }
            if let unproved { json.member("unproved") { $0.raw(unproved) } }
            if !inside.isEmpty { json.member("inside") { $0.array { json in inside.forEach { $0.write(to: &json) } } } }
        }
    }
}

extension Refusal {
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("code", code.rawValue)
            if !detail.english.isEmpty { json.member("detail", detail.english) }
            json.optionalMember("advice", advice?.english)
        }
    }
}

extension Inspection.Evidence {
    fileprivate func write(to json: inout JSONWriter) {
        if let environment { json.member("environment", environment.rawValue) }
        json.member("signedDate") { $0.instant(signedDate) }
        guard let signer else { return }
        json.member("signedBy") {
            $0.object { json in
                json.member("authority", signer.authority.rawValue)
                json.member("name", signer.leafName)
                json.member("serial", signer.leafSerial)
                json.member("sha256", Hexadecimal.encode(signer.leafFingerprint))
                json.optionalMember("intermediateSHA256", signer.intermediateFingerprint.map { Hexadecimal.encode($0) })
                json.member("root") {
                    $0.object { json in
                        json.member("name", signer.rootName)
                        json.member("sha256", Hexadecimal.encode(signer.rootFingerprint))
                    }
                }
            }
        }
    }
}

extension JSONWriter {
    /// An instant as Apple writes it and as people read it.
    mutating func instant(_ instant: Timestamp) {
        object { json in
            json.member("milliseconds", instant.millisecondsSince1970)
            json.member("utc", "\(instant)")
        }
    }

    /// A member that is an instant, left out when it is nil.
    mutating func optionalInstant(_ name: StaticString, _ instant: Timestamp?) {
        if let instant { member(name) { $0.instant(instant) } }
    }
}
