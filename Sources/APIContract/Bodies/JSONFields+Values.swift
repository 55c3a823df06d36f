import Primitives
import StrictJSON

/// Values of ours in bodies.
extension JSONFields {
    /// An instant, in milliseconds since 1970.
    func instant(_ name: String) throws(JSONFieldError) -> Timestamp? {
        try integer(name, in: 0...Timestamp.latestAccepted.millisecondsSince1970).map { Timestamp(millisecondsSince1970: $0) }
    }

    func requiredInstant(_ name: String) throws(JSONFieldError) -> Timestamp {
        try required(name, .integer(0...Timestamp.latestAccepted.millisecondsSince1970), try instant(name))
    }

    /// An environment in Apple's spelling.
    func requiredEnvironment(_ name: String) throws(JSONFieldError) -> Environment {
        let spelling = try requiredText(name)
        guard let environment = Environment(rawValue: spelling) else { throw error(name, expected: .text) }
        return environment
    }

    /// The elements of a list that must be there, each an object.
    func requiredList<Element>(
        _ name: String, _ read: (JSONFields) throws(JSONFieldError) -> Element
    ) throws(JSONFieldError) -> [Element] {
        var elements: [Element] = []
        for fields in try required(name, .array, try list(name)) { elements.append(try read(fields)) }
        return elements
    }
}
