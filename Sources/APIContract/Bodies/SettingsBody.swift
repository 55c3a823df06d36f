package import Primitives
package import StrictJSON

/// The versions of what an app chose: policy, products, what it offers (OWN-17).
package struct SettingsBody: AnswerContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "Settings", "The versions of what an app chose: policy, products, what it offers (OWN-17).",
        [
            .required("versions", .list(.object(Version.schema)), "By number; empty before the first was applied."),
            .required("applying", .list(.object(Progress.schema)), "Where the newest one is being worked through."),
        ])

    package var versions: [Version]

    package var applying: [Progress]

    package init(versions: [Version], applying: [Progress] = []) {
        self.versions = versions
        self.applying = applying
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        versions = try fields.requiredList("versions", Version.init)
        applying = try fields.requiredList("applying", Progress.init)
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("versions", versions)
        writer.member("applying", applying)
    }

    package var expectedBytes: Int { 64 + 2048 * versions.count }

    /// How far the newest version is worked through in one ledger.
    package struct Progress: JSONItem {
        package static let schema = ObjectSchema(
            "SettingsProgress", "How far the newest version is worked through in one ledger.",
            [
                .required("environment", .word(Environment.names), "Which ledger."),
                .required("version", .integer(1, .max), "Its number."),
                .required("looked", .integer(0, .max), "How many subscriptions were looked at."),
                .required("changed", .integer(0, .max), "How many of them it changed."),
            ])

        package var environment: Environment
        package var version: Int64
        package var looked: Int64
        package var changed: Int64

        package init(environment: Environment, version: Int64, looked: Int64, changed: Int64) {
            self.environment = environment
            self.version = version
            self.looked = looked
            self.changed = changed
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            environment = try fields.requiredEnvironment("environment")
            version = try fields.requiredInteger("version")
            looked = try fields.requiredInteger("looked")
            changed = try fields.requiredInteger("changed")
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("environment", environment.rawValue)
            writer.member("version", version)
            writer.member("looked", looked)
            writer.member("changed", changed)
        }
    }

    /// One version.
    package struct Version: JSONItem {
        package static let schema = ObjectSchema(
            "SettingsVersion", "One version of what an app chose.",
            [
                .required("number", .integer(1, .max), "1, 2, 3, … of this app."),
                .optional("validFrom", .instant, "From when on it holds; absent of the first, which always held."),
                .required("appliedAt", .instant, "When it was applied."),
                .required("actor", .text, "Who applied it; serve: a server's file.", example: "serve"),
                .required("digest", .text, "SHA-256 of the document, in hexadecimal."),
                .required("document", .text, "What it says, as JSON.", example: "{}"),
            ])

        package var number: Int64
        package var validFrom: Timestamp?
        package var appliedAt: Timestamp
        package var actor: String
        package var digest: String
        package var document: String

        package init(number: Int64, appliedAt: Timestamp, actor: String, digest: String, document: String) {
            self.number = number
            self.appliedAt = appliedAt
            self.actor = actor
            self.digest = digest
            self.document = document
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            number = try fields.requiredInteger("number")
            validFrom = try fields.instant("validFrom")
            appliedAt = try fields.requiredInstant("appliedAt")
            actor = try fields.requiredText("actor")
            digest = try fields.requiredText("digest")
            document = try fields.requiredText("document")
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("number", number)
            writer.optionalMember("validFrom", validFrom)
            writer.member("appliedAt", appliedAt)
            writer.member("actor", actor)
            writer.member("digest", digest)
            writer.member("document", document)
        }
    }
}
