/// What a proxy does to the bytes that pass; without any it only passes them on. Names as in toxiproxy, where it has one.
package struct Toxics: Sendable, Hashable {
    /// Which way bytes go.
    package enum Direction: Sendable, Hashable, CaseIterable { case toServer, toClient }

    /// Each chunk is held back so long, in milliseconds, and by chance up to `jitter` longer; order is kept.
    package struct Latency: Sendable, Hashable {
        package let milliseconds: Int64
        package let jitter: Int64

        package init(milliseconds: Int64, jitter: Int64 = 0) {
            self.milliseconds = milliseconds
            self.jitter = jitter
        }
    }

    /// One connection, the first that gets so far, is cut after exactly so many bytes in the direction; then the toxic is spent.
    package struct Cut: Sendable, Hashable {
        package enum Manner: Sendable, Hashable {
            /// RST to both sides (toxiproxy's `reset_peer`).
            case reset
            /// FIN to both sides.
            case close
        }

        package let direction: Direction
        package let bytes: Int
        package let manner: Manner

        package init(_ direction: Direction, afterBytes bytes: Int, _ manner: Manner = .reset) {
            self.direction = direction
            self.bytes = bytes
            self.manner = manner
        }
    }

    package var latency: Latency?
    package var cut: Cut?
    /// Nothing is passed on and nobody is told (toxiproxy's `timeout` of 0). What came meanwhile is passed on when this ends.
    package var isBlackHole = false
    /// Chunks are cut into pieces of 1 to so many bytes, written one by one.
    package var slicer: Int?
    /// So many of PostgreSQL's answers to COMMIT are swallowed, and their connections reset: the server has committed and the
    /// client cannot know. Counts down. For connections without TLS.
    package var commitRepliesToDrop = 0

    package init() {}
}

/// SplitMix64: one seed gives one sequence.
///
/// Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}

/// Looks for the answer to COMMIT in what PostgreSQL sends, however it is cut into pieces.
///
/// Source: PostgreSQL documentation, 55.7 "Message Formats": a byte for the kind, an Int32 length that counts itself, the
/// contents; CommandComplete is `C` with the command tag and NUL.
package struct CommitWatcher: Sendable {
    private static let tag = Array("COMMIT\u{0}".utf8)

    /// Of the message that is coming in: kind and length, then the contents where they may be a tag.
    private var head: [UInt8] = []
    private var contents: [UInt8] = []
    private var rest = 0

    package init() {}

    /// How many of the bytes may be passed on before an answer to COMMIT is complete; nil where none is in them.
    package mutating func bytesBeforeReply(in bytes: some Sequence<UInt8>) -> Int? {
        for (index, byte) in bytes.enumerated() {
            if head.count < 5 {
                head.append(byte)
                if head.count == 5 { beginMessage() }
            } else {
                if contents.count < Self.tag.count + 1 { contents.append(byte) }
                rest -= 1
            }
            guard head.count == 5, rest <= 0 else { continue }
            defer { head = [] }
            // The last byte of it is held back: a message that is not whole is not read.
            if head[0] == UInt8(ascii: "C"), contents == Self.tag { return index }
        }
        return nil
    }

    private mutating func beginMessage() {
        rest = head[1...].reduce(0) { $0 << 8 | Int($1) } - 4
        contents = []
    }
}
