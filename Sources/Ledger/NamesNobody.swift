package import Primitives

// Constants that a program writes where a name is missing: one customer with such a name would be all customers (OWN-2).

extension AppAccountToken {
    /// Whether it is the nil UUID or the max UUID, which name nobody: an app that has no token for a customer sends one of them
    /// for all.
    ///
    /// Source: RFC 9562, sections 5.9 and 5.10.
    package var namesNobody: Bool { rawValue.utf8.allSatisfy { $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: "-") } || isMax }

    private var isMax: Bool { rawValue.utf8.allSatisfy { $0 == UInt8(ascii: "f") || $0 == UInt8(ascii: "-") } }
}

extension ID where Entity == Customer {
    /// Whether it is what programs write for no customer at all, in capitals or not: `null`, `undefined`, `guest`, the nil UUID.
    ///
    /// Source: the ids that the RevenueCat SDK refuses, and Swift's own word for an absent value.
    package var namesNobody: Bool {
        let word = rawValue.lowercased()
        return CustomerConstants.all.contains(word) || AppAccountToken(word)?.namesNobody == true
    }
}

private enum CustomerConstants {
    /// In lower case.
    static let all: Set<String> = [
        "no_user", "null", "none", "nil", "(null)", "nan", "unidentified", "undefined", "unknown", "anonymous", "guest", "-1",
        "0", "[]", "{}", "[object object]", "optional(nil)",
    ]
}
