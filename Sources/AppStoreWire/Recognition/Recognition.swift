internal import Primitives

/// The input without its wrapping: an artifact, or what it is instead of one.
package enum Recognition: Sendable, Hashable {
    /// An artifact, and the wrapping that was removed, the outermost first.
    case artifact(AppleArtifact, wrappings: [TextWrapping])
    /// Nothing that can be proved or refused.
    case unusable(UnusableForm)

    /// Recognises bytes as they come from a file, a clipboard, a log or a debugger. Time and memory are in proportion to them.
    package init(of bytes: [UInt8]) {
        var text = bytes
        var wrappings: [TextWrapping] = []
        while true {
            let found = AppleArtifact(recognising: text)
            if let found, !Self.isStillWrapped(found) {
                self = .artifact(found, wrappings: wrappings)
                return
            }
            guard wrappings.count < Self.mostWrappings, let (wrapping, inner) = Self.unwrapped(text) else {
                self =
                    found.map { .artifact($0, wrappings: wrappings) }
                    ?? .unusable(UnusableForm(bytes, unwrapped: text))
                return
            }
            wrappings.append(wrapping)
            text = inner
        }
    }

    /// More layers do not occur by mistake; each one costs a pass over the text.
    private static let mostWrappings = 6

    /// A JWS is recognised by its first two parts: escapes and white space may remain in the third.
    private static func isStillWrapped(_ artifact: AppleArtifact) -> Bool {
        switch artifact {
        case .jws(_, let text), .ownJWS(let text): text.contains { $0 == UInt8(ascii: "\\") || TextWrapping.isSpace($0) }
        default: false
        }
    }

    private static func unwrapped(_ text: [UInt8]) -> (TextWrapping, [UInt8])? {
        for wrapping in TextWrapping.allCases {
            if let inner = wrapping.removed(from: text) { return (wrapping, inner) }
        }
        return nil
    }
}

/// What something is that is no artifact of Apple's, as far as its form tells: for a message that helps to find the right
/// input.
package enum UnusableForm: String, Sendable, Hashable, CaseIterable {
    /// Nothing, or white space.
    case empty
    /// Several numbers: transaction ids, as it seems.
    case severalNumbers
    /// A private key in PEM.
    case privateKey
    /// A public key in PEM.
    case publicKey
    /// A certificate, in PEM, DER or base64.
    case certificate
    /// It begins like a JWS but does not have three parts.
    case incompleteJWS
    /// A JWS that names neither certificates nor a key: it does not come from the App Store.
    case otherJWS
    /// It begins like a JSON object but is not one, or one that strict readers refuse.
    case brokenJSON
    /// A JSON object without the members of any body of Apple's.
    case otherJSON
    /// It begins like a receipt in base64 but is not base64.
    case brokenBase64
    /// Base64 of something else.
    case otherBase64
    /// None of these.
    case other

    /// - Parameters:
    ///   - bytes: the input.
    ///   - text: the same without the wrapping that could be removed.
    init(_ bytes: [UInt8], unwrapped text: [UInt8]) {
        let trimmed = AppleArtifact.trimmed(text)
        self =
            if trimmed.isEmpty {
                .empty
            } else if Self.areNumbers(AppleArtifact.trimmed(bytes)) {
                .severalNumbers
            } else if Self.isArmoured(bytes, as: "PRIVATE KEY") {
                .privateKey
            } else if Self.isArmoured(bytes, as: "PUBLIC KEY") {
                .publicKey
            } else if Self.isArmoured(bytes, as: "CERTIFICATE") || TrustRoots.isCertificate(text) {
                .certificate
            } else {
                Self.form(of: trimmed)
            }
    }

    private static func form(of text: [UInt8]) -> UnusableForm {
        if text.first == UInt8(ascii: "{") { return AppleArtifact.object(text) == nil ? .brokenJSON : .otherJSON }
        if text.starts(with: AppleArtifact.jwsBeginning) {
            return text.count { $0 == UInt8(ascii: ".") } == 2 ? .otherJWS : .incompleteJWS
        }
        // Words of a sentence are base64 too, once the spaces between them are skipped.
        if !text.contains(0x20), case .success(let decoded) = ReceiptEncoding.bytes(base64: text) {
            return TrustRoots.isCertificate(decoded) ? .certificate : .otherBase64
        }
        // How DER of more than 127 bytes begins in base64.
        return text.starts(with: Array("MI".utf8)) ? .brokenBase64 : .other
    }

    private static func areNumbers(_ text: [UInt8]) -> Bool {
        let words = text.split { TextWrapping.isSpace($0) || $0 == UInt8(ascii: ",") }
        return words.count > 1 && words.allSatisfy { $0.allSatisfy(AppleArtifact.isDigit) }
    }

    /// Whether the bytes are a PEM with this label.
    private static func isArmoured(_ bytes: [UInt8], as label: String) -> Bool {
        bytes.firstRange(of: Array("-----BEGIN ".utf8)) != nil && bytes.firstRange(of: Array("\(label)-----".utf8)) != nil
    }
}
