import Foundation
import Testing

@testable import TenureClient

@Suite("LIC-3 How the customer came by the app")
struct AppProofTests {
    private func with(first: Int, _ body: (DeviceWorld) async throws -> Void) async throws {
        let world = try DeviceWorld(first: first)
        try await body(world)
        try world.remove()
    }

    private func launched(_ world: DeviceWorld) async throws -> Tenure {
        let tenure = try world.launch()
        await tenure.start()
        await tenure.showing?.value
        return tenure
    }

    private func asked(_ world: DeviceWorld, _ operation: String) async -> Int {
        await world.server.asked.filter { $0.hasSuffix(" \(operation)") }.count
    }

    @Test func `it is shown at the first launch and after each login, once for each customer and text`() async throws {
        try await with(first: 60_000_000) { world in
            await world.store.hasApp(signed: "first")
            var tenure = try await launched(world)
            let anonymous = await tenure.customer
            try await tenure.identify("alice")
            await tenure.showing?.value
            #expect(await world.server.appTransactions == [anonymous: ["first"], "alice": ["first"]])
            for _ in 0..<3 { tenure = try await launched(world) }
            try await tenure.identify("alice")
            await tenure.showing?.value
            #expect(await asked(world, "appTransactions") == 2, "what the server has is not sent again")
            await world.store.hasApp(signed: "second")
            tenure = try await launched(world)
            #expect(await world.server.appTransactions["alice"] == ["first", "second"])
            await tenure.stop()
        }
    }

    @Test func `what the store signed anew is the same download, and another Apple Account's is another one`() async throws {
        try await with(first: 60_500_000) { world in
            func signed(_ id: String, at date: Int) -> String {
                let payload =
                    #"{"appTransactionId":"\#(id)","originalPurchaseDate":1,"receiptType":"Production","receiptCreationDate":\#(date)}"#
                return "e30.\(JWS.base64URL(Data(payload.utf8))).c2ln"
            }
            for (text, count) in [(signed("1", at: 1), 1), (signed("1", at: 2), 1), (signed("2", at: 3), 2)] {
                await world.store.hasApp(signed: text)
                let tenure = try await launched(world)
                await tenure.showing?.value
                #expect(await asked(world, "appTransactions") == count)
                await tenure.stop()
            }
        }
    }

    @Test func `it waits until the server has it, over launches, and then for whom it was kept`() async throws {
        try await with(first: 61_000_000) { world in
            await world.store.hasApp(signed: "text")
            await world.server.disturb { _ in throw URLError(.notConnectedToInternet) }
            var tenure = try await launched(world)
            try await tenure.identify("alice")
            await tenure.showing?.value
            try await tenure.signOut()
            try await tenure.identify("bob")
            await tenure.showing?.value
            #expect(await tenure.proofs.count >= 2)
            await world.server.disturb(nil)
            // The store has nothing to say any more: what was kept counts.
            await world.store.hasApp(signed: nil)
            tenure = try await launched(world)
            #expect(await world.server.appTransactions["bob"] == ["text"])
            #expect(await world.server.appTransactions["alice"] == nil, "alice is not logged in")
            try await tenure.signOut()
            try await tenure.identify("alice")
            #expect(await world.server.appTransactions["alice"] == ["text"])
            #expect(await world.server.impostors.isEmpty)
            await tenure.stop()
        }
    }

    @Test func `something else than the server's answer leaves it waiting, and its refusal parks it`() async throws {
        try await with(first: 62_000_000) { world in
            await world.store.hasApp(signed: "text")
            await world.server.disturb { request in
                request.url.path.hasSuffix("appTransactions") ? ServerResponse(status: 200, body: Data("<html>".utf8)) : nil
            }
            let tenure = try await launched(world)
            #expect(await tenure.proofs.count == 1)
            await world.server.disturb(nil)
            await world.server.refuse("text", with: PretendServer.problem(400, "refusedEvidence"))
            await tenure.foreground()
            #expect(await tenure.proofs.parked.map(\.parkedBecause) == ["refusedEvidence"])
            let before = await asked(world, "appTransactions")
            await tenure.foreground()
            await tenure.showApp()
            #expect(await asked(world, "appTransactions") == before, "a refusal is not asked for again and again")
            await world.server.refuse("text", with: nil)
            try await tenure.retryParked()
            #expect(await tenure.proofs.count == 0)
            await tenure.stop()
        }
    }

    @Test func `DEV-5 below iOS 16 it is the app receipt, which is not refreshed for that`() async throws {
        try await with(first: 63_000_000) { world in
            await world.store.hasApp(signed: nil, receipt: Data("receipt".utf8), atApple: Data("newer".utf8))
            var tenure = try await launched(world)
            let customer = await tenure.customer
            let wanted = "queue \(Data("receipt".utf8).base64EncodedString())"
            #expect(await world.server.receipts == [customer: [wanted]])
            tenure = try await launched(world)
            #expect(await world.server.receipts == [customer: [wanted]])
            #expect(await world.store.refreshed == 0)
            await world.store.hasApp(signed: nil, receipt: nil, atApple: Data("newer".utf8))
            tenure = try await launched(world)
            #expect(await world.server.receipts == [customer: [wanted]])
            #expect(await world.store.refreshed == 0, "nobody is asked for a password at launch")
            await tenure.stop()
        }
    }

    @Test func `a receipt never makes another customer's purchase one's own while it is on its way`() async throws {
        try await with(first: 66_000_000) { world in
            await world.store.hasApp(signed: nil, receipt: Data("of both".utf8))
            let tenure = try world.launch()
            try await tenure.identify("alice")
            await tenure.showing?.value
            await world.server.disturb { request in
                if request.url.path.hasSuffix("transactions") { throw URLError(.timedOut) }
                return nil
            }
            _ = try await tenure.purchase("plus")
            try await tenure.signOut()
            try await tenure.identify("bob")
            await tenure.showing?.value
            #expect(await world.server.receipts["bob"] == nil, "alice's purchase waits")
            // The same where the app did not even hear that alice had bought.
            await world.server.disturb(nil)
            try await tenure.signOut()
            try await tenure.identify("alice")
            await world.store.answer(.pending)
            _ = try await tenure.purchase("plus")
            try await tenure.signOut()
            try await tenure.identify("bob")
            await tenure.showing?.value
            #expect(await world.server.receipts["bob"] == nil, "alice's purchase has begun")
            world.clock.pass(PurchaseIntent.longest)
            await tenure.showApp()
            #expect(await world.server.receipts["bob"]?.count == 1)
        }
    }

    @Test func `DEV-5 a restore from the App Store refreshes the receipt where the store has signed nothing`() async throws {
        try await with(first: 64_000_000) { world in
            await world.store.hasApp(signed: "text", atApple: Data("all".utf8))
            let tenure = try world.launch()
            try await tenure.identify("alice")
            _ = try await tenure.restore(.account)
            #expect(await world.store.askedForPassword == 0, "DEV-3: nobody is asked for a password")
            let wanted = "restore \(Data("all".utf8).base64EncodedString())"
            _ = try await tenure.restore(.appStore)
            #expect(await world.server.receipts == ["alice": [wanted]])
            _ = try await tenure.restore(.appStore)
            #expect(await world.server.receipts == ["alice": [wanted, wanted]], "who asks again is heard again")
            #expect(await world.store.refreshed == 2)
            #expect(await world.store.askedForPassword == 4)
            _ = try await tenure.purchase("plus")
            _ = try await tenure.restore(.appStore)
            #expect(await world.store.refreshed == 2, "signed transactions say all that a receipt could")
        }
    }

    @Test func `a device that was restored says by its app transaction which ledger is meant`() async throws {
        try await with(first: 65_000_000) { world in
            await world.store.hasApp(signed: "e30.\(JWS.base64URL(Data(#"{"receiptType":"Sandbox"}"#.utf8))).c2ln")
            let tenure = try await launched(world)
            #expect(await tenure.environment == "Sandbox")
            await tenure.stop()
        }
    }
}
