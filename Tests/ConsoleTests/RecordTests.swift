import Backend
import HTTPTypes
import HummingbirdTesting
import Ledger
import Primitives
import Storage
import StorageSQLite
import StrictJSON
import Testing

@testable import Console

/// What a subscription's page says of seals and endpoints, and the page of operations of backups.
@Suite struct `What was kept` {
    private static let page = Pages.path(.subscription(OriginalTransactionID("1001"), at: nil))

    private static func rows(_ key: String, _ path: String, _ client: any TestClientProtocol) async throws -> [JSONObject] {
        let object = try #require(try JSONDocument(try await client.json(path, as: .operator).bytes).root.object)
        return try #require(object[key]?.array?.compactMap { $0.object })
    }

    @Test func `shows the hash of each audit row and the seal that covers it, and of a new row that none does`() async throws {
        try await withConsole { world in
            let key = SubscriptionKey(
                app: ConsoleWorld.app, environment: .production, originalTransactionId: OriginalTransactionID("1001"))
            #expect(try await world.backend.seal() > 0)
            let sealed = try await world.store.auditRows(of: key, after: 0, limit: 100)
            world.clock.set(PretendAppStore.june.adding(.days(90)))
            let refunded = Purchase().with {
                ($0.transactionId, $0.webOrderLineItemId) = ("1003", "91003")
                ($0.purchaseDate, $0.expiresDate) = (
                    PretendAppStore.june.adding(.days(80)), PretendAppStore.june.adding(.days(110))
                )
                ($0.revocationDate, $0.signedDate) = (
                    PretendAppStore.june.adding(.days(89)), PretendAppStore.june.adding(.days(90))
                )
            }
            try await world.hear(Notification("00000000-0000-4000-8000-000000000009", "REFUND", about: refunded))
            let all = try await world.store.auditRows(of: key, after: 0, limit: 100)
            #expect(all.count > sealed.count && !sealed.isEmpty)
            try await world.application().test(.router) { client in
                for path in [Self.page, Pages.path(.records(key.originalTransactionId, .audit, before: nil))] {
                    let rows = try await Self.rows("audit", path, client)
                    #expect(rows.map { $0["hash"]?.string } == all.reversed().map { Hexadecimal.encode($0.hash) })
                    let seals = rows.reversed().map { $0["seal"]?.int64.map { "\($0)" } ?? $0["seal"]?.string ?? "?" }
                    #expect(seals == all.map { $0.sequence <= Int64(sealed.count) ? "1" : "none" })
                }
                #expect(try await client.open(Self.page).text.contains("not sealed yet"))
                #expect(try await client.open(Self.page, .simplifiedChinese).text.contains("尚未封印"))
            }
        }
    }

    @Test func `shows of each event whether every endpoint that wants it has it`() async throws {
        try await withConsole { world in
            let clock = StandingClock(PretendAppStore.june.adding(.days(100)))
            let receiver = PretendReceiver(clock)
            let desk = DeliveryDesk(world.backend, courier: receiver, clock: clock, worker: "a", chance: { 0.5 })
            var order = EndpointOrder(url: "https://receiver.example/")
            (order.types, order.environments) = (["owner.*"], [.production])
            order.since = Timestamp(millisecondsSince1970: 0)
            let name = EndpointName(ConsoleWorld.app, "crm")
            _ = try await desk.save(order, as: name, taken: [.production])
            var dependencies = world.dependencies
            dependencies.deliveries = desk
            let application = world.application(dependencies)
            try await application.test(.router) { client in
                func states() async throws -> [String: Set<String>] {
                    let rows = try await Self.rows("events", Self.page, client)
                    return Dictionary(
                        rows.map { ($0["type"]?.string ?? "", Set([$0["state"]?.string ?? ""])) }
                    ) { $0.union($1) }
                }
                let before = try await states()
                #expect(before["owner.changed"] == ["waiting"] && before["subscription.renewed"] == ["unwanted"])
                try await desk.send(to: name, clock)
                let after = try await states()
                #expect(after["owner.changed"] == ["delivered"] && after["subscription.renewed"] == ["unwanted"])
                let rows = try await Self.rows("events", Self.page, client)
                let row = try #require(rows.first { $0["type"]?.string == "owner.changed" })
                let told = row["endpoints"]?.array?.compactMap { $0.array?.compactMap { $0.string } }
                #expect(told == [["crm", "delivered", "\(clock.now())"]])
                #expect(try await client.open(Self.page).text.contains("no endpoint wants it"))
                let list = Pages.path(.records(OriginalTransactionID("1001"), .events, before: 2))
                #expect(try await Self.rows("events", list, client).map { $0["sequence"]?.int64 } == [1])
            }
        }
    }

    /// Without webhooks there is nothing to say of endpoints.
    @Test func `says nothing of endpoints where no webhooks are served`() async throws {
        try await withConsole { world in
            try await world.application().test(.router) { client in
                let rows = try await Self.rows("events", Self.page, client)
                #expect(!rows.isEmpty && rows.allSatisfy { $0["state"] == nil && $0["endpoints"] == nil })
            }
        }
    }

    @Test(arguments: [
        (Language.english, "no backup was made by tenure backup", "copy-7.sqlite"),
        (.simplifiedChinese, "没有用 tenure backup 做过备份", "copy-7.sqlite"),
    ])
    func `shows how old the last backup is, or that none is known`(language: Language, none: String, file: String) async throws {
        try await withConsole { world in
            let path = Pages.path(.operations)
            try await world.application().test(.router) { client in
                #expect(try await client.open(path, language).text.contains(none))
                try await Backend.noteBackup(
                    in: world.store, file: file, size: 8192, at: world.clock.now().adding(.hours(-3)))
                let page = try await client.open(path, language).text
                #expect(page.contains(file) && !page.contains(none))
                let server = try #require(
                    try JSONDocument(try await client.json(path).bytes).root.object?["server"]?.object)
                // Three hours, in milliseconds.
                #expect(server["backupAgeMilliseconds"]?.int64 == 10_800_000 && server["backupSize"]?.string == "8192 bytes")
                #expect(server["backupAt"]?.string == "\(world.clock.now().adding(.hours(-3)))")
            }
            // A simulated clock says nothing about the age of what was made by the machine's.
            try await world.application(isSimulated: true).test(.router) { client in
                let server = try JSONDocument(try await client.json(path).bytes).root.object?["server"]?.object
                #expect(server?["backupAgeMilliseconds"]?.int64 == nil && server?["backupAt"]?.string != nil)
            }
        }
    }

    @Test func `lists who exported what, and where each export stands`() async throws {
        try await withConsole { world in
            func begin(_ kind: String, _ app: AppID = ConsoleWorld.app) async throws -> Backend.BegunExport {
                try await ActingKey.$name.withValue("warehouse") {
                    try await world.backend.beginExport(kind, app: app, environment: .production, goesOn: kind == "exportEvents")
                }
            }
            let first = try await begin("exportPeriods")
            world.clock.set(world.clock.now().adding(.minutes(2)))
            try await world.backend.end(first, lines: 1200, isWhole: true)
            let second = try await begin("exportEvents")
            try await world.backend.end(second, lines: 17, isWhole: false)
            _ = try await begin("exportCustomers")
            // Of an app that is served no more.
            _ = try await begin("exportCustomers", AppID("former"))
            try await world.application().test(.router) { client in
                let rows = try await Self.rows("exports", Pages.path(.jobs), client)
                #expect(rows.map { $0["kind"]?.string } == ["exportCustomers", "exportEvents", "exportPeriods"])
                #expect(rows.allSatisfy { $0["actor"]?.string == "appBackend/warehouse" })
                #expect(rows.map { $0["state"]?.string } == ["open", "cutOff", "whole"])
                #expect(rows.map { $0["lines"]?.int64 } == [nil, 17, 1200])
                #expect(rows.map { $0["goesOn"]?.string } == ["false", "true", "false"])
                #expect(rows.last?["begunAt"]?.string == "\(world.clock.now().adding(.minutes(-2)))")
                #expect(rows.last?["endedAt"]?.string == "\(world.clock.now())")
                for (language, words) in [(Language.english, "cut off"), (.simplifiedChinese, "中断")] {
                    #expect(try await client.open(Pages.path(.jobs), language).text.contains(words))
                }
            }
            #expect(try await world.backend.prove(ProofDepth(rebuild: true)).findings == [])
        }
    }

    @Test func `says of each version what it changed, how it stands and what a what-if said of it`() async throws {
        try await withConsole(isEmpty: true) { world in
            try await world.changePolicy()
            let june = PretendAppStore.june
            try await world.application().test(.router) { client in
                let rows = try await Self.rows("versions", Pages.path(.policy), client)
                #expect(rows.map { $0["number"]?.int64 } == [3, 2, 1])
                #expect(rows.map { $0["state"]?.string } == ["holds", "replaced", "held"])
                #expect(rows.map { $0["until"]?.string } == [nil, nil, "\(june.adding(.days(5)))"])
                #expect(rows.map { $0["triedAt"]?.string } == ["\(june.adding(.days(21)))", nil, nil])
                func version(_ number: Int64) async throws -> JSONObject {
                    try #require(
                        try JSONDocument(try await client.json(Pages.path(.policyVersion(number)), as: .viewer).bytes).root.object
                    )
                }
                let third = try await version(3)
                let changed = third["choices"]?.array?.compactMap { $0.object }.filter { $0["changed"]?.string == "true" }
                #expect(changed?.map { $0["name"]?.string } == ["onRestore", "restoreLimit", "balanced"])
                #expect(changed?.first?["value"]?.string == "ask" && changed?.first?["before"]?.string == "transfer")
                let changes = third["changes"]?.object
                #expect(changes?["nonRenewingDurations"]?.string == "true" && changes?["offerings"]?.string == "false")
                let products = third["products"]?.array?.compactMap { $0.object }
                #expect(products?.map { $0["productId"]?.string } == ["plus.monthly", "plus.yearly"])
                #expect(products?.map { $0["change"]?.string } == ["removed", "added"])
                #expect(third["trial"]?.object?["id"]?.string == "again")
                let second = try await version(2)
                #expect(second["version"]?.object?["next"]?.int64 == 3 && second["trial"] == nil)
                let replaced = second["version"]?.object?["nextAppliedAt"]?.string
                #expect(replaced == "\(june.adding(.days(20)))")
                #expect(try await version(1)["products"] == nil)
                for number in ["4", "0", "03", "x"] {
                    let path = Pages.path(.policy) + "/versions/\(number)"
                    #expect(try await client.open(path).status == .notFound, "\(path)")
                }
                for path in Pages.versions.map({ Pages.path($0.page) }) {
                    let page = ParsedPage(try await client.open(path, .pseudo).text)
                    let said = page.texts.filter { text in !text.path.contains { $0 == "bdi" || $0 == "code" || $0 == "pre" } }
                    #expect(said.allSatisfy { !$0.content.contains(#/[a-z]{2}/#) }, "\(path)")
                }
            }
        }
    }
}
