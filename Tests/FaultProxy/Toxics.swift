/// What a proxy does to the bytes that pass; without toxics it only forwards them. The names are toxiproxy's, where it has one.
package struct Toxics: Sendable, Hashable {
    /// Which way bytes go.
    package enum Direction: Sendable, Hashable, CaseIterable { case toServer, toClient }

    /// Each chunk is delayed by this many milliseconds, and randomly up to `jitter` longer; the order is kept.
    package struct Latency: Sendable, Hashable {
        package let milliseconds: Int64
        package let jitter: Int64

        package init(milliseconds: Int64, jitter: Int64 = 0) {
            self.milliseconds = milliseconds
            self.jitter = jitter
        }
    }

    /// The first connection that reaches exactly this many bytes in the direction is cut; then the toxic is used up.
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
    /// Nothing is forwarded, without any error (toxiproxy's `timeout` of 0). What arrived meanwhile is forwarded when this ends.
    package var isBlackHole = false
    /// Chunks are split into pieces of 1 to this many bytes, written one by one.
    package var slicer: Int?
    /// This many of PostgreSQL's answers to COMMIT are dropped, and their connections reset: the server has committed, but the
    /// client cannot know. Counts down. For connections without TLS.
    package var commitRepliesToDrop = 0

    package init() {}
}

/// SplitMix64: one seed always gives the same sequence.
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

/// Looks for the answer to COMMIT in PostgreSQL's messages, however they are split.
///
/// Source: PostgreSQL documentation, 55.7 "Message Formats": a byte for the kind, an Int32 length that counts itself, the
/// contents; CommandComplete is `C` with the command tag and NUL.
package struct CommitWatcher: Sendable {
    private static let tag = Array("COMMIT\u{0}".utf8)

    /// The incoming message: kind and length, then the contents where they may be a tag.
    private var head: [UInt8] = []
    private var contents: [UInt8] = []
    private var rest = 0

    package init() {}

    /// How many of the bytes may be forwarded before an answer to COMMIT is complete; nil where they contain none.
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
            // Its last byte is held back: an incomplete message is not read.
            if head[0] == UInt8(ascii: "C"), contents == Self.tag { return index }
        }
        return nil
    }

    private mutating func beginMessage() {
        rest = head[1...].reduce(0) { $0 << 8 | Int($1) } - 4
        contents = []
    }
}
