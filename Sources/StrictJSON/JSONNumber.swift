/// Integers out of number tokens, exactly or not at all.
enum JSONNumber {
    /// A token of an optional minus and digits; nil when it does not fit.
    static func integer(_ token: ArraySlice<UInt8>) -> Int64? {
        let isNegative = token.first == UInt8(ascii: "-")
        var value: Int64 = 0
        for byte in isNegative ? token.dropFirst() : token {
            let digit = Int64(byte) - Int64(UInt8(ascii: "0"))
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) =
                isNegative ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
            if overflow || carry { return nil }
            value = sum
        }
        return value
    }

    /// The floor of a token with or without a fraction; nil with an exponent or when it does not fit.
    static func floor(_ token: ArraySlice<UInt8>) -> Int64? {
        guard let point = token.firstIndex(of: UInt8(ascii: ".")) else {
            return token.contains { $0 | 0x20 == UInt8(ascii: "e") } ? nil : integer(token)
        }
        let fraction = token[(point + 1)...]
        guard !fraction.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }), let whole = integer(token[..<point]) else {
            return nil
        }
        let isBelow = token.first == UInt8(ascii: "-") && fraction.contains { $0 != UInt8(ascii: "0") }
        guard isBelow else { return whole }
        return whole == .min ? nil : whole - 1
    }
}
