package import AppStoreWire

/// A reason to refuse an artifact.
package struct Refusal: Sendable, Hashable {
    package let code: RefusalCode
    package let detail: Detail

    /// What to do about it; nil where the refusal says everything.
    package var advice: Sentence? { code.advice?.sentence }

    /// Code and detail, in English, as `tenure inspect` prints it.
    package var line: String {
        let detail = detail.english
        return code.rawValue + (detail.isEmpty ? "" : ": \(detail)")
    }

    /// What it is about.
    package enum Detail: Sendable, Hashable {
        /// The code says all.
        case none
        /// What a reader found: the name of a field, a number, a certificate, the reason of a parser. English where it is prose.
        case found(String)
        /// The same, in a JWS inside.
        case inside(JWSRefusal.Part, String)
        case onlyAppleCanTell
        case verifiedWithItsKey
        /// The name of the certificate that signed, and whom it names as its issuer.
        case saidToBeIssued(leaf: String, issuer: String)
        case onlyTheAskerKnows
        case versionOneWithoutReceipt
        case anyoneCanWriteIt

        /// What a reader found, alone; nil where it is a sentence of ours.
        package var found: String? { if case .found(let text) = self { text } else { nil } }

        /// Nil where there is nothing to say, or only what a reader found.
        package func sentence(quoting quote: Sentence.Quoting) -> Sentence? {
            switch self {
            case .none, .found: nil
            case .inside(let part, let text):
                Sentence(
                    "in the \(part.rawValue)" + (text.isEmpty ? "" : ": \(quote(text))"),
                    "在 \(part.rawValue) 中" + (text.isEmpty ? "" : "：\(quote(text))"))
            case .onlyAppleCanTell: Sentence("only Apple can tell", "只有 Apple 知道")
            case .verifiedWithItsKey:
                Sentence("a server's own signature is verified with that server's key", "服务器自己的签名须用该服务器的密钥核验")
            case .saidToBeIssued(let leaf, let issuer):
                Sentence(
                    "the signature holds; \(quote(leaf)) is said to be issued by \(quote(issuer))",
                    "签名有效；\(quote(leaf)) 据称由 \(quote(issuer)) 颁发")
            case .onlyTheAskerKnows:
                Sentence("only the party that asked Apple knows that this is its answer", "只有询问 Apple 的一方知道这是它的答复")
            case .versionOneWithoutReceipt:
                Sentence("version 1 is not signed and contains no receipt", "版本 1 未经签名，且不含收据")
            case .anyoneCanWriteIt:
                Sentence(
                    "a transaction id is a number that anyone can write: it proves nothing by itself",
                    "交易标识符是任何人都能写的数字：它本身不证明任何事")
            }
        }

        /// In English, with text of others as it is; empty where the code says all.
        package var english: String { found ?? sentence { $0 }?.english ?? "" }
    }
}

/// The stable code of a reason, of whichever verifier or reader it is.
package enum RefusalCode: Sendable, Hashable {
    case inspection(InspectionCode)
    case jws(JWSRefusal.Code)
    case receipt(ReceiptRefusal.Code)
    case legacy(LegacyRefusal.Code)

    /// As it is printed.
    package var rawValue: String {
        switch self {
        case .inspection(let code): code.rawValue
        case .jws(let code): code.rawValue
        case .receipt(let code): code.rawValue
        case .legacy(let code): code.rawValue
        }
    }

    /// What it means.
    package var sentence: Sentence {
        switch self {
        case .inspection(let code): code.sentence
        case .jws(let code): code.sentence
        case .receipt(let code): code.sentence
        case .legacy(let code): code.sentence
        }
    }

    /// What can be done about it; nil: nothing.
    package var advice: Advice? {
        switch self {
        case .inspection(.issuerNotProved): .giveIntermediate
        case .inspection(.keyMissing): .giveKey
        case .jws(.rootNotTrusted), .receipt(.rootNotTrusted): .giveRoot
        case .jws(.chainLengthNotThree): .giveXcodeCertificate
        case .receipt(.notDER): .getItAgain
        case .jws(.signedDateInFuture), .receipt(.creationDateInFuture): .compareClock
        case .inspection, .jws, .receipt, .legacy: nil
        }
    }

    /// Every code that there is.
    package static let all: [RefusalCode] =
        InspectionCode.allCases.map { .inspection($0) } + JWSRefusal.Code.allCases.map { .jws($0) }
        + ReceiptRefusal.Code.allCases.map { .receipt($0) } + LegacyRefusal.Code.allCases.map { .legacy($0) }
}

/// What to do about a refusal, where there is something to do.
package enum Advice: Sendable, Hashable, CaseIterable {
    case giveRoot, giveXcodeCertificate, getItAgain, giveIntermediate, giveKey, compareClock

    package var sentence: Sentence {
        switch self {
        case .giveRoot:
            Sentence(
                "If a local App Store signed it, give that store's root with --root; if a copy of Xcode did, its certificate "
                    + "with --xcode-certificate. Otherwise no signer that you trust signed it: treat it as forged.",
                "如果由本地 App Store 签名，请用 --root 提供该商店的根证书；如果由某个 Xcode 签名，请用 --xcode-certificate 提供其证书。"
                    + "否则，签名者不是您所信任的：请视为伪造。")
        case .giveXcodeCertificate:
            Sentence(
                "Apple sends three certificates. One alone is Xcode's: give it with --xcode-certificate.",
                "Apple 发送三份证书。单独一份是 Xcode 的：请用 --xcode-certificate 提供。")
        case .getItAgain:
            Sentence(
                "It was changed or cut in transit; or a copy of Xcode made it: give its certificate with --xcode-certificate.",
                "它在传输中被改动或截断；或由某个 Xcode 生成：请用 --xcode-certificate 提供其证书。")
        case .giveIntermediate:
            Sentence(
                "Give the issuer's certificate with --intermediate to prove whose signature it is.",
                "请用 --intermediate 提供颁发者的证书，以证明是谁的签名。")
        case .giveKey:
            Sentence(
                "Give the public or private key of its kid with --key.", "请用 --key 提供其 kid 所指的公钥或私钥。")
        case .compareClock: Sentence("Compare the clock of this machine.", "请核对此计算机的时钟。")
        }
    }
}
