import Backend
import Ledger
import Primitives
import Storage
import Testing

@Suite struct `Old receipts in a simulation` {
    @Test(arguments: [true, false])
    func `RECON-6 a receipt from before iOS 7 waits for Apple, gives what Apple says, and goes on to be asked about`(
        hasKey: Bool
    ) async throws {
        try await AskingStage.play(hasKey: hasKey) { stage in
            let key = try await stage.buyUnheard("anna")
            #expect(try await stage.showOldReceipt(of: key, by: "anna"))
            #expect(try await stage.isActive("anna").isActive == false)
            try await stage.work()
            #expect(try await stage.isActive("anna").isActive)
            #expect(try await stage.showOldReceipt(of: key, by: "anna") == false)
            // Two silent renewals.
            for _ in 0..<2 {
                let end = try #require(try await stage.periods(of: key).last ?? nil)
                try await stage.pass(to: end.adding(.minutes(21)))
                let answer = try await stage.isActive("anna")
                #expect(answer.isActive && answer.end.map { $0 > end } == true)
            }
            let known = try #require(try await stage.lastTransaction(of: key))
            let shown = try await stage.shown(key)
            #expect(known.expiresDate == shown.expires)
            let reasons = try await stage.reasons(of: [key])
            #expect(reasons == [])
            #expect(try await stage.calls("getAllSubscriptionStatuses") == (hasKey ? 2 : 0))
        }
    }
}
