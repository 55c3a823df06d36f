import Primitives

extension ParameterSchema {
    /// Every name that stands in a path or a query, with one meaning everywhere.
    package static let all: [ParameterSchema] = [
        .init("app", .text, "The app, as the configuration names it.", example: "notes"),
        .init("customer", .text, "The customer, as your backend names them; 1 to 200 characters.", example: "alice"),
        .init("token", .text, "A UUID.", example: "6f1c2e0a-58a4-4b1f-9e6d-0c2b7a9d3e11"),
        .init("originalTransactionId", .text, "Apple's id of the subscription.", example: "2000000111"),
        .init("transactionId", .text, "Apple's id of the purchase.", example: "2000000113"),
        .init(
            "id", .text, "Chosen by you, 1 to 200 characters: the same under it is kept once, anything else is refused.",
            example: "support-4711"),
        .init("productId", .text, "The product, as App Store Connect names it.", example: "plus.monthly"),
        .init("orderId", .text, "The order number on a customer's receipt from Apple.", example: "MQ6X2Z9T1B"),
        .init(
            "endpoint", .text, "An endpoint of webhooks, chosen by you: 1 to 64 letters, digits, `.`, `_` and `-`.",
            example: "billing"),
        .init("key", .text, "The name of a key: 1 to 64 of a-z, 0-9 and -.", example: "deploy-2026"),
        .init("delivered", .bool, "Only those that were taken, or only those that were not; all unless said.", example: "false"),
        .init(
            "testNotificationToken", .text, "What the request for a test notification answered.",
            example: "ce3af791-365e-4c60_1767225600000"),
        .init("subject", .text, "A subscription or a product; all unless said.", example: "2000000111"),
        .init("kind", .text, "A kind of content, as the configuration names it.", example: "issue"),
        .init("content", .text, "An item, as your backend names it; 1 to 200 characters.", example: "2026-01"),
        .init("signal", .text, "A signal, as listSignals names it.", example: "17"),
        .init(
            "state", .word(["open", "acknowledged"]), "Only open or only acknowledged ones; all unless said.", example: "open"),
        .init("signalKind", .word(SignalWords.kinds), "Only of this kind; all unless said.", example: "repeatedRefunds"),
        .init("q", .text, "What somebody named; 1 to 200 characters.", example: "2000000113"),
        .init("environment", .word(Environment.names), "Whose ledger is meant; Production unless said.", example: "Production"),
        .init("at", .instant, "The instant asked about; now unless said.", example: "1767225600000"),
        .init("nonce", .text, "Comes back in what is signed; 1 to 100 characters.", example: "kX3v9Qm2"),
        .init(
            "limit", .integer(1, Int64(PageQuery.longest)),
            "How many items a page has at the most; \(PageQuery.usual) unless said.", example: "\(PageQuery.usual)"),
        .init("after", .text, "Where the page before ended, as its next says it.", example: "bGlzdA"),
        .init(
            "since", .instant, "Begin with what was told from then on; with the first event unless said.",
            example: "1767225600000"),
        .init(
            "type", .text, "Only events of these types, with commas between; subscription.* for all that begin so.",
            example: "subscription.*,access.ended"),
        .init("publishedAt", .instant, "When the item was published.", example: "1767225600000"),
        .init(
            "minted", .bool, "Whether your backend made the token for this customer and nobody else; false unless said.",
            example: "true"),
    ]

    /// Nil for a name that no endpoint has.
    package static func named(_ name: String) -> ParameterSchema? { all.first { $0.name == name } }
}
