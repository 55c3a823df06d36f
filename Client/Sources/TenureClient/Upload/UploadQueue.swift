import Foundation

/// What the server does not have yet, one file each, so that no end of the process loses one.
actor UploadQueue<Item: QueuedUpload> {
    private let folder: Folder
    private let chance: any Chance
    /// More are not taken: of transactions, they stay unfinished at the store, which delivers them again.
    private let most: Int
    /// In brief.
    private var items: [String: Item] = [:]
    /// When an item may be sent again, by the monotonic clock.
    private var notBefore: [String: Int64] = [:]

    /// - Throws: where the folder cannot be read. A file that cannot be read is left where it is and not sent.
    init(_ folder: Folder, _ chance: any Chance, most: Int) throws {
        (self.folder, self.chance, self.most) = (folder, chance, most)
        try folder.tidy()
        for name in try folder.names().prefix(2 * most) {
            guard let data = try folder.contents(name), let item = Self.item(data), item.name == name else { continue }
            items[name] = item.inBrief
        }
    }

    private static func item(_ data: Data) -> Item? {
        do {
            return try JSONDecoder().decode(Item.self, from: data)
        } catch {
            return nil
        }
    }

    /// Keeps an item. When it returns, the item outlasts the process. One that is there already stays as it is, and whose it is
    /// does not change.
    ///
    /// - Throws: what writing throws; then nothing was added.
    func add(_ item: Item) throws -> QueueAddition {
        if items[item.name] != nil { return .known }
        guard items.count < most else { return .full }
        try save(item)
        return .new
    }

    private func save(_ item: Item) throws {
        try folder.save(try JSONEncoder().encode(item), as: item.name)
        items[item.name] = item.inBrief
    }

    /// Of the items that may be sent now the oldest of those that go first, else the oldest, in brief; nil where there is none.
    ///
    /// - Parameter tried: names of those that do not count.
    func next(at monotonic: Int64, besides tried: Set<String>) -> Item? {
        items.values.filter {
            $0.parkedBecause == nil && (notBefore[$0.name] ?? .min) <= monotonic && !tried.contains($0.name)
        }.min { left, right in
            left.goesFirst == right.goesFirst
                ? (left.addedAt, left.name) < (right.addedAt, right.name) : left.goesFirst
        }
    }

    /// An item as it was added; nil where it is there no more.
    ///
    /// - Throws: what reading throws.
    func whole(_ item: Item) throws -> Item? {
        guard let brief = items[item.name], let data = try folder.contents(item.name), var whole = Self.item(data) else {
            return nil
        }
        (whole.attempts, whole.parkedBecause) = (brief.attempts, brief.parkedBecause)
        return whole
    }

    /// In how many milliseconds the next one may be sent; nil where none waits.
    func nextDue(at monotonic: Int64) -> Int64? {
        items.values.filter { $0.parkedBecause == nil }.map {
            max(0, Length.difference(notBefore[$0.name] ?? monotonic, monotonic))
        }.min()
    }

    /// Everything may be sent again now: the app came to the foreground, or the network did.
    func hurry() { notBefore.removeAll() }

    /// What an answer means for an item.
    ///
    /// - Throws: what writing throws. Then the item is there still, and is sent again.
    func note(_ outcome: UploadOutcome, of item: Item, at monotonic: Int64) throws {
        guard let kept = items[item.name] else { return }
        switch outcome {
        case .kept:
            try folder.remove(item.name)
            items[item.name] = nil
            notBefore[item.name] = nil
        case .parked(let code):
            guard var parked = try whole(item) else { return }
            parked.parkedBecause = code
            try save(parked)
        case .notAuthorized: again(kept, seconds: nil, at: monotonic)
        case .later(let seconds): again(kept, seconds: seconds, at: monotonic)
        }
    }

    /// The answer did not come, or is none.
    func failed(_ item: Item, at monotonic: Int64) {
        if let kept = items[item.name] { again(kept, seconds: nil, at: monotonic) }
    }

    private func again(_ item: Item, seconds: Int64?, at monotonic: Int64) {
        var item = item
        item.attempts += 1
        items[item.name] = item
        let pause = UploadPause.after(attempts: item.attempts, chance: Double(chance.bytes(1).first ?? 0) / 255)
        notBefore[item.name] = Length.sum(monotonic, max(pause, (seconds ?? 0) * Length.second))
    }

    /// Forgets those that another one has made useless.
    ///
    /// - Throws: what removing throws; those that were not removed are there still.
    func remove(where isUseless: @Sendable (Item) -> Bool) throws {
        for (name, item) in items where isUseless(item) {
            try folder.remove(name)
            (items[name], notBefore[name]) = (nil, nil)
        }
    }

    /// Those that the server will not take as they are, with its code.
    var parked: [Item] { items.values.filter { $0.parkedBecause != nil }.sorted { $0.name < $1.name } }

    /// Sends them again, such as after an update of the app or the server.
    func retryParked() throws {
        for brief in parked {
            guard var item = try whole(brief) else { continue }
            (item.parkedBecause, item.attempts) = (nil, 0)
            try save(item)
        }
    }

    /// The oldest that is so; nil where none is.
    func first(where isSo: @Sendable (Item) -> Bool) -> Item? { items.values.filter(isSo).min { $0.addedAt < $1.addedAt } }

    func isWaiting(_ name: String) -> Bool { items[name] != nil }

    var count: Int { items.count }
}

/// What adding to a queue came to.
enum QueueAddition: Sendable, Hashable { case new, known, full }
