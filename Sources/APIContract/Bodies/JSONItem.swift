import Primitives
package import StrictJSON

/// An object inside a body: read and written by the same type, and described by its schema.
package protocol JSONItem: Sendable, Hashable {
    static var schema: ObjectSchema { get }

    init(_ fields: JSONFields) throws(JSONFieldError)

    /// Writes the members.
    func write(to writer: inout JSONWriter)
}

extension JSONWriter {
    /// A member that is a list of objects.
    mutating func member(_ name: StaticString, _ items: [some JSONItem]) {
        member(name) { writer in
            writer.array { writer in for item in items { writer.object { item.write(to: &$0) } } }
        }
    }

    /// A member that is an object, where there is one.
    mutating func optionalMember(_ name: StaticString, _ item: (some JSONItem)?) {
        if let item { member(name) { writer in writer.object { item.write(to: &$0) } } }
    }

    mutating func member(_ name: StaticString, _ texts: [String]) {
        member(name) { writer in writer.array { writer in for text in texts { writer.string(text) } } }
    }

    mutating func optionalMember(_ name: StaticString, _ instant: Timestamp?) {
        optionalMember(name, instant?.millisecondsSince1970)
    }

    mutating func nullableMember(_ name: StaticString, _ instant: Timestamp?) {
        nullableMember(name, instant?.millisecondsSince1970)
    }

    mutating func member(_ name: StaticString, _ instant: Timestamp) { member(name, instant.millisecondsSince1970) }
}
