/// Refuses an object that names a member twice: readers disagree about which one counts (T08).
///
/// Source: RFC 8259, section 4; RFC 7515, section 4 (names in a JWS header must be unique).
enum JSONDuplicateKeys {
    /// Up to so many members are compared pair by pair; more are sorted first, so that a long object costs n log n and not n².
    private static let fewMembers: UInt32 = 48

    static func check(object: Int, nodes: [JSONNode], bytes: [UInt8]) throws(JSONError) {
        var isSimple = nodes[object].count <= fewMembers
        var index = object + 1
        let end = Int(nodes[object].next)
        while isSimple, index < end {
            if nodes[index].kind == .escapedString { isSimple = false }
            index = Int(nodes[index + 1].next)
        }
        if isSimple {
            try checkPairs(object: object, nodes: nodes, bytes: bytes)
        } else {
            try checkSorted(object: object, nodes: nodes, bytes: bytes)
        }
    }

    private static func checkPairs(object: Int, nodes: [JSONNode], bytes: [UInt8]) throws(JSONError) {
        let end = Int(nodes[object].next)
        var index = object + 1
        while index < end {
            var earlier = object + 1
            while earlier < index {
                if isSame(nodes[earlier], nodes[index], bytes) { throw JSONError(.duplicateKey, at: Int(nodes[index].start)) }
                earlier = Int(nodes[earlier + 1].next)
            }
            index = Int(nodes[index + 1].next)
        }
    }

    /// Whether two names without escapes have the same bytes.
    private static func isSame(_ left: JSONNode, _ right: JSONNode, _ bytes: [UInt8]) -> Bool {
        guard left.end - left.start == right.end - right.start else { return false }
        var position = Int(left.start)
        var other = Int(right.start)
        while position < Int(left.end) {
            if bytes[position] != bytes[other] { return false }
            position += 1
            other += 1
        }
        return true
    }

    private static func checkSorted(object: Int, nodes: [JSONNode], bytes: [UInt8]) throws(JSONError) {
        var names: [(text: [UInt8], offset: Int)] = []
        names.reserveCapacity(Int(nodes[object].count))
        var index = object + 1
        while index < Int(nodes[object].next) {
            let slice = bytes[Int(nodes[index].start)..<Int(nodes[index].end)]
            let text = nodes[index].kind == .escapedString ? JSONEscapes.resolved(slice) : Array(slice)
            names.append((text, Int(nodes[index].start)))
            index = Int(nodes[index + 1].next)
        }
        names.sort { $0.text == $1.text ? $0.offset < $1.offset : $0.text.lexicographicallyPrecedes($1.text) }
        for (earlier, later) in zip(names, names.dropFirst()) where earlier.text == later.text {
            throw JSONError(.duplicateKey, at: later.offset)
        }
    }
}
