/// How operators are called: 1 to 64 of `a-z`, `0-9`, `.`, `_`, `+`, `@` and `-`, so that a mail address can be one. Upper
/// case is read as lower case.
package enum OperatorName {
    package static let longest = 64
    /// Stands in the audit for whoever uses the command line; no operator can be called so.
    package static let commandLine = "commandLine"
    /// Stands in the audit for whoever tried a name that nobody has: what was typed may be a password.
    static let nobody = "nobodyKnown"

    /// The name as it is kept; nil where nobody can be called so.
    package static func checked(_ text: String) -> String? {
        let lowered = text.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 + 32 : $0 }
        let isFine = lowered.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || [UInt8](".-_@+".utf8).contains(byte)
        }
        guard (1...longest).contains(lowered.count), isFine else { return nil }
        return String(decoding: lowered, as: UTF8.self)
    }
}
