package import Primitives
package import StrictJSON

/// What is shown of the Apple Account that bought a subscription (OWN-14).
package struct AppleAccountItem: JSONItem {
    package static let schema = ObjectSchema(
        "AppleAccount", "What is shown of the Apple Account that bought a subscription (OWN-14).",
        [
            .required("subscriptions", .list(.text), "The subscriptions and purchases of the same account; this one included."),
            .required("shownBy", .list(.object(Evidence.schema)), "What shows it; empty where nothing does."),
        ])

    package var subscriptions: [String]
    package var shownBy: [Evidence]

    package init(subscriptions: [String], shownBy: [Evidence]) {
        (self.subscriptions, self.shownBy) = (subscriptions, shownBy)
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        subscriptions = try fields.required("subscriptions", .array, try fields.texts("subscriptions"))
        shownBy = try fields.requiredList("shownBy", Evidence.init)
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("subscriptions", subscriptions)
        writer.member("shownBy", shownBy)
    }

    /// One thing that shows it.
    package struct Evidence: JSONItem {
        package static let schema = ObjectSchema(
            "AccountEvidence", "Something that shows which Apple Account bought it.",
            [
                .required(
                    "kind", .word(["appTransactionId", "receipt"]),
                    "Apple's id of the app's download, or a receipt that held several subscriptions."),
                .required("id", .text, "The id, or the receipt's SHA-256 in hexadecimal.", example: "704341234567891234"),
            ])

        package var kind: String
        package var id: String

        package init(kind: String, id: String) { (self.kind, self.id) = (kind, id) }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            kind = try fields.requiredText("kind")
            id = try fields.requiredText("id")
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("kind", kind)
            writer.member("id", id)
        }
    }
}

/// Who probably owns a subscription that nobody is shown to own (OWN-14).
package struct OwnerProposalItem: PagedItem {
    package static let page = PageWords(
        "OwnerProposals", "The owners who are proposed for subscriptions that nobody owns (OWN-14).", order: "By subscription.")
    package static let schema = ObjectSchema(
        "OwnerProposal", "Who probably owns a subscription: the same Apple Account bought another one that is theirs (OWN-14).",
        [
            .required("originalTransactionId", .text, "The subscription that nobody owns.", example: "2000000222"),
            .required("customer", .text, "Who owns the other one now.", example: "alice"),
            .required("otherSubscription", .text, "The other one.", example: "2000000111"),
            .required("shownBy", .list(.object(AppleAccountItem.Evidence.schema)), "What shows the Apple Account."),
        ])

    package var originalTransactionId: String
    package var customer: String
    package var otherSubscription: String
    package var shownBy: [AppleAccountItem.Evidence]

    package init(
        originalTransactionId: String, customer: String, otherSubscription: String, shownBy: [AppleAccountItem.Evidence]
    ) {
        self.originalTransactionId = originalTransactionId
        self.customer = customer
        self.otherSubscription = otherSubscription
        self.shownBy = shownBy
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        originalTransactionId = try fields.requiredText("originalTransactionId")
        customer = try fields.requiredText("customer")
        otherSubscription = try fields.requiredText("otherSubscription")
        shownBy = try fields.requiredList("shownBy", AppleAccountItem.Evidence.init)
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("originalTransactionId", originalTransactionId)
        writer.member("customer", customer)
        writer.member("otherSubscription", otherSubscription)
        writer.member("shownBy", shownBy)
    }
}

extension SubscriptionBody {
    /// Whose the subscription was, as it was known from an instant of ours on.
    package struct Revision: JSONItem {
        package static let schema = ObjectSchema(
            "OwnerRevision", "Whose the subscription was, as it was known from an instant on.",
            [
                .required("number", .integer, "1, 2, 3, … of this subscription."),
                .required("learnedAt", .instant, "Since when it was known."),
                .required("tenures", .list(.object(Owner.schema)), "The owners, from the first known period on."),
            ])

        package var number: Int64
        package var learnedAt: Timestamp
        package var tenures: [Owner]

        package init(number: Int64, learnedAt: Timestamp, tenures: [Owner]) {
            (self.number, self.learnedAt, self.tenures) = (number, learnedAt, tenures)
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            number = try fields.requiredInteger("number")
            learnedAt = try fields.requiredInstant("learnedAt")
            tenures = try fields.requiredList("tenures", Owner.init)
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("number", number)
            writer.member("learnedAt", learnedAt)
            writer.member("tenures", tenures)
        }

        /// An owner in a revision.
        package struct Owner: JSONItem {
            package static let schema = ObjectSchema(
                "RevisedTenure", "An owner in one revision.",
                [
                    .nullable("customer", .text, "Null: no owner.", example: "alice"),
                    .required("from", .instant, "From when on, until the next one."),
                    .required("rule", .text, "By which rule.", example: "OWN-5"),
                ])

            package var customer: String?
            package var from: Timestamp
            package var rule: String

            package init(customer: String?, from: Timestamp, rule: String) {
                (self.customer, self.from, self.rule) = (customer, from, rule)
            }

            package init(_ fields: JSONFields) throws(JSONFieldError) {
                customer = try fields.text("customer")
                from = try fields.requiredInstant("from")
                rule = try fields.requiredText("rule")
            }

            package func write(to writer: inout JSONWriter) {
                writer.nullableMember("customer", customer)
                writer.member("from", from)
                writer.member("rule", rule)
            }
        }
    }
}
