package import StrictJSON

/// The claims that wait, a page of them (OWN-9).
package struct WaitingClaimsBody: AnswerContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "WaitingClaims", "The claims that wait for an operator, for the owner, or for what Apple has yet to sign (OWN-9).",
        [
            .required("items", .list(.object(Item.schema)), "By subscription, and by when they were made."),
            .optional("next", .text, "The address of the next page; absent on the last one."),
        ])

    package var items: [Item]
    package var next: String?

    package init(items: [Item], next: String?) {
        self.items = items
        self.next = next
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        items = try fields.requiredList("items", Item.init)
        next = try fields.text("next")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("items", items)
        writer.optionalMember("next", next)
    }

    /// A claim that waits, and on what.
    package struct Item: JSONItem {
        package static let schema = ObjectSchema(
            "WaitingClaim", "A claim that waits, and on what.",
            [
                .required("originalTransactionId", .text, "Of the subscription.", example: "2000000111"),
                .nullable("owner", .text, "Whom the subscription serves now; null where nobody.", example: "alice"),
                .required("claim", .object(SubscriptionBody.Claim.schema), "What was claimed; its outcome says why it waits."),
            ])

        package var originalTransactionId: String
        package var owner: String?
        package var claim: SubscriptionBody.Claim

        package init(originalTransactionId: String, owner: String?, claim: SubscriptionBody.Claim) {
            self.originalTransactionId = originalTransactionId
            self.owner = owner
            self.claim = claim
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            originalTransactionId = try fields.requiredText("originalTransactionId")
            owner = try fields.text("owner")
            claim = try SubscriptionBody.Claim(try fields.required("claim", .object, try fields.fields("claim")))
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("originalTransactionId", originalTransactionId)
            writer.nullableMember("owner", owner)
            writer.optionalMember("claim", claim)
        }
    }
}
