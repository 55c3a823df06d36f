import LedgerOracle

/// The files of a database as a power cut may leave them: what was synced is on disk; of the rest any part may be, in units of a
/// disk sector.
struct PowerCut: Sendable {
    /// What the kernel wrote but the disk may not have stored.
    private struct Unsynced: Sendable {
        let change: Change
        let began: Int
        let ended: Int
    }

    private enum Change: Sendable {
        case write(offset: Int, bytes: [UInt8])
        case truncate(length: Int)
        case remove
    }

    /// One file: what is certainly on disk, nil while there is no file, and what may be.
    private struct File: Sendable {
        var durable: [UInt8]?
        var unsynced: [Unsynced] = []
    }

    /// The smallest unit that a disk writes atomically, in bytes.
    private static let sector = 512

    private var files: [String: File] = [:]
    private var calls: ArraySlice<Trace.Call>
    /// Syncs that had begun but not ended at the last cut: they guarantee nothing yet.
    private var unended: [Trace.Call] = []
    private var chance: Chance

    init(_ trace: Trace, chance: Chance) {
        calls = trace.calls[...]
        self.chance = chance
    }

    /// What may be found after a cut at a line of the trace; lines must not decrease from one call to the next.
    mutating func files(at line: Int) -> [String: [UInt8]] {
        for call in unended where call.ended < line { take(call) }
        unended.removeAll { $0.ended < line }
        while let call = calls.first, call.began < line {
            calls.removeFirst()
            if call.what.isSync, call.ended >= line { unended.append(call) } else { take(call) }
        }
        return files.compactMapValues { file in
            var content = file.durable
            for unsynced in file.unsynced { apply(unsynced.change, partly: true, to: &content) }
            return content
        }
    }

    private mutating func take(_ call: Trace.Call) {
        switch call.what {
        case .write(let file, let offset, let bytes): change(file, .write(offset: offset, bytes: bytes), call)
        case .truncate(let file, let length): change(file, .truncate(length: length), call)
        case .remove(let file): change(file, .remove, call)
        case .sync(let file): sync(file, call)
        case .syncFolder:
            for name in files.keys { forget(name, removedBefore: call) }
        case .received, .sent: break
        }
    }

    private mutating func change(_ name: String, _ change: Change, _ call: Trace.Call) {
        files[name, default: File()].unsynced.append(Unsynced(change: change, began: call.began, ended: call.ended))
    }

    /// A removal is on disk when the folder is synced: what was written to the file before is lost.
    private mutating func forget(_ name: String, removedBefore call: Trace.Call) {
        let removal = files[name]?.unsynced.lastIndex { unsynced in
            if case .remove = unsynced.change { unsynced.ended < call.began } else { false }
        }
        guard let removal else { return }
        files[name]?.unsynced.removeFirst(removal + 1)
        files[name]?.durable = nil
    }

    private mutating func sync(_ name: String, _ call: Trace.Call) {
        guard var file = files[name] else { return }
        for unsynced in file.unsynced where unsynced.ended < call.began {
            apply(unsynced.change, partly: false, to: &file.durable)
        }
        file.unsynced.removeAll { $0.ended < call.began }
        files[name] = file
    }

    /// All of a change, or none of it, or some of its sectors.
    private mutating func apply(_ change: Change, partly: Bool, to content: inout [UInt8]?) {
        let fate = partly ? chance.below(3) : 0
        if fate == 1 { return }
        switch change {
        case .remove: content = nil
        case .truncate(let length):
            var bytes = content ?? []
            if bytes.count > length { bytes.removeLast(bytes.count - length) } else { Self.grow(&bytes, to: length) }
            content = bytes
        case .write(let offset, let written):
            var bytes = content ?? []
            Self.grow(&bytes, to: offset + written.count)
            var position = 0
            while position < written.count {
                let end = min(written.count, (offset + position) / Self.sector * Self.sector + Self.sector - offset)
                if fate == 0 || chance.happens(50) {
                    bytes.replaceSubrange((offset + position)..<(offset + end), with: written[position..<end])
                }
                position = end
            }
            content = bytes
        }
    }

    private static func grow(_ bytes: inout [UInt8], to length: Int) {
        if bytes.count < length { bytes += [UInt8](repeating: 0, count: length - bytes.count) }
    }
}

extension Trace.What {
    fileprivate var isSync: Bool {
        switch self {
        case .sync, .syncFolder: true
        default: false
        }
    }
}
