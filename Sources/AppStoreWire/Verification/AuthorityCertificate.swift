public import Primitives
internal import SwiftASN1
internal import Synchronization
internal import X509

/// The certificate of an authority on which the trust in what Apple signs rests, and until when.
///
/// Apple renews its intermediates every few years and its roots after decades. An intermediate that ends needs nothing of us: its
/// successor is accepted as soon as it signs. After the end of a root nothing that is signed under it is accepted, so that the
/// root that follows must be configured before.
///
/// Source: RFC 5280, section 4.1.2.5 (validity); Apple PKI, https://www.apple.com/certificateauthority/.
public struct AuthorityCertificate: Sendable, Hashable {
    /// The place in a chain.
    public enum Role: String, Sendable, Hashable {
        case root, intermediate
    }

    /// Its place in a chain.
    public let role: Role
    /// The common name, for display; empty where it has none.
    public let name: String
    /// The SHA-256 of the DER: 32 bytes.
    public let fingerprint: [UInt8]
    /// The last instant at which it is valid.
    public let notValidAfter: Timestamp

    package init(role: Role, name: String, fingerprint: [UInt8], notValidAfter: Timestamp) {
        self.role = role
        self.name = name
        self.fingerprint = fingerprint
        self.notValidAfter = notValidAfter
    }

    init(_ certificate: Certificate, _ role: Role, fingerprint: [UInt8]) {
        self.init(
            role: role, name: Signer.commonName(certificate.subject), fingerprint: fingerprint,
            notValidAfter: certificate.lastInstant)
    }
}

extension TrustRoots {
    /// The trusted roots whose end is known, the next one to end first: Apple's, and those that were given as a whole. Of a root
    /// that was given by its fingerprint alone nothing is known until it stands in a chain.
    public var authorities: [AuthorityCertificate] {
        let apples = Self.appleEnds.filter { fingerprints.union(receiptFingerprints).contains($0.key) }.map { print, end in
            AuthorityCertificate(role: .root, name: Self.appleNames[print] ?? "", fingerprint: print, notValidAfter: end)
        }
        let given = certificates.compactMap { der -> AuthorityCertificate? in
            do {
                return AuthorityCertificate(
                    try Certificate(derEncoded: der), .root, fingerprint: Self.fingerprint(of: der))
            } catch {
                return nil  // It can be the root of no chain either.
            }
        }
        return Set(apples + given).sorted()
    }

    /// When Apple's own roots end: `notAfter` of the certificates at https://www.apple.com/certificateauthority/.
    private static let appleEnds: [[UInt8]: Timestamp] = [
        appleRootG3: Timestamp(millisecondsSince1970: 2_187_800_346_000),  // 2039-04-30T18:19:06Z
        appleRoot: Timestamp(millisecondsSince1970: 2_054_670_036_000),  // 2035-02-09T21:40:36Z
    ]
}

extension AuthorityCertificate: Comparable {
    /// By their ends; of the same instant by their fingerprints.
    public static func < (left: AuthorityCertificate, right: AuthorityCertificate) -> Bool {
        guard left.notValidAfter == right.notValidAfter else { return left.notValidAfter < right.notValidAfter }
        return left.fingerprint.lexicographicallyPrecedes(right.fingerprint)
    }
}

extension AppStoreVerifier {
    /// The authorities on which trust rests now, the next one to end first: the roots whose end is known, and of each root under
    /// which something was signed lately the chain that signed last. So an intermediate that has a successor is not named any
    /// more, nor is one that only old evidence names.
    ///
    /// - Parameter since: the signing date from which on a chain counts as in use.
    public func authorities(signingSince since: Timestamp) -> [AuthorityCertificate] {
        let chains = (chains.remembered + receipts.chains.remembered).filter { $0.use.lastSigned >= since }
        let last = Dictionary(grouping: chains) { $0.signer.rootFingerprint }.values.compactMap { chains in
            chains.max { $0.use.lastSigned < $1.use.lastSigned }
        }
        return Set(roots.authorities + last.flatMap(\.authorities)).sorted()
    }
}

/// The newest date that a chain signed, among what was verified; one for each chain that is remembered.
final class ChainUse: Sendable {
    private let newest = Atomic(Int64.min)

    /// The signing date; long before 1970 where nothing was verified yet.
    var lastSigned: Timestamp { Timestamp(millisecondsSince1970: newest.load(ordering: .relaxed)) }

    /// Something that was signed at this date is verified.
    func note(_ signingDate: Timestamp) {
        let date = signingDate.millisecondsSince1970
        // Mostly one load: what comes in is seldom the newest by much, and a store costs other cores their cached copy.
        guard date > newest.load(ordering: .relaxed) else { return }
        newest.max(date, ordering: .relaxed)
    }
}
