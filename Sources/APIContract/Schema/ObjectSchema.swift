/// What a JSON object of the API has in it, as a value: the OpenAPI document, the page and the help of the command line are made
/// of it, and requests are refused that have other members.
package struct ObjectSchema: Sendable, Hashable {
    /// Its name among the document's components; unique.
    package let name: String
    /// One sentence.
    package let summary: String
    package let members: [MemberSchema]

    package init(_ name: String, _ summary: String, _ members: [MemberSchema]) {
        self.name = name
        self.summary = summary
        self.members = members
    }

    package var names: Set<String> { Set(members.map(\.name)) }
}

/// One member of an object.
package struct MemberSchema: Sendable, Hashable {
    package let name: String
    package let value: ValueSchema
    package let presence: Presence
    /// One sentence.
    package let summary: String
    /// In place of the one that is made from the type.
    package let example: String?

    /// Whether it is there.
    package enum Presence: Sendable, Hashable {
        case required
        /// Always there, and null where there is nothing to say.
        case nullable
        /// Left out where there is nothing to say.
        case optional
    }

    package static func required(
        _ name: String, _ value: ValueSchema, _ summary: String, example: String? = nil
    ) -> MemberSchema {
        MemberSchema(name: name, value: value, presence: .required, summary: summary, example: example)
    }

    package static func nullable(
        _ name: String, _ value: ValueSchema, _ summary: String, example: String? = nil
    ) -> MemberSchema {
        MemberSchema(name: name, value: value, presence: .nullable, summary: summary, example: example)
    }

    package static func optional(
        _ name: String, _ value: ValueSchema, _ summary: String, example: String? = nil
    ) -> MemberSchema {
        MemberSchema(name: name, value: value, presence: .optional, summary: summary, example: example)
    }
}

/// What kind of value it is.
package indirect enum ValueSchema: Sendable, Hashable {
    case text
    /// One of these; others may come in answers.
    case word([String])
    /// From the first number to the second.
    case integer(Int64, Int64)
    /// Milliseconds since 1970.
    case instant
    case bool
    case object(ObjectSchema)
    case list(ValueSchema)
    /// An object whose members' names are data.
    case map(ValueSchema)

    /// Any integer of 64 bits.
    package static var integer: ValueSchema { .integer(.min, .max) }
}

extension ValueSchema {
    /// What kind of change of plan it is (PER-3).
    static let planChange = ValueSchema.word([
        "upgrade", "downgrade", "crossgradeOfSameDuration", "crossgradeOfOtherDuration",
    ])
    /// When a change of plan takes effect.
    static let planChangeEffect = ValueSchema.word(["atOnce", "atRenewal"])
}
