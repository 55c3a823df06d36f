import Primitives
import Storage
import Synchronization

/// How many receipts that nothing proves a customer may have Apple asked about: anybody can make one up, and each costs calls
/// that payers' own questions need. Counted by each server for itself.
final class ReceiptAllowance: Sendable {
    private let asked = Mutex<[CustomerName: [Timestamp]]>([:])

    /// As many in one hour.
    static let perHour = 5
    /// How many customers are remembered, before those are forgotten who may ask again.
    private static let mostCustomers = 10_000

    /// Takes one.
    ///
    /// - Returns: nil where it may be asked about; otherwise from when on another one may be.
    func take(_ customer: CustomerName, at now: Timestamp) -> Timestamp? {
        asked.withLock { asked in
            let begin = now.adding(.hours(-1))
            if asked.count >= Self.mostCustomers { asked = asked.filter { $0.value.contains { $0 > begin } } }
            var recent = asked[customer, default: []].filter { $0 > begin }
            if recent.count >= Self.perHour, let oldest = recent.first { return oldest.adding(.hours(1)) }
            recent.append(now)
            asked[customer] = recent
            return nil
        }
    }
}
