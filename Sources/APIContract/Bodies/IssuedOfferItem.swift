package import Primitives
package import StrictJSON

/// A row of the log of signed offers.
package struct IssuedOfferItem: PagedItem {
    package static let page = PageWords(
        "IssuedOffers", "What was signed so that customers may have offers (WALL-5).", order: "By issuedAt, the first one first.")

    package static let schema = ObjectSchema(
        "IssuedOffer", "An offer that was signed for a customer (WALL-5, WALL-6).",
        [
            .required("customer", .text, "For whom.", example: "alice"),
            .required(
                "form", .word(["promotionalV1", "promotionalV2", "introductory"]),
                "What was signed last: whoever asks again is given the same offer, perhaps in another form."),
            .required("productId", .text, "The subscription.", example: "notes.yearly"),
            .optional("offerIdentifier", .text, "Apple's name of a promotional offer.", example: "comeback"),
            .optional("allowIntroductoryOffer", .bool, "Of an introductory offer: whether it is allowed or withheld."),
            .required(
                "nonce", .text, "A UUID; Apple takes it once.", example: "3f2b8a4e-1c5d-4e6f-8a9b-0c1d2e3f4a5b"),
            .required(
                "issuedAt", .instant, "When it was signed first: the instant that stands in the signature, in whole seconds."),
            .required("validUntil", .instant, "Apple takes it before this instant."),
            .required("keyId", .text, "With which In-App Purchase key.", example: "2X9R4HXF34"),
            .required("signatures", .integer(1, .max), "How often it was signed."),
            .optional("askedWith", .text, "The API key with which it was asked for last.", example: "file"),
            .optional(
                "appAccountToken", .text, "With promotionalV1: the token that the purchase must bear.",
                example: "6f1c2e0a-58a4-4b1f-9e6d-0c2b7a9d3e11"),
            .optional(
                "transactionId", .text, "The transaction, or the download of the app, to which a JWS is bound.",
                example: "2000000113"),
            .optional("redemption", .object(OfferRedemptionItem.schema), "The purchase that redeemed it, once it has arrived."),
        ])

    package var customer: String
    package var form: String
    package var productId: String
    package var offerIdentifier: String?
    package var allowIntroductoryOffer: Bool?
    package var nonce: String
    package var issuedAt: Timestamp
    package var validUntil: Timestamp
    package var keyId: String
    package var signatures: Int64
    package var askedWith: String?
    package var appAccountToken: String?
    package var transactionId: String?
    package var redemption: OfferRedemptionItem?

    package init(customer: String, form: String, productId: String, nonce: String, keyId: String) {
        self.customer = customer
        self.form = form
        self.productId = productId
        self.nonce = nonce
        self.keyId = keyId
        (issuedAt, validUntil, signatures) = (Timestamp(millisecondsSince1970: 0), Timestamp(millisecondsSince1970: 0), 1)
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        customer = try fields.requiredText("customer")
        form = try fields.requiredText("form")
        productId = try fields.requiredText("productId")
        offerIdentifier = try fields.text("offerIdentifier")
        allowIntroductoryOffer = try fields.bool("allowIntroductoryOffer")
        nonce = try fields.requiredText("nonce")
        issuedAt = try fields.requiredInstant("issuedAt")
        validUntil = try fields.requiredInstant("validUntil")
        keyId = try fields.requiredText("keyId")
        signatures = try fields.requiredInteger("signatures")
        askedWith = try fields.text("askedWith")
        appAccountToken = try fields.text("appAccountToken")
        transactionId = try fields.text("transactionId")
        if let redemption = try fields.fields("redemption") { self.redemption = try OfferRedemptionItem(redemption) }
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("customer", customer)
        writer.member("form", form)
        writer.member("productId", productId)
        writer.optionalMember("offerIdentifier", offerIdentifier)
        if let allowIntroductoryOffer { writer.member("allowIntroductoryOffer", allowIntroductoryOffer) }
        writer.member("nonce", nonce)
        writer.member("issuedAt", issuedAt)
        writer.member("validUntil", validUntil)
        writer.member("keyId", keyId)
        writer.member("signatures", signatures)
        writer.optionalMember("askedWith", askedWith)
        writer.optionalMember("appAccountToken", appAccountToken)
        writer.optionalMember("transactionId", transactionId)
        writer.optionalMember("redemption", redemption)
    }
}

/// The purchase by which a promotional offer was had.
package struct OfferRedemptionItem: JSONItem {
    package static let schema = ObjectSchema(
        "OfferRedemption", "The purchase by which a promotional offer was had (WALL-5).",
        [
            .optional("nonce", .text, "Of the signature; absent where none of this server's fits.", example: "3f2b8a4e-…"),
            .optional("customer", .text, "Who had it: the owner of the subscription then.", example: "alice"),
            .required("originalTransactionId", .text, "The subscription.", example: "2000000111"),
            .required("transactionId", .text, "The first transaction at the offer's price.", example: "2000000113"),
            .required("productId", .text, "The product.", example: "notes.yearly"),
            .optional("offerIdentifier", .text, "Apple's name of the offer, where it was said.", example: "comeback"),
            .required("redeemedDate", .instant, "The purchaseDate of that transaction."),
            .optional("price", .integer, "In thousandths of the currency's unit; absent where Apple did not say."),
            .optional("currency", .text, "ISO 4217.", example: "USD"),
            .optional(
                "regularPrice", .integer,
                "What a period costs without an offer: what this subscription was charged before, else what the configuration "
                    + "says; absent where neither is known."),
            .optional(
                "givenUp", .integer,
                "regularPrice less price, where the offer was for one period of the plan's own length; else absent."),
        ])

    package var nonce: String?
    package var customer: String?
    package var originalTransactionId: String
    package var transactionId: String
    package var productId: String
    package var offerIdentifier: String?
    package var redeemedDate: Timestamp
    package var price: Int64?
    package var currency: String?
    package var regularPrice: Int64?
    package var givenUp: Int64?

    package init(originalTransactionId: String, transactionId: String, productId: String, redeemedDate: Timestamp) {
        self.originalTransactionId = originalTransactionId
        self.transactionId = transactionId
        self.productId = productId
        self.redeemedDate = redeemedDate
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        nonce = try fields.text("nonce")
        customer = try fields.text("customer")
        originalTransactionId = try fields.requiredText("originalTransactionId")
        transactionId = try fields.requiredText("transactionId")
        productId = try fields.requiredText("productId")
        offerIdentifier = try fields.text("offerIdentifier")
        redeemedDate = try fields.requiredInstant("redeemedDate")
        price = try fields.integer("price")
        currency = try fields.text("currency")
        regularPrice = try fields.integer("regularPrice")
        givenUp = try fields.integer("givenUp")
    }

    package func write(to writer: inout JSONWriter) {
        writer.optionalMember("nonce", nonce)
        writer.optionalMember("customer", customer)
        writer.member("originalTransactionId", originalTransactionId)
        writer.member("transactionId", transactionId)
        writer.member("productId", productId)
        writer.optionalMember("offerIdentifier", offerIdentifier)
        writer.member("redeemedDate", redeemedDate)
        writer.optionalMember("price", price)
        writer.optionalMember("currency", currency)
        writer.optionalMember("regularPrice", regularPrice)
        writer.optionalMember("givenUp", givenUp)
    }
}

/// What was signed for one customer, and what became of it.
package struct OfferHistoryBody: AnswerContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "OfferHistory", "What was signed for a customer, and the promotional offers that their purchases redeemed (WALL-5).",
        [
            .required("issued", .list(.object(IssuedOfferItem.schema)), "The last one first; at most 1000 of each id."),
            .required(
                "redemptions", .list(.object(OfferRedemptionItem.schema)),
                "By redeemedDate; those without a nonce were signed elsewhere."),
        ])

    package var issued: [IssuedOfferItem]
    package var redemptions: [OfferRedemptionItem]

    package init(issued: [IssuedOfferItem], redemptions: [OfferRedemptionItem]) {
        self.issued = issued
        self.redemptions = redemptions
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        issued = try fields.requiredList("issued", IssuedOfferItem.init)
        redemptions = try fields.requiredList("redemptions", OfferRedemptionItem.init)
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("issued", issued)
        writer.member("redemptions", redemptions)
    }
}
