import Foundation

/// How histories and states are written: JSON with sorted keys, so that equal values are equal bytes (FACT-1).
package enum StateCoding {
    /// The one text for a value.
    package static func encode<Value: Encodable>(_ value: Value) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch {
            throw StorageError(.other, "cannot encode \(Value.self)", underlying: error)
        }
    }

    /// The value of a text that we wrote.
    package static func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(text.utf8))
        } catch {
            throw StorageError(.corrupt, "cannot decode \(Value.self)", underlying: error)
        }
    }
}
