import AppStoreWire
package import Primitives
import SimulatorPKI

/// The content of a receipt of 120 purchases.
package enum ReceiptSample {
    package static let purchases = 120

    /// A receipt of Apple's shape: each purchase has the seventeen attributes that real ones have.
    package static func content(createdAt instant: Timestamp) -> [UInt8] {
        var content = ReceiptContent()
        content.text(0, "Production")
        content.integer(1, 1_234_567_890)
        content.text(2, SignedSamples.app.bundleId)
        content.text(3, "1241")
        content.attribute(4, [UInt8](repeating: 7, count: 16))
        content.attribute(5, [UInt8](repeating: 9, count: 20))
        content.date(12, "\(instant)")
        content.text(19, "1.0")
        for number in 0..<purchases { content.purchase(purchase(number)) }
        return content.der
    }

    private static func purchase(_ number: Int) -> ReceiptContent {
        var purchase = ReceiptContent()
        purchase.integer(1701, 1)
        purchase.text(1702, SignedSamples.monthly)
        purchase.text(1703, "20000009000\(10_000 + number)")
        purchase.date(1704, "2026-01-01T00:00:00Z")
        purchase.text(1705, "2000000900010000")
        purchase.date(1706, "2025-01-01T00:00:00Z")
        purchase.integer(1707, 3)
        purchase.date(1708, "2026-02-01T00:00:00Z")
        purchase.integer(1710, 998_877)
        purchase.integer(1711, Int64(2_000_000_090_010_000 + number))
        purchase.date(1712, "")
        for unknown in [1713, 1714, 1716, 1717, 1718, 1719] as [Int64] { purchase.integer(unknown, 0) }
        return purchase
    }
}
