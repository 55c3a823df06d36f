/// Random choices from one seed (SplitMix64).
package struct Chance: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// From `low` to `high`, both included; `low` if they are in the wrong order.
    package mutating func between(_ low: Int64, _ high: Int64) -> Int64 {
        high <= low ? low : Int64.random(in: low...high, using: &self)
    }

    /// From 0 up to but not including `bound`.
    package mutating func below(_ bound: Int) -> Int {
        Int(next() % UInt64(max(1, bound)))
    }

    package mutating func happens(_ percent: Int) -> Bool {
        below(100) < percent
    }

    package mutating func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[below(elements.count)]
    }
}
