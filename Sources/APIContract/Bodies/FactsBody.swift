package import Primitives
package import StrictJSON

/// The facts of a subscription, and what proves them, byte for byte (FACT-6).
package struct FactsBody: AnswerContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "Facts", "The facts of a subscription, and what proves them, byte for byte (FACT-6).",
        [
            .required("facts", .list(.object(Fact.schema)), "By signedDate; at most 1000."),
            .required("evidence", .list(.object(Evidence.schema)), "What proves them; one may prove several."),
        ])

    package var facts: [Fact]
    package var evidence: [Evidence]

    package init(facts: [Fact], evidence: [Evidence]) {
        self.facts = facts
        self.evidence = evidence
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        facts = try fields.requiredList("facts", Fact.init)
        evidence = try fields.requiredList("evidence", Evidence.init)
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("facts", facts)
        writer.member("evidence", evidence)
    }

    package var expectedBytes: Int { 256 + evidence.reduce(256 * facts.count) { $0 + $1.content.utf8.count } }
}

extension FactsBody {
    /// What Apple said once, or did not say when it was asked.
    package struct Fact: JSONItem {
        package static let schema = ObjectSchema(
            "Fact", "What Apple said once, or did not say when it was asked.",
            [
                .required("kind", .word(["transaction", "renewal", "notification", "status", "failedQuestion"]), "What it is."),
                .required("signedDate", .instant, "When Apple signed it, or answered; of a failed question, when it was asked."),
                .required("receivedAt", .instant, "When we received it first."),
                .optional("transactionId", .text, "Apple's id, where it is about one transaction.", example: "2000000113"),
                .optional("notificationType", .text, "In Apple's spelling.", example: "DID_RENEW"),
                .optional("subtype", .text, "In Apple's spelling.", example: "BILLING_RECOVERY"),
                .optional("notificationUUID", .text, "Apple's id of the notification."),
                .optional(
                    "status", .integer(.min, .max),
                    "In a notification or in an answer: 1 active, 2 expired, 3 billing retry, 4 billing grace period, 5 revoked.",
                    example: "1"),
                .optional("evidence", .integer(0, .max), "Which of the list proves it, from 0; absent where nobody signs it."),
            ])

        package var kind: String
        package var signedDate: Timestamp
        package var receivedAt: Timestamp
        package var transactionId: String?
        package var notificationType: String?
        package var subtype: String?
        package var notificationUUID: String?
        package var status: Int64?
        package var evidence: Int64?

        package init(kind: String, signedDate: Timestamp, receivedAt: Timestamp) {
            self.kind = kind
            self.signedDate = signedDate
            self.receivedAt = receivedAt
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            kind = try fields.requiredText("kind")
            signedDate = try fields.requiredInstant("signedDate")
            receivedAt = try fields.requiredInstant("receivedAt")
            transactionId = try fields.text("transactionId")
            notificationType = try fields.text("notificationType")
            subtype = try fields.text("subtype")
            notificationUUID = try fields.text("notificationUUID")
            status = try fields.integer("status")
            evidence = try fields.integer("evidence")
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("kind", kind)
            writer.member("signedDate", signedDate)
            writer.member("receivedAt", receivedAt)
            writer.optionalMember("transactionId", transactionId)
            writer.optionalMember("notificationType", notificationType)
            writer.optionalMember("subtype", subtype)
            writer.optionalMember("notificationUUID", notificationUUID)
            writer.optionalMember("status", status)
            writer.optionalMember("evidence", evidence)
        }
    }

    /// What proves facts, as it came.
    package struct Evidence: JSONItem {
        package static let schema = ObjectSchema(
            "Evidence", "What proves facts, as it came.",
            [
                .required(
                    "form", .word(["compactJWS", "appReceipt", "transactionReceipt", "verifyReceiptAnswer"]),
                    "What the bytes are."),
                .required("content", .text, "A JWS as it is, anything else in base64.", example: "eyJhbGciOiJFUzI1NiJ9.e30.c2ln"),
            ])

        package var form: String
        package var content: String

        package init(form: String, content: String) {
            self.form = form
            self.content = content
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            form = try fields.requiredText("form")
            content = try fields.requiredText("content")
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("form", form)
            writer.member("content", content)
        }
    }
}
