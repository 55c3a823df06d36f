package import StrictJSON

/// What of a newer document breaks clients that were made from an older one. Within v1 members, operations, words and codes are
/// added, and nothing is taken away or narrowed.
package struct DocumentComparison: Sendable {
    /// One thing that breaks them, in words that name its place; sorted. Empty where there is none.
    package let breaks: [String]

    /// - Throws: `JSONFieldError` where one of them is no such document.
    package init(from older: JSONValue, to newer: JSONValue) throws(JSONFieldError) {
        let (before, after) = (try JSONFields(older), try JSONFields(newer))
        var found: [String] = []
        let (paths, newPaths) = (try Self.members("paths", of: before), try Self.members("paths", of: after))
        for (path, item) in paths {
            for (method, operation) in try Self.objects(in: item) {
                let place = "\(method.uppercased()) \(path)"
                guard
                    let newer = try newPaths[path].flatMap({ item throws(JSONFieldError) in try Self.objects(in: item)[method] })
                else {
                    found.append("\(place) is gone")
                    continue
                }
                found += try Self.breaks(in: operation, newer, at: place)
            }
        }
        let requests = try Self.requestSchemas(of: after)
        let schemas = try Self.schemas(of: before)
        let newSchemas = try Self.schemas(of: after)
        for (name, schema) in schemas {
            guard let newer = newSchemas[name] else {
                found.append("\(name) is gone")
                continue
            }
            found += try Self.breaks(in: schema, newer, at: name, isRequest: requests.contains(name))
        }
        breaks = found.sorted()
    }

    // MARK: Operations

    private static func breaks(
        in older: JSONFields, _ newer: JSONFields, at place: String
    ) throws(JSONFieldError) -> [String] {
        var found: [String] = []
        if try older.text("operationId") != newer.text("operationId") { found.append("\(place) has another operationId") }
        let statuses = try members("responses", of: newer)
        for status in try members("responses", of: older).keys where statuses[status] == nil {
            found.append("\(place) does not answer \(status) any more")
        }
        let (known, parameters) = (try parameters(of: older), try parameters(of: newer))
        for (name, _) in known where parameters[name] == nil { found.append("\(place) has no parameter \(name) any more") }
        for (name, parameter) in parameters where known[name] == nil {
            if try parameter.bool("required") == true { found.append("\(place) needs the parameter \(name)") }
        }
        if !older.has("requestBody"), newer.has("requestBody") { found.append("\(place) needs a body") }
        return found
    }

    private static func parameters(of operation: JSONFields) throws(JSONFieldError) -> [String: JSONFields] {
        var parameters: [String: JSONFields] = [:]
        for parameter in try operation.list("parameters") ?? [] { parameters[try parameter.requiredText("name")] = parameter }
        return parameters
    }

    // MARK: Schemas

    private static func breaks(
        in older: JSONFields, _ newer: JSONFields, at place: String, isRequest: Bool
    ) throws(JSONFieldError) -> [String] {
        var found: [String] = []
        let (required, newRequired) = (Set(try older.texts("required") ?? []), Set(try newer.texts("required") ?? []))
        let (properties, newProperties) = (try members("properties", of: older), try members("properties", of: newer))
        for (name, member) in properties {
            let place = "\(place).\(name)"
            guard let newer = newProperties[name] else {
                found.append("\(place) is gone")
                continue
            }
            if !isRequest, required.contains(name), !newRequired.contains(name) { found.append("\(place) may be left out") }
            if let change = try narrowing(of: member, newer, isRequest: isRequest) { found.append("\(place) \(change)") }
        }
        if isRequest {
            for name in newRequired.subtracting(required).sorted() { found.append("\(place).\(name) is required") }
        }
        return found
    }

    /// A request may take more than before and an answer give less; the other way round breaks clients.
    private static func narrowing(
        of older: JSONFields, _ newer: JSONFields, isRequest: Bool
    ) throws(JSONFieldError) -> String? {
        if try older.text("$ref") != newer.text("$ref") { return "is of another type" }
        let (types, newTypes) = (try types(of: older), try types(of: newer))
        guard isRequest ? types.isSubset(of: newTypes) : newTypes.isSubset(of: types) else {
            return "was \(types.sorted().joined(separator: " or ")) and is \(newTypes.sorted().joined(separator: " or "))"
        }
        let (wider, narrower) = isRequest ? (newer, older) : (older, newer)
        if let least = try wider.integer("minimum"), try narrower.integer("minimum") ?? .min < least {
            return "has another minimum"
        }
        if let most = try wider.integer("maximum"), try narrower.integer("maximum") ?? .max > most {
            return "has another maximum"
        }
        guard let items = try older.fields("items"), let newItems = try newer.fields("items") else { return nil }
        return try narrowing(of: items, newItems, isRequest: isRequest)
    }

    private static func types(of schema: JSONFields) throws(JSONFieldError) -> Set<String> {
        guard let value = schema.value("type") else { return [] }
        if let type = value.string { return [type] }
        return Set(try schema.texts("type") ?? [])
    }

    /// The names of the schemas that requests have, also inside others.
    private static func requestSchemas(of document: JSONFields) throws(JSONFieldError) -> Set<String> {
        var names: Set<String> = []
        for (_, item) in try members("paths", of: document) {
            for (_, operation) in try objects(in: item) {
                guard let body = try operation.fields("requestBody"), let content = try body.fields("content") else { continue }
                for (_, media) in try objects(in: content) {
                    if let name = try media.fields("schema")?.text("$ref") {
                        names.insert(String(name.split(separator: "/").last ?? ""))
                    }
                }
            }
        }
        return names
    }

    private static func schemas(of document: JSONFields) throws(JSONFieldError) -> [String: JSONFields] {
        guard let components = try document.fields("components") else { return [:] }
        return try members("schemas", of: components)
    }

    // MARK: Objects

    private static func members(_ name: String, of fields: JSONFields) throws(JSONFieldError) -> [String: JSONFields] {
        guard let object = try fields.fields(name) else { return [:] }
        return try objects(in: object)
    }

    private static func objects(in fields: JSONFields) throws(JSONFieldError) -> [String: JSONFields] {
        var objects: [String: JSONFields] = [:]
        for member in fields.object where member.value.object != nil {
            objects[member.name] = try fields.fields(member.name)
        }
        return objects
    }
}
