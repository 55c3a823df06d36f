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
    func environment(_ name: String) throws(JSONFieldError) -> Environment? {
        guard let spelling = try text(name) else { return nil }
        guard let environment = Environment(rawValue: spelling) else { throw error(name, expected: .text) }
        return environment
    }

    func requiredEnvironment(_ name: String) throws(JSONFieldError) -> Environment {
        try required(name, .text, try environment(name))
    }

    func environments(_ name: String) throws(JSONFieldError) -> [Environment]? {
        guard let spellings = try texts(name) else { return nil }
        var environments: [Environment] = []
        for spelling in spellings {
            guard let environment = Environment(rawValue: spelling) else { throw error(name, expected: .text) }
            environments.append(environment)
        }
        return environments
    }

    /// The elements of a list, each an object.
    func items<Element>(
        _ name: String, _ read: (JSONFields) throws(JSONFieldError) -> Element
    ) throws(JSONFieldError) -> [Element]? {
        guard let list = try list(name) else { return nil }
        var elements: [Element] = []
        for fields in list { elements.append(try read(fields)) }
        return elements
    }

    /// The elements of a list that must be there.
    func requiredList<Element>(
        _ name: String, _ read: (JSONFields) throws(JSONFieldError) -> Element
    ) throws(JSONFieldError) -> [Element] {
        try required(name, .array, try items(name, read))
    }
}
