/// Where an event stands in the log of an app's environment: in the order in which what it tells was committed, so that who reads
/// on after a place passes over nothing (TELL-3).
///
/// The numbers of rows are not that order where transactions run side by side: a row with a smaller number may be committed after
/// one with a greater number was read. So a place names the transaction first, and rows are shown only when every transaction
/// before theirs has ended. What is told of one subject stands in its order (docs/decisions/0047).
package struct LogPlace: Sendable, Hashable, Comparable {
    /// The place of the transaction among all that wrote, or of a later one that told of the same subject before; 0 in a database
    /// with one writer.
    package let transaction: Int64
    /// The row of the outbox.
    package let row: Int64
    /// Which event of the row: 0, 1, 2, …
    package let event: Int

    package init(transaction: Int64, row: Int64, event: Int) {
        self.transaction = transaction
        self.row = row
        self.event = event
    }

    /// Before everything.
    package static let start = LogPlace(transaction: 0, row: 0, event: -1)

    package static func < (left: LogPlace, right: LogPlace) -> Bool {
        (left.transaction, left.row, left.event) < (right.transaction, right.row, right.event)
    }

    /// As it is sent and kept: three numbers.
    package var text: String { "\(transaction).\(row).\(event)" }

    /// - Returns: nil for anything that ``text`` never is.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let transaction = Int64(parts[0]), let row = Int64(parts[1]), let event = Int(parts[2]) else {
            return nil
        }
        self.init(transaction: transaction, row: row, event: event)
        guard transaction >= 0, row >= 0, event >= -1, self.text == text else { return nil }
    }
}

extension LogPlace: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let place = LogPlace(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no place in a log")
        }
        self = place
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
