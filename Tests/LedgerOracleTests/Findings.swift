/// The violations that were found, and which invariants were checked at all.
struct Findings {
    private(set) var broken: [String] = []
    private(set) var asked: [Invariant: Int] = [:]

    mutating func expect(_ invariant: Invariant, _ holds: Bool, _ words: @autoclosure () -> String) {
        asked[invariant, default: 0] += 1
        if !holds { broken.append("\(invariant.rawValue): \(words())") }
    }

    mutating func add(_ other: Findings) {
        broken += other.broken
        asked.merge(other.asked, uniquingKeysWith: +)
    }
}
