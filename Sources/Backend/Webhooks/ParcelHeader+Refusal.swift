extension ParcelHeader {
    /// The headers that are the courier's own, in lower case: of the connection, of the body, of the signature.
    private static let reserved: Set<String> = [
        "accept-encoding", "connection", "content-encoding", "content-length", "content-type", "expect", "host", "keep-alive",
        "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "user-agent", "webhook-id",
        "webhook-signature", "webhook-timestamp",
    ]
    private static let marks = Set("!#$%&'*+-.^_`|~".utf8)

    /// The most bytes of a name and of a value.
    private static let longest = (name: 128, value: 4096)

    /// Why a courier leaves this header out, as a sentence for whoever wrote it; nil: it is sent.
    ///
    /// Source: RFC 9110, sections 5.1, 5.5 and 5.6.2.
    package var refusal: String? {
        guard !name.isEmpty, name.utf8.count <= Self.longest.name, name.utf8.allSatisfy(Self.isOfName) else {
            return "\"\(name)\" is not the name of a header"
        }
        if Self.reserved.contains(name.lowercased()) { return "the header \(name) is set by the sender" }
        guard value.utf8.count <= Self.longest.value, value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }),
            !value.hasPrefix(" "), !value.hasSuffix(" ")
        else {
            return "the value of the header \(name) has characters outside ASCII, blanks around it, or too many of them"
        }
        return nil
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: marks.contains(byte)
        }
    }
}
