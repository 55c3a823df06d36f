import StrictJSON

// The configuration file, read strictly: a member that is missing, of the wrong type or unknown is an error that names its place.
// If mistyped members were ignored silently, a server could run with the wrong policy.
extension JSONFields {
    /// An object of the file.
    init(_ value: JSONValue, at path: String = "", knowing names: Set<String>) throws {
        try self.init(value, at: path, rules: [.nullIsAbsent, .noEmptyTexts])
        try refuseMembers(besides: names)
    }

    func fields(_ name: String, knowing names: Set<String>) throws -> JSONFields? {
        guard let fields = try fields(name) else { return nil }
        try fields.refuseMembers(besides: names)
        return fields
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

    /// Members whose names are data, in the order of the file.
    func entries(_ name: String) throws -> [JSONObject.Member] { try fields(name).map { Array($0.object) } ?? [] }
}

extension CommandError {
    /// What is wrong with a member of the configuration.
    init(_ error: JSONFieldError) {
        let place = error.path.isEmpty ? "The configuration" : error.path
        switch error.expected {
        case .noneBut(let known):
            self.init("\(place) is not a member that Tenure knows; here it knows: \(known.joined(separator: ", ")).")
        case _ where error.found == .nothing: self.init("\(place) is missing.")
        case .object: self.init("\(place) must be a JSON object.")
        case .array: self.init("\(place) must be a list.")
        case .bool: self.init("\(place) must be true or false.")
        case .text: self.init("\(place) must be a text.")
        case .textNotEmpty: self.init("\(place) must be a non-empty text.")
        case .integer(let range):
            self.init("\(place) must be a whole number from \(range.lowerBound) to \(range.upperBound).")
        }
    }
}
