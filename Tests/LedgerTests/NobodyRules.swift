import Ledger
import Primitives
import Testing

/// Constants that stand where a name is missing name nobody (OWN-2).
@Suite struct NobodyRules {
    private static let constants = ["00000000-0000-0000-0000-000000000000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"]

    private func vouched(_ token: AppAccountToken) -> TokenRegistration {
        TokenRegistration(token: token, customer: alice, registeredAt: day(2020, 1, 1), isVouched: true)
    }

    @Test(arguments: constants)
    func `OWN-2 a constant that an SDK sends for everybody makes nobody an owner, registered or not`(text: String) throws {
        let token = try #require(AppAccountToken(text))
        #expect(token.namesNobody)
        let first = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1)) { $0.appAccountToken = token }
        // Registered by a version that took it, before anything was bought, and vouched for.
        for registration in [registered(token, alice), vouched(token)] {
            var book = Book()
            book.tell(.registration(registration), .fact(.transaction(first)))
            #expect(book.state.owner(at: day(2026, 1, 2)) == nil)
            #expect(book.hear(claim(bob, .purchase, first, at: day(2026, 1, 1) + .minutes(1))) == .bound)
            #expect(book.state.owner(at: day(2026, 1, 2)) == bob)

            let next = transaction("1001", from: day(2026, 3, 1), to: day(2026, 4, 1)) { $0.appAccountToken = token }
            book.tell(next)
            let moved = book.hear(claim(carol, .purchase, next, at: day(2026, 3, 1) + .minutes(1)))
            #expect(moved == .moved(from: bob, rule: .resubscription))
            #expect(book.state.owner(at: day(2026, 3, 2)) == carol)
            let said = Explanation(of: book.history, book.state, at: day(2026, 3, 2)).english.joined(separator: "\n")
            #expect(said.contains("names nobody"), "\(said)")
        }
        #expect(TokenRegistration.holder(by: [vouched(token)]) == nil)
        #expect(TokenRegistration(ofOwnId: Claimant(CustomerID(text)), firstUsedAt: day(2026, 1, 1)) == nil)
    }

    @Test func `OWN-2 a reservation for a constant, which versions before took, gives nothing to anybody`() {
        let bought = transaction("1000", from: day(2026, 1, 1), to: day(2026, 2, 1))
        for name in ["null", "guest"] {
            var book = Book()
            let reservation = Reservation(id: .init("r"), customer: CustomerID(name), reservedAt: day(2025, 12, 1))
            book.tell(.reservation(reservation))
            book.tell(bought)
            #expect(book.hear(claim(bob, .purchase, bought, at: day(2026, 1, 1))) == .bound)
            #expect(book.state.owner(at: day(2026, 1, 2)) == bob)
        }
    }

    @Test func `OWN-2 what a program writes for no customer names nobody, and what only resembles it does`() throws {
        for name in Self.constants + ["null", "NULL", "undefined", "Optional(nil)", "[object Object]", "guest", "0", "-1"] {
            #expect(CustomerID(name).namesNobody, "\(name)")
        }
        for name in ["nullam", "guest-7", "00", "10", "nobody", "00000000-0000-0000-0000-000000000001", "user 0"] {
            #expect(!CustomerID(name).namesNobody, "\(name)")
        }
        #expect(try #require(AppAccountToken("00000000-0000-4000-8000-000000000000")).namesNobody == false)
    }
}
