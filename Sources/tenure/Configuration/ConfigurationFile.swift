import Primitives
import StrictJSON

/// A JSON object of the configuration file, read strictly: what is missing, of the wrong type or not known is an error that names
/// its place, since a mistyped member that is silently ignored is how a server runs with the wrong policy.
struct ConfigurationObject {
    private let object: JSONObject
    /// Where it stands in the file, for errors: `apps[0].policy`.
    let path: String

    init(_ value: JSONValue, at path: String, knowing names: Set<String>) throws {
        guard let object = value.object else {
            throw CommandError("\(path.isEmpty ? "The configuration" : path) must be a JSON object.")
        }
        self.object = object
        self.path = path
        for member in object where !names.contains(member.name) {
            let known = names.sorted().joined(separator: ", ")
            throw CommandError("\(place(member.name)) is not a member that Tenure knows; here it knows: \(known).")
        }
    }

    func place(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    /// The member; nil where it is absent or null.
    func value(_ name: String) -> JSONValue? {
        guard let value = object[name], !value.isNull else { return nil }
        return value
    }

    func text(_ name: String) throws -> String? {
        try value(name).map { value in
            guard let text = value.string, !text.isEmpty else {
                throw CommandError("\(place(name)) must be a text that is not empty.")
            }
            return text
        }
    }

    func requiredText(_ name: String) throws -> String {
        guard let text = try text(name) else { throw CommandError("\(place(name)) is missing.") }
        return text
    }

    func integer(_ name: String, in range: ClosedRange<Int64>) throws -> Int64? {
        try value(name).map { value in
            guard let number = value.int64, range.contains(number) else {
                throw CommandError("\(place(name)) must be a whole number from \(range.lowerBound) to \(range.upperBound).")
            }
            return number
        }
    }

    func bool(_ name: String) throws -> Bool? {
        try value(name).map { value in
            guard let bool = value.bool else { throw CommandError("\(place(name)) must be true or false.") }
            return bool
        }
    }

    func texts(_ name: String) throws -> [String] {
        try list(name).map { element in
            guard let text = element.string else { throw CommandError("\(place(name)) must be a list of texts.") }
            return text
        }
    }

    func list(_ name: String) throws -> [JSONValue] {
        guard let value = value(name) else { return [] }
        guard let array = value.array else { throw CommandError("\(place(name)) must be a list.") }
        return Array(array)
    }

    /// One of the spellings of an enumeration.
    func choice<Value: RawRepresentable & CaseIterable>(_ name: String, _ type: Value.Type) throws -> Value?
    where Value.RawValue == String {
        try text(name).map { spelling in
            guard let value = Value(rawValue: spelling) else {
                let known = Value.allCases.map(\.rawValue).joined(separator: ", ")
                throw CommandError("\(place(name)) is \(spelling); it must be one of \(known).")
            }
            return value
        }
    }

    func object(_ name: String, knowing names: Set<String>) throws -> ConfigurationObject? {
        try value(name).map { try ConfigurationObject($0, at: place(name), knowing: names) }
    }

    /// Members whose names are data, in the order of the file.
    func entries(_ name: String) throws -> [JSONObject.Member] {
        guard let value = value(name) else { return [] }
        guard let object = value.object else { throw CommandError("\(place(name)) must be a JSON object.") }
        return Array(object)
    }
}
