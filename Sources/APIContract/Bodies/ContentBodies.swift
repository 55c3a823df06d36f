package import Primitives
package import StrictJSON

/// Whether a customer may use an item.
package struct ContentUseBody: AnswerContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "ContentUse", "Whether a customer may use an item, and by what right or why not (ENT-8).",
        [
            .required("isAllowed", .bool, "Whether they may."),
            .required(
                "because", .word(["active", "kept", "publishedWhilePaid", "notPublished", "notUnlocked", "lost"]),
                "By what right, or why not."),
        ])

    package var isAllowed: Bool
    package var because: String

    package init(isAllowed: Bool, because: String) {
        self.isAllowed = isAllowed
        self.because = because
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        isAllowed = try fields.requiredBool("isAllowed")
        because = try fields.requiredText("because")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("isAllowed", isAllowed)
        writer.member("because", because)
    }
}

/// What unlocking an item came to.
package struct ContentUnlockBody: AnswerContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "ContentUnlock", "What unlocking an item came to (ENT-8).",
        [
            .required(
                "outcome", .word(["unlocked", "unlockedBefore", "rationed", "refused"]),
                "unlocked now or before; or the ration of this period is used up; or refused."),
            .optional("left", .integer, "How many more in this period; absent where any number."),
            .optional("unlockedAt", .instant, "When it was unlocked before."),
            .optional("againAt", .instant, "When the next ration begins."),
            .optional("because", .word(["notPublished", "notActive"]), "Why it is refused."),
        ])

    package var outcome: String
    package var left: Int64?
    package var unlockedAt: Timestamp?
    package var againAt: Timestamp?
    package var because: String?

    package init(outcome: String) { self.outcome = outcome }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        outcome = try fields.requiredText("outcome")
        left = try fields.integer("left")
        unlockedAt = try fields.instant("unlockedAt")
        againAt = try fields.instant("againAt")
        because = try fields.text("because")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("outcome", outcome)
        writer.optionalMember("left", left)
        writer.optionalMember("unlockedAt", unlockedAt)
        writer.optionalMember("againAt", againAt)
        writer.optionalMember("because", because)
    }
}

/// A customer's licences to updates, and the features that they cover.
package struct LicencesBody: AnswerContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "Licences", "A customer's licences to updates, and the features that they cover (LIC-1).",
        [
            .required("at", .instant, "The instant that is answered for."),
            .nullable("end", .instant, "Up to where the customer has updates; null without a licence."),
            .required("isPaidAppHolder", .bool, "Whether the customer once paid for the app itself (LIC-3)."),
            .required("licences", .list(.object(Licence.schema)), "All that the customer ever had, by when they were earned."),
            .required("features", .list(.object(Feature.schema)), "What was released by then, in that order."),
            .required("appPurchases", .list(.object(AppPurchaseBody.schema)), "How the customer came by the app."),
        ])

    package var at: Timestamp
    package var end: Timestamp?
    package var isPaidAppHolder: Bool
    package var licences: [Licence] = []
    package var features: [Feature] = []
    package var appPurchases: [AppPurchaseBody] = []

    package init(at instant: Timestamp, end: Timestamp?, isPaidAppHolder: Bool) {
        at = instant
        self.end = end
        self.isPaidAppHolder = isPaidAppHolder
    }

    /// A right to updates.
    package struct Licence: JSONItem {
        package static let schema = ObjectSchema(
            "Licence", "A right to updates (LIC-1).",
            [
                .required("from", .instant, "When it was earned."),
                .required("until", .instant, "The last instant at which a feature may be released that it covers."),
                .required("rule", .text, "The rule that gives it.", example: "LIC-2"),
                .optional("originalTransactionId", .text, "The subscription that it rests on."),
                .optional("transactionId", .text, "The purchase that it rests on."),
            ])

        package var from: Timestamp
        package var until: Timestamp
        package var rule: String
        package var originalTransactionId: String?
        package var transactionId: String?

        package init(from: Timestamp, until: Timestamp, rule: String) {
            self.from = from
            self.until = until
            self.rule = rule
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            from = try fields.requiredInstant("from")
            until = try fields.requiredInstant("until")
            rule = try fields.requiredText("rule")
            originalTransactionId = try fields.text("originalTransactionId")
            transactionId = try fields.text("transactionId")
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("from", from)
            writer.member("until", until)
            writer.member("rule", rule)
            writer.optionalMember("originalTransactionId", originalTransactionId)
            writer.optionalMember("transactionId", transactionId)
        }
    }

    /// A feature, and whether the customer may use it.
    package struct Feature: JSONItem {
        package static let schema = ObjectSchema(
            "Feature", "A feature of the app, and whether the customer may use it.",
            [
                .required("id", .text, "As the configuration names it.", example: "export.pdf"),
                .required("name", .text, "For people.", example: "Export as PDF"),
                .required("releaseDate", .instant, "When it was released."),
                .required("isUsable", .bool, "Whether a licence covers it."),
                .optional("rule", .text, "The rule of that licence.", example: "LIC-2"),
            ])

        package var id: String
        package var name: String
        package var releaseDate: Timestamp
        package var isUsable: Bool
        package var rule: String?

        package init(id: String, name: String, releaseDate: Timestamp, rule: String?) {
            self.id = id
            self.name = name
            self.releaseDate = releaseDate
            isUsable = rule != nil
            self.rule = rule
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            id = try fields.requiredText("id")
            name = try fields.requiredText("name")
            releaseDate = try fields.requiredInstant("releaseDate")
            isUsable = try fields.requiredBool("isUsable")
            rule = try fields.text("rule")
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("id", id)
            writer.member("name", name)
            writer.member("releaseDate", releaseDate)
            writer.member("isUsable", isUsable)
            writer.optionalMember("rule", rule)
        }
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        at = try fields.requiredInstant("at")
        end = try fields.instant("end")
        isPaidAppHolder = try fields.requiredBool("isPaidAppHolder")
        licences = try fields.requiredList("licences", Licence.init)
        features = try fields.requiredList("features", Feature.init)
        appPurchases = try fields.requiredList("appPurchases", AppPurchaseBody.init)
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("at", at)
        writer.nullableMember("end", end)
        writer.member("isPaidAppHolder", isPaidAppHolder)
        writer.member("licences", licences)
        writer.member("features", features)
        writer.member("appPurchases", appPurchases)
    }
}
