import AppStoreWire
import Primitives
import SimulatorPKI
import Testing

@testable import Backend

/// Apple's certificates come and go while facts that they signed are kept (F19).
@Suite struct `Certificates in the course of a year` {
    private static let june = PretendAppStore.june

    private static func day(_ count: Int64) -> Timestamp { june.adding(.days(count)) }

    /// An App Store that renews its leaf, then its intermediate with a new key, and that moves to another root in the end.
    private struct Renewing {
        /// Its leaf is valid for two seconds of the year, its intermediate for 130 days, its root to the end.
        let first: PretendAppStore
        /// A new leaf.
        let second: PretendAppStore
        /// A new intermediate of a new key beside the old one.
        let third: PretendAppStore
        /// Another root.
        let fourth: PretendAppStore

        init() throws {
            let receipts = try PretendAppStore.shared.get().receipts
            let start = day(-400)
            var shape = ChainShape.apple
            shape.leafValidity = start...june.adding(.seconds(2))
            shape.intermediateValidity = start...day(130)
            let first = try SigningAuthority(shape: shape, validity: start...day(365))
            let second = try first.renewingLeaf(validity: start...day(365))
            let third = try second.renewingIntermediate(validity: day(50)...day(600))
            let fourth = try SigningAuthority(validity: day(300)...day(5000))
            self.first = PretendAppStore(authority: first, receipts: receipts)
            self.second = PretendAppStore(authority: second, receipts: receipts)
            self.third = PretendAppStore(authority: third, receipts: receipts)
            self.fourth = PretendAppStore(authority: fourth, receipts: receipts)
        }

        var roots: TrustRoots { TrustRoots(fingerprints: [first.authority.rootFingerprint]) }
    }

    /// A server over the world's store that trusts these roots.
    private static func server(_ world: World, _ roots: TrustRoots) -> Backend {
        Backend(
            store: world.store, verifier: AppStoreVerifier(roots: roots), apps: Array(world.backend.apps.values),
            clock: world.clock)
    }

    /// What a server answers to a renewal of these days, signed when it begins or at another instant; nil: accepted.
    private static func renewal(
        _ period: Int64, by store: PretendAppStore, at server: Backend, signed: Timestamp? = nil
    ) async throws -> String? {
        let purchase = Purchase().renewed(period).with { $0.signedDate = signed ?? $0.signedDate }
        let body = try store.body(Notification("renewal \(period)", "DID_RENEW", about: purchase))
        return try await refusal { _ = try await server.receiveNotification(body, app: World.app) }
    }

    /// What Apple sends on a day, and what the server answers to it.
    private static func receive(_ day: Int64, of apple: Renewing, in world: World, _ server: Backend) async throws {
        switch day {
        case 0:
            world.clock.set(june.adding(.seconds(1)))
            let body = try apple.first.body(Notification("subscribed", about: Purchase()))
            _ = try await server.receiveNotification(body, app: World.app)
            // The leaf's two seconds are over: what it signs now is refused, what it signed before is not.
            world.clock.set(june.adding(.seconds(4)))
            let (late, inTime) = (june.adding(.seconds(3)), june.adding(.seconds(2)))
            #expect(try await renewal(0, by: apple.first, at: server, signed: late) == "signedDateOutsideChain")
            #expect(try await renewal(0, by: apple.first, at: server, signed: inTime) == nil)
        case 30, 90: #expect(try await renewal(day / 30, by: apple.second, at: server) == nil)
        case 150:
            #expect(try await renewal(5, by: apple.second, at: server) == "signedDateOutsideChain")
            #expect(try await renewal(5, by: apple.third, at: server) == nil)
        case 360:
            #expect(try await renewal(12, by: apple.fourth, at: server) == "rootNotTrusted")
            #expect(try await renewal(12, by: apple.third, at: server) == nil)
        case 361:  // The new root is configured: both are accepted.
            #expect(try await renewal(13, by: apple.fourth, at: server, signed: june.adding(.days(361))) == nil)
            #expect(try await renewal(14, by: apple.third, at: server, signed: june.adding(.days(361))) == nil)
        case let day where day < 360 && day % 30 == 0:
            #expect(try await renewal(day / 30, by: apple.third, at: server) == nil)
        default: break
        }
    }

    @Test
    func `F19 a renewed chain is accepted as it comes, what an ended one signed in time stays proved, and each end is told`()
        async throws
    {
        let apple = try Renewing()
        try await withWorld { world in
            var server = Self.server(world, apple.roots)
            var watch = CertificateWatch()
            var notices: [(day: Int64, notice: CertificateWatch.Notice)] = []
            for day in 0...400 as ClosedRange<Int64> {
                // Started again, with the new root in its configuration.
                if day == 361 {
                    server = Self.server(world, apple.roots.adding(fingerprint: apple.fourth.authority.rootFingerprint))
                }
                world.clock.set(Self.day(day))
                try await Self.receive(day, of: apple, in: world, server)
                notices += watch.look(at: server.authorities, Self.day(day)).map { (day, $0) }
            }
            // The old intermediate was the last one to sign from day 90 until day 120: 40 and 30 days before its end.
            let ofIntermediate = notices.filter { $0.notice.certificate.role == .intermediate }
            #expect(ofIntermediate.map(\.day) == [90, 100])
            #expect(ofIntermediate.allSatisfy { !$0.notice.isUrgent })
            let ofRoot = notices.filter { $0.notice.certificate.role == .root }
            #expect(ofRoot.map(\.day) == [305, 335, 358, 365])
            #expect(ofRoot.map(\.notice.isUrgent) == [false, false, true, true])
            #expect(ofRoot.allSatisfy { $0.notice.certificate.fingerprint == apple.first.authority.rootFingerprint })
            // All but the new root have ended; everything that is kept is verified again.
            let report = try await server.prove(ProofDepth(rebuild: true))
            #expect(report.findings == [])
            #expect(report.facts >= 15)
        }
    }

    @Test func `F19 a server that starts says once what ends soon, and a root that is given is known before anything comes`()
        throws
    {
        let authority = try SigningAuthority(validity: Self.june...Self.day(100))
        let verifier = AppStoreVerifier(roots: TrustRoots(fingerprints: []).adding(der: authority.rootDER))
        let known = verifier.authorities(signingSince: Self.june)
        #expect(known.map(\.notValidAfter) == [Self.day(100)])
        #expect(known.map(\.role) == [.root])
        var watch = CertificateWatch()
        #expect(watch.look(at: known, Self.day(39)) == [])
        let late = watch.look(at: known, Self.day(95))
        #expect(late.map(\.left) == [.days(5)])
        #expect(watch.look(at: known, Self.day(96)) == [])
        #expect(watch.look(at: known, Self.day(101)).map(\.left) == [.days(-1)])
        #expect(CertificateWatch.soonest(of: known, at: Self.day(39)) == nil)
        #expect(CertificateWatch.soonest(of: known, at: Self.day(40))?.left == .days(60))
        // A chain of which only the fingerprint of the root is known has signed nothing yet.
        let unknown = AppStoreVerifier(roots: TrustRoots(fingerprints: [authority.rootFingerprint]))
        #expect(unknown.authorities(signingSince: Self.june) == [])
    }
}
