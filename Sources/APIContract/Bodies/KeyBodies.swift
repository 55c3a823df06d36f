package import Primitives
package import StrictJSON

/// A key that is to be made.
package struct KeyOrderBody: RequestContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "KeyOrder", "A key that is to be made.",
        [
            .required(
                "name", .text, "1 to 64 of a-z, 0-9 and -; stands in the audit, so that no other key ever has it.",
                example: "deploy-2026"),
            .required("kind", .word(KeyBody.kinds), "server: a secret of your backend; public: built into the app."),
            .required(
                "scopes", .list(.word(KeyScope.allCases.map(\.rawValue))), "What it may do, at least one.",
                example: KeyScope.entitlementsRead.rawValue),
            .optional("endsAt", .instant, "Until when it holds; without end unless said."),
            .optional("actor", .text, "Who makes it; the app's backend unless said. 200 characters.", example: "mia"),
        ])

    package var name: String
    package var kind: String
    package var scopes: [String]
    /// nil: without end.
    package var endsAt: Timestamp?
    package var actor: String?

    package init(name: String, kind: String, scopes: [String]) { (self.name, self.kind, self.scopes) = (name, kind, scopes) }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        name = try fields.requiredText("name")
        kind = try fields.requiredText("kind")
        guard let scopes = try fields.texts("scopes") else { throw fields.error("scopes", expected: .array) }
        self.scopes = scopes
        endsAt = try fields.instant("endsAt")
        actor = try fields.text("actor")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("name", name)
        writer.member("kind", kind)
        writer.member("scopes", scopes)
        writer.optionalMember("endsAt", endsAt)
        writer.optionalMember("actor", actor)
    }
}

/// A key as it stands, without itself.
package struct KeyBody: AnswerContent, JSONBody, JSONItem {
    static let kinds = ["server", "public"]

    package static let schema = ObjectSchema(
        "Key", "A key as it stands. The key itself is not kept: only its SHA-256 is.",
        [
            .required("name", .text, "As it was made.", example: "deploy-2026"),
            .required("kind", .word(kinds), "server or public; others may come."),
            .required("scopes", .list(.word(KeyScope.allCases.map(\.rawValue))), "What it may do; others may come."),
            .required("holds", .bool, "Whether it opens anything now."),
            .required("madeAt", .instant, "When it was made."),
            .required("madeBy", .text, "By whom, and after a slash with which key.", example: "mia/ops"),
            .optional("endsAt", .instant, "Until when it holds, or held."),
            .optional("endedBy", .text, "Who last said so, after it was made.", example: "mia/ops"),
            .optional("lastUsedAt", .instant, "The hour of its last use."),
            .required(
                "isUsedNearEnd", .bool,
                "Whether it was used in the 7 days before its end: whoever uses it must have another one by then."),
        ])

    package var name: String
    package var kind: String
    package var scopes: [String]
    package var holds: Bool
    package var madeAt: Timestamp
    package var madeBy: String
    package var endsAt: Timestamp?
    package var endedBy: String?
    package var lastUsedAt: Timestamp?
    package var isUsedNearEnd = false

    package init(name: String, kind: String, scopes: [String], madeAt: Timestamp, madeBy: String) {
        (self.name, self.kind, self.scopes) = (name, kind, scopes)
        (self.madeAt, self.madeBy, holds) = (madeAt, madeBy, true)
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        name = try fields.requiredText("name")
        kind = try fields.requiredText("kind")
        scopes = try fields.texts("scopes") ?? []
        holds = try fields.requiredBool("holds")
        madeAt = try fields.requiredInstant("madeAt")
        madeBy = try fields.requiredText("madeBy")
        endsAt = try fields.instant("endsAt")
        endedBy = try fields.text("endedBy")
        lastUsedAt = try fields.instant("lastUsedAt")
        isUsedNearEnd = try fields.requiredBool("isUsedNearEnd")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("name", name)
        writer.member("kind", kind)
        writer.member("scopes", scopes)
        writer.member("holds", holds)
        writer.member("madeAt", madeAt)
        writer.member("madeBy", madeBy)
        writer.optionalMember("endsAt", endsAt)
        writer.optionalMember("endedBy", endedBy)
        writer.optionalMember("lastUsedAt", lastUsedAt)
        writer.member("isUsedNearEnd", isUsedNearEnd)
    }
}

/// A key that was made, with the key itself.
package struct MadeKeyBody: AnswerContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "MadeKey", "A key that was made.",
        [
            .required(
                "key", .text, "The key itself: it is shown only now.", example: "tnr_sk_0123456789abcdefABCDEF_000000"),
            .required("made", .object(KeyBody.schema), "The key as it stands."),
        ])

    package var key: String
    package var made: KeyBody

    package init(key: String, made: KeyBody) { (self.key, self.made) = (key, made) }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        key = try fields.requiredText("key")
        made = try KeyBody(try fields.required("made", .object, try fields.fields("made")))
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("key", key)
        writer.optionalMember("made", made)
    }
}

/// The keys of an app that the database has.
package struct KeysBody: AnswerContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "Keys", "The keys of an app that the database has, those that ended too.",
        [.required("keys", .list(.object(KeyBody.schema)), "By name; at most 1000.")])

    package var keys: [KeyBody]

    package init(keys: [KeyBody]) { self.keys = keys }

    package init(_ fields: JSONFields) throws(JSONFieldError) { keys = try fields.requiredList("keys", KeyBody.init) }

    package func write(to writer: inout JSONWriter) { writer.member("keys", keys) }
}

/// When a key is to end.
package struct KeyEndBody: RequestContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "KeyEnd", "When a key is to end.",
        [
            .optional(
                "endsAt", .instant, "At this instant; now unless said, or where it is past. An end that was reached stays."),
            .optional("actor", .text, "Who ends it; the app's backend unless said. 200 characters.", example: "mia"),
        ])

    /// nil: now.
    package var endsAt: Timestamp?
    package var actor: String?

    package init(endsAt: Timestamp? = nil, actor: String? = nil) { (self.endsAt, self.actor) = (endsAt, actor) }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        endsAt = try fields.instant("endsAt")
        actor = try fields.text("actor")
    }

    package func write(to writer: inout JSONWriter) {
        writer.optionalMember("endsAt", endsAt)
        writer.optionalMember("actor", actor)
    }
}
