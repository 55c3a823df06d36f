internal import Primitives
internal import SwiftASN1
internal import X509

/// How refusals describe certificates: by their place, counted from the leaf, their name and their SHA-256.
///
/// A name in a certificate can be any text: it is shortened, and nothing in it can end a line or its quotation marks.
enum ChainWords {
    /// Such as `certificate 2 of 3`; the first is the leaf, the last the root.
    static func place(_ index: Int, of count: Int) -> String { "certificate \(index + 1) of \(count)" }

    /// The place with the common name.
    static func place(_ index: Int, in chain: [Certificate]) -> String {
        named(place(index, of: chain.count), chain[index].subject)
    }

    /// How many certificates there are where Apple sends three.
    static func notThree(_ count: Int) -> String { "found \(count), expected 3" }

    /// A text, followed by the common name if there is one.
    static func named(_ words: String, _ name: DistinguishedName?) -> String {
        let common = name.map(Signer.commonName) ?? ""
        return common.isEmpty ? words : "\(words) (\(quoted(common)))"
    }

    /// A name in quotation marks, with at most 64 characters.
    static func quoted(_ name: String) -> String {
        let harmless = name.unicodeScalars.prefix(64).map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: "?"
            default: scalar == "\"" || scalar == "\\" ? "?" : String(scalar)
            }
        }
        return "\"" + harmless.joined() + "\""
    }

    /// An untrusted certificate, and those that would be trusted.
    static func untrusted(_ der: [UInt8], at index: Int, of count: Int, trusted: String) -> String {
        let subject: DistinguishedName?
        do {
            subject = try Certificate(derEncoded: der).subject
        } catch {
            subject = nil
        }
        let print = Hexadecimal.encode(TrustRoots.fingerprint(of: der))
        return "\(named(place(index, of: count), subject)) of SHA-256 \(print) is not trusted; trusted \(trusted)"
    }

    /// Which link of a chain is broken: the certificate that the next one did not issue. nil where each was issued by the next.
    ///
    /// It costs up to two more verifications, only for chains that are refused, and the outcome is remembered.
    static func brokenLink(_ chain: [Certificate]) -> String? {
        for index in chain.indices.dropLast() {
            let (certificate, issuer) = (chain[index], chain[index + 1])
            if certificate.issuer != issuer.subject {
                let wanted = quoted(Signer.commonName(certificate.issuer))
                return "\(place(index, in: chain)) names \(wanted) as its issuer, which is not \(place(index + 1, in: chain))"
            }
            if !issuer.publicKey.isValidSignature(certificate.signature, for: certificate) {
                return "\(place(index, in: chain)) was not signed by the key of \(place(index + 1, in: chain))"
            }
        }
        return nil
    }

    /// Which two certificates were never valid at the same time.
    static func neverValid(_ chain: [Certificate], starts: [Timestamp], ends: [Timestamp]) -> String {
        guard let late = starts.indices.max(by: { starts[$0] < starts[$1] }),
            let early = ends.indices.min(by: { ends[$0] < ends[$1] })
        else { return "" }
        return "\(place(late, in: chain)) is valid from \(starts[late]), \(place(early, in: chain)) until \(ends[early])"
    }
}

extension TrustRoots {
    /// A description of the roots for a purpose: names and SHA-256, always in the same order, at most eight.
    func words(for purpose: ChainVerifier.Purpose) -> String {
        var names = Self.appleNames
        for der in certificates {
            do {
                names[Self.fingerprint(of: der)] = Signer.commonName(try Certificate(derEncoded: der).subject)
            } catch {
                names[Self.fingerprint(of: der)] = "no certificate"
            }
        }
        return Self.words(purpose == .jws ? fingerprints : receiptFingerprints, names: names)
    }

    /// The same for Xcode's certificates; they are known by their SHA-256 alone.
    var xcodeWords: String { Self.words(xcodeFingerprints, names: [:]) }

    private static func words(_ fingerprints: Set<[UInt8]>, names: [[UInt8]: String]) -> String {
        let all = fingerprints.map { print in
            (names[print].map { ChainWords.quoted($0) + " " } ?? "") + Hexadecimal.encode(print)
        }
        guard !all.isEmpty else { return "is none" }
        let more = all.count > 8 ? " and \(all.count - 8) more" : ""
        return (all.count == 1 ? "is " : "are ") + all.sorted().prefix(8).joined(separator: ", ") + more
    }
}
