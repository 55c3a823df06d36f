package import StrictJSON

/// A claim that waits, and on what.
package struct WaitingClaimItem: PagedItem {
    package static let page = PageWords(
        "WaitingClaims", "The claims that wait for an operator, for the owner, or for what Apple has yet to sign (OWN-9).",
        order: "By subscription, and by when they were made.")

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
