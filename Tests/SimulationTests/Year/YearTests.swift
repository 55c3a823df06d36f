import AppStoreSimulator
import Backend
import Foundation
import HummingbirdTesting
import Primitives
import Storage
import Testing

@Suite struct `A year of lives` {
    /// A fixed slice; `make year` has the whole.
    @Test
    func `ENT-12 RECON-1 RECON-2 a year with lost notifications, outages and deaths: the ledger is right, nobody is denied`()
        async throws
    {
        try await AskingSite.open(AppleAccess(share: 50)) { site in
            let server = MortalServer(site)
            let door = NotificationDoor(to: server)
            try await door.application().test(.live) { hook in
                try await site.simulator.setNotificationURL("http://127.0.0.1:\(try #require(hook.port))/notifications")
                let started = ContinuousClock.now
                var year = YearOfLives(.asked, at: site, server, door)
                try await year.play()
                let differences = try await year.differences()
                let living = try #require(server.living)
                let findings = try await living.backend.prove(ProofDepth(rebuild: true)).findings
                print(try await Self.words(year), "· \((ContinuousClock.now - started).components.seconds) s")
                let figures = year.figures
                let seed = "seed \(year.size.seed)"
                #expect(figures.denials == [], "\(seed): \(figures.denials.count) denials")
                #expect(figures.overstays == [], "\(seed): \(figures.overstays.count) stay")
                #expect(differences == [], "\(seed): \(differences.count) differences")
                #expect(findings == [], "\(seed)")
                #expect(figures.polls + figures.unanswered >= year.size.polls * 9 / 10 && figures.payers > figures.polls / 3)
                #expect(figures.compared == year.size.lives)
                #expect(server.deaths > 0 && door.lost > 0 && door.refusals > 0)
                try server.stop()
            }
        }
    }

    private static func words(_ year: YearOfLives) async throws -> String {
        let (figures, door) = (year.figures, year.door)
        let app = try await year.site.simulator.app(nil)
        let calls = await year.site.simulator.callCounts(of: app, in: .production).map { "\($0.endpoint) \($0.count.calls)" }
        let acts = figures.acts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return """
            year: \(year.size.lives) lives, \(year.size.days) days, seed \(year.size.seed) · \(figures.polls) polls answered, \
            of payers \(figures.payers), denials \(figures.denials.count), unheard \(figures.unheard), \
            overstays \(figures.overstays.count), no server \(figures.unanswered) · notifications \(door.sent), \
            lost \(door.lost), refused \(door.refusals) · deaths \
            \(year.server.deaths) · uploads \(figures.uploads) · calls: \(calls.sorted().joined(separator: ", ")) · compared \
            \(figures.compared) subscriptions, \(figures.periods) periods · acts: \(acts.joined(separator: ", ")), refused \
            \(figures.refusedActs)
            """
    }
}
