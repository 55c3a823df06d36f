import Ledger
import Primitives
import Storage
import Testing

@testable import Backend

@Suite struct `How many unproved receipts are asked about` {
    @Test func `RECON-6 five an hour of each customer, so that nobody's inventions keep others waiting`() {
        let (allowance, start) = (ReceiptAllowance(), PretendAppStore.june)
        let (alice, bob) = (CustomerName(World.app, World.alice), CustomerName(World.app, World.bob))
        for minute in 0..<5 as Range<Int64> { #expect(allowance.take(alice, at: start.adding(.minutes(minute))) == nil) }
        #expect(allowance.take(alice, at: start.adding(.minutes(5))) == start.adding(.hours(1)))
        #expect(allowance.take(bob, at: start.adding(.minutes(5))) == nil)
        #expect(allowance.take(alice, at: start.adding(.minutes(61))) == nil)
        #expect(allowance.take(alice, at: start.adding(.minutes(61))) == nil)
        #expect(allowance.take(alice, at: start.adding(.minutes(61))) == start.adding(.minutes(62)))
    }
}
