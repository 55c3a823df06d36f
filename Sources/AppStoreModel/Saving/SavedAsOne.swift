internal import Primitives

/// A value that is saved as one text or one number.
package protocol SavedAsOne: Codable {
    associatedtype Saved: Codable

    var saved: Saved { get }
    /// Nil where the text or number is not valid.
    init?(saved: Saved)
}

extension SavedAsOne {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let made = Self(saved: try container.decode(Saved.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a \(Self.self)")
        }
        self = made
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(saved)
    }
}

/// A value that is saved as the key of an object's member, so that a dictionary is saved as an object, and the same one each
/// time.
package protocol SavedAsKey: SavedAsOne, CodingKeyRepresentable where Saved: LosslessStringConvertible {}

extension SavedAsKey {
    package var codingKey: any CodingKey { TextKey(saved.description) }

    package init?<Key: CodingKey>(codingKey: Key) {
        guard let saved = Saved(codingKey.stringValue) else { return nil }
        self.init(saved: saved)
    }
}

/// A set that is saved in order, so that a state is the same text each time.
@propertyWrapper
struct SavedInOrder<Element: Sendable & Hashable & Comparable & Codable>: Sendable, Hashable, Codable {
    var wrappedValue: Set<Element>

    init(wrappedValue: Set<Element>) { self.wrappedValue = wrappedValue }

    init(from decoder: any Decoder) throws { wrappedValue = Set(try [Element](from: decoder)) }

    func encode(to encoder: any Encoder) throws { try wrappedValue.sorted().encode(to: encoder) }
}

// MARK: - What is saved so

extension AppNumber {
    package var saved: Int32 { place }
    package init?(saved: Int32) {
        guard saved >= 0 else { return nil }
        self.init(place: saved)
    }
}

extension AccountNumber {
    package var saved: Int32 { place }
    package init?(saved: Int32) {
        guard saved >= 0 else { return nil }
        self.init(place: saved)
    }
}

extension StorefrontNumber {
    package var saved: Int16 { place }
    package init?(saved: Int16) {
        guard saved >= 0 else { return nil }
        self.init(place: saved)
    }
}

extension CatalogueNumber {
    package var saved: Int32 { rawValue }
    package init?(saved: Int32) {
        guard saved >= 0 else { return nil }
        self.init(Int(saved))
    }
}

extension Storefront {
    package var saved: String { countryCode }
    package init?(saved: String) { self.init(validating: saved) }
}

extension TransactionNumber {
    package var saved: String { rawValue }
    package init?(saved: String) { self.init(saved) }
}

extension CompactUUID {
    package var saved: String { description }
    package init?(saved: String) { self.init(saved) }
}

extension StoreNotification.Event {
    /// In Apple's spelling, because the number is only a place in our list: `DID_RENEW/BILLING_RECOVERY`.
    package var saved: String { subtype.map { "\(notificationType)/\($0)" } ?? notificationType }

    package init?(saved: String) {
        guard let event = Self.allCases.first(where: { $0.saved == saved }) else { return nil }
        self = event
    }
}

extension DueQueue: Codable where Name: Codable {
    private struct SavedEntry: Codable {
        let at: Timestamp
        let name: Name
    }

    package init(from decoder: any Decoder) throws {
        self.init()
        for entry in try [SavedEntry](from: decoder) { set(entry.name, at: entry.at) }
    }

    package func encode(to encoder: any Encoder) throws {
        let entries = all.map { SavedEntry(at: $0.at, name: $0.name) }
        try entries.encode(to: encoder)
    }
}

extension Catalogue {
    /// Reads the text of a `.storekit` file.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            try self.init(storeKitFile: Array(try container.decode(String.self).utf8))
        } catch let error as CatalogueError {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no catalogue: \(error)")
        }
    }

    /// Writes the text of the file; a catalogue that was made without a file cannot be saved.
    package func encode(to encoder: any Encoder) throws {
        guard let file else {
            throw EncodingError.invalidValue(
                self, .init(codingPath: encoder.codingPath, debugDescription: "the catalogue is not from a .storekit file"))
        }
        var container = encoder.singleValueContainer()
        try container.encode(String(decoding: file, as: UTF8.self))
    }
}
