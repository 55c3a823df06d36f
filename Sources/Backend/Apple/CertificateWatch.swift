package import AppStoreWire
package import Primitives

/// Says in time that a certificate ends on which the trust in what Apple signs rests (F19): 60, 30 and 7 days before, and when it
/// is over.
package struct CertificateWatch: Sendable {
    /// So long before its end a certificate is spoken of, each once while a server runs.
    package static let warnings: [Milliseconds] = [.days(60), .days(30), .days(7), Milliseconds(0)]
    /// A chain that signed nothing for so long is not in use.
    static let inUse = Milliseconds.days(30)

    /// How long before each end was spoken of last, by the fingerprint.
    private var said: [[UInt8]: Milliseconds] = [:]

    package init() {}

    /// A certificate that ends soon, or has ended.
    package struct Notice: Sendable, Hashable {
        package let certificate: AuthorityCertificate
        /// What is left of it; zero or negative where it is over.
        package let left: Milliseconds

        /// Whether it is time to leave other work for this: a week is left, or less.
        package var isUrgent: Bool { left <= .days(7) }
    }

    /// The certificate nearest to its end of a list, where 60 days or less are left.
    package static func soonest(of certificates: [AuthorityCertificate], at now: Timestamp) -> Notice? {
        certificates.min().map { Notice(certificate: $0, left: $0.notValidAfter.since(now)) }.flatMap {
            $0.left <= warnings[0] ? $0 : nil
        }
    }

    /// What is to be said of the certificates as they are now.
    package mutating func look(at certificates: [AuthorityCertificate], _ now: Timestamp) -> [Notice] {
        certificates.compactMap { certificate in
            let left = certificate.notValidAfter.since(now)
            guard let passed = Self.warnings.last(where: { left <= $0 }) else { return nil }
            if let last = said[certificate.fingerprint], last <= passed { return nil }
            said[certificate.fingerprint] = passed
            return Notice(certificate: certificate, left: left)
        }
    }
}

extension Backend {
    /// The certificates of authorities on which trust rests now: the roots whose end is known, and what signed lately.
    package var authorities: [AuthorityCertificate] {
        let now = clock.now()
        return verifier.authorities(signingSince: now.adding(Milliseconds(-CertificateWatch.inUse.count)))
    }
}
