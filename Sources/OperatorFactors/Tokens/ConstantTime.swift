/// Comparison whose duration says nothing about where two values differ.
package enum ConstantTime {
    /// Whether both have the same bytes. Their lengths are no secret.
    package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
