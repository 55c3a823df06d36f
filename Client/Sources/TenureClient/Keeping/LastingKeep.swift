import Foundation

/// Files, and of the last answers another copy that outlasts the app itself, so that deleting the app does not begin anew
/// (DEV-2). The newer answer counts, and of one answer the copy that has seen the later time.
///
/// A copy that cannot be read is as none: what a device loses by that is access until the server is asked, and never gains any.
struct LastingKeep: Keep {
    private let files: any Keep
    private let item: any LastingItem

    /// - Parameter item: where the other copies are, all in one.
    init(_ files: any Keep, and item: any LastingItem) { (self.files, self.item) = (files, item) }

    func value(_ name: String) throws -> Data? {
        guard Tenure.Kept.isAnswer(name) else { return try files.value(name) }
        let other = lasting()?[name]
        do {
            guard let file = try files.value(name) else { return other }
            guard let other, Self.isNewer(other, than: file) else { return file }
            return other
        } catch {
            guard let other else { throw error }
            return other
        }
    }

    func save(_ value: Data, as name: String) throws {
        guard Tenure.Kept.isAnswer(name) else { return try files.save(value, as: name) }
        // Each of the two is tried, whatever becomes of the other.
        let file = Result { try files.save(value, as: name) }
        let other = Result {
            var all = lasting() ?? LastingAnswers()
            all[name] = value
            try item.write(try JSONEncoder().encode(all))
        }
        try file.get()
        try other.get()
    }

    /// Nil where there is nothing to be read.
    private func lasting() -> LastingAnswers? {
        do {
            return try item.read().map { try JSONDecoder().decode(LastingAnswers.self, from: $0) }
        } catch {
            return nil
        }
    }

    private static func isNewer(_ one: Data, than other: Data) -> Bool {
        guard let one = held(one) else { return false }
        guard let other = held(other) else { return true }
        return one.isNewer(than: other)
    }

    private static func held(_ data: Data) -> HeldAnswer? {
        do {
            return try JSONDecoder().decode(HeldAnswer.self, from: data)
        } catch {
            return nil
        }
    }
}

/// The last answers to a few customers, the newest last.
struct LastingAnswers: Sendable, Hashable, Codable {
    private var all: [Entry] = []

    private struct Entry: Sendable, Hashable, Codable {
        let name: String
        let value: Data
    }

    /// More than a device has customers; the one that was answered longest ago is forgotten then.
    static let most = 20

    subscript(name: String) -> Data? {
        get { all.first { $0.name == name }?.value }
        set {
            all.removeAll { $0.name == name }
            if let newValue { all.append(Entry(name: name, value: newValue)) }
            all = all.suffix(Self.most)
        }
    }
}
