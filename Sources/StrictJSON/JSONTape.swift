/// One value or member name of a document: where its bytes are and where the next one's entry is.
struct JSONNode {
    enum Kind: UInt8 {
        case null, `false`, `true`, integer, decimal, string, escapedString, array, object
    }

    var kind: Kind
    /// The first byte; of a string: the first after its quote.
    var start: UInt32
    /// One past the last byte; of a string: its closing quote.
    var end: UInt32
    /// The index of the entry after this value and everything inside it. Of a container that is still open: its parent's index.
    var next: UInt32
    /// Elements of an array, members of an object.
    var count: UInt32
}

/// The bytes and the flat index over them. One object, so that a value costs one reference.
final class JSONTape: Sendable {
    let bytes: [UInt8]
    let nodes: [JSONNode]

    init(bytes: [UInt8], nodes: [JSONNode]) {
        self.bytes = bytes
        self.nodes = nodes
    }

    /// The text of a string node without its escapes.
    func text(_ index: Int) -> String {
        let node = nodes[index]
        let slice = bytes[Int(node.start)..<Int(node.end)]
        guard node.kind == .escapedString else { return String(decoding: slice, as: UTF8.self) }
        return String(decoding: JSONEscapes.resolved(slice), as: UTF8.self)
    }

    /// The value's index of the member of that name in an object; nil where there is none.
    ///
    /// The whole search runs over plain pointers: payloads are read field by field, and this is where their time goes.
    func member(_ key: UnsafeBufferPointer<UInt8>, of object: Int) -> Int? {
        nodes.withUnsafeBufferPointer { nodes in
            bytes.withUnsafeBufferPointer { bytes in
                var name = object + 1
                let end = Int(nodes[object].next)
                while name < end {
                    if Self.isText(nodes[name], key, bytes) { return name + 1 }
                    name = Int(nodes[name + 1].next)
                }
                return nil
            }
        }
    }

    /// Whether a string node says `key`.
    private static func isText(
        _ node: JSONNode, _ key: UnsafeBufferPointer<UInt8>, _ bytes: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        if node.kind == .escapedString {
            return JSONEscapes.resolved(Array(bytes[Int(node.start)..<Int(node.end)])[...]).elementsEqual(key)
        }
        guard Int(node.end) - Int(node.start) == key.count else { return false }
        var position = Int(node.start)
        for byte in key {
            if bytes[position] != byte { return false }
            position += 1
        }
        return true
    }
}
