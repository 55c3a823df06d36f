/// What a request or an answer has for content.
package enum ContentSchema: Sendable, Hashable {
    case nothing
    case json(ObjectSchema)
    /// Bytes that only their reader understands.
    case bytes
    /// A text of another media type.
    case text(mediaType: String)
    /// Objects, each on a line of its own and one of these; `application/x-ndjson`.
    case lines([ObjectSchema])

    /// The objects in it.
    package var schemas: [ObjectSchema] {
        switch self {
        case .json(let schema): [schema]
        case .lines(let schemas): schemas
        case .nothing, .bytes, .text: []
        }
    }
}

/// A parameter of a path or a query, for people and generators.
package struct ParameterSchema: Sendable, Hashable {
    package let name: String
    package let value: ValueSchema
    /// One sentence.
    package let summary: String
    package let example: String

    package init(_ name: String, _ value: ValueSchema, _ summary: String, example: String) {
        self.name = name
        self.value = value
        self.summary = summary
        self.example = example
    }
}
