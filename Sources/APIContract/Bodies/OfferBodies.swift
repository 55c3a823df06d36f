package import Primitives
package import StrictJSON

/// What a customer's device shows when it asks which offers there are.
package struct OfferQuestionBody: RequestContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "OfferQuestion", "What a customer's device shows when it asks which offers there are. All of it may be left out.",
        ShownAccountPart.members("so that the Apple Account's own past counts too (WALL-3)"))
    package static let limits = JSONLimits(maximumDepth: 4, maximumElements: 64)

    package var shown: ShownAccountPart

    package init(shown: ShownAccountPart = ShownAccountPart()) { self.shown = shown }

    package init(_ fields: JSONFields) throws(JSONFieldError) { shown = try ShownAccountPart(fields) }

    package func write(to writer: inout JSONWriter) { shown.write(to: &writer) }
}

/// Which offers a customer may have now.
package struct OffersBody: AnswerContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "Offers", "Which offers a customer may have now, and why not the others (WALL-5).",
        [
            .required("at", .instant, "When."),
            .required("settingsVersion", .integer(1, .max), "By which version of the app's settings (OWN-17)."),
            .required(
                "promotional", .list(.object(Promotional.schema)), "Every promotional offer of the app, the best first."),
            .required(
                "introductory", .list(.object(Introductory.schema)), "Every plan with an introductory offer, by product."),
        ])

    package var at: Timestamp
    package var settingsVersion: Int64
    package var promotional: [Promotional] = []
    package var introductory: [Introductory] = []

    package init(at instant: Timestamp, settingsVersion: Int64) {
        at = instant
        self.settingsVersion = settingsVersion
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        at = try fields.requiredInstant("at")
        settingsVersion = try fields.requiredInteger("settingsVersion")
        promotional = try fields.requiredList("promotional", Promotional.init)
        introductory = try fields.requiredList("introductory", Introductory.init)
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("at", at)
        writer.member("settingsVersion", settingsVersion)
        writer.member("promotional", promotional)
        writer.member("introductory", introductory)
    }

    /// One promotional offer, as one customer stands to it.
    package struct Promotional: JSONItem {
        package static let schema = ObjectSchema(
            "PromotionalOffer", "A promotional offer, as one customer stands to it (WALL-5).",
            [
                .required("productId", .text, "The subscription.", example: "notes.yearly"),
                .required("offerIdentifier", .text, "Apple's name of the offer.", example: "comeback"),
                .required("allowed", .bool, "Whether it would be signed for them now."),
                .optional(
                    "reason", .word(OffersBody.reasons),
                    "Why not; or issuedBefore: they were given it and can still use it."),
                .optional("againAt", .instant, "From when on they may have it, where time alone decides."),
            ])

        package var productId: String
        package var offerIdentifier: String
        package var isAllowed: Bool
        package var reason: String?
        package var againAt: Timestamp?

        package init(productId: String, offerIdentifier: String, isAllowed: Bool) {
            self.productId = productId
            self.offerIdentifier = offerIdentifier
            self.isAllowed = isAllowed
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            productId = try fields.requiredText("productId")
            offerIdentifier = try fields.requiredText("offerIdentifier")
            isAllowed = try fields.requiredBool("allowed")
            reason = try fields.text("reason")
            againAt = try fields.instant("againAt")
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("productId", productId)
            writer.member("offerIdentifier", offerIdentifier)
            writer.member("allowed", isAllowed)
            writer.optionalMember("reason", reason)
            writer.optionalMember("againAt", againAt)
        }
    }

    /// Why a customer may not have an offer, and that they were given it before.
    package static let reasons = [
        "issuedBefore", "neverSubscribed", "notActive", "stillActive", "paidTwice", "hadBefore", "hadLately", "tooOften",
        "appTooOften", "notAuthenticated",
    ]

    /// The introductory offer of one plan, as one customer stands to it.
    package struct Introductory: JSONItem {
        package static let schema = ObjectSchema(
            "IntroductoryOffer", "The introductory offer of a plan, as one customer stands to it (WALL-3).",
            [
                .required("productId", .text, "The subscription.", example: "notes.monthly"),
                .required(
                    "allowed", .bool, "Whether they may have it, as far as their own past and that of the Apple Account show."),
            ])

        package var productId: String
        package var isAllowed: Bool

        package init(productId: String, isAllowed: Bool) {
            self.productId = productId
            self.isAllowed = isAllowed
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            productId = try fields.requiredText("productId")
            isAllowed = try fields.requiredBool("allowed")
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("productId", productId)
            writer.member("allowed", isAllowed)
        }
    }
}

/// Which promotional offer is to be signed, and what the purchase will bear.
package struct PromotionalOrderBody: RequestContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "PromotionalOrder", "Which promotional offer is to be signed, and what the purchase will bear (WALL-5).",
        [
            .required("productId", .text, "The subscription.", example: "notes.yearly"),
            .required("offerIdentifier", .text, "Apple's name of the offer.", example: "comeback"),
            .optional(
                "form", .word(["v1", "v2"]),
                "v2, a JWS for StoreKit 2, unless said; v1, a signature for the original StoreKit and for StoreKit 2's "
                    + "promotionalOffer with a key id."),
            .optional(
                "appAccountToken", .text,
                "With v1: the token that the purchase will bear. A device may name only one that is registered for its customer.",
                example: "6f1c2e0a-58a4-4b1f-9e6d-0c2b7a9d3e11"),
            .optional(
                "applicationUsername", .text,
                "With v1, in place of a token: the applicationUsername of the payment. A device may name only its customer's id.",
                example: "alice"),
        ] + ShownAccountPart.members("to one of which a v2 is bound"))
    package static let limits = JSONLimits(maximumDepth: 4, maximumElements: 64)

    package var productId: String
    package var offerIdentifier: String
    package var form: String?
    package var appAccountToken: String?
    package var applicationUsername: String?
    package var shown: ShownAccountPart

    package init(productId: String, offerIdentifier: String, form: String? = nil, shown: ShownAccountPart = ShownAccountPart()) {
        self.productId = productId
        self.offerIdentifier = offerIdentifier
        self.form = form
        self.shown = shown
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        productId = try fields.requiredText("productId")
        offerIdentifier = try fields.requiredText("offerIdentifier")
        form = try fields.text("form")
        appAccountToken = try fields.text("appAccountToken")
        applicationUsername = try fields.text("applicationUsername")
        shown = try ShownAccountPart(fields)
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("productId", productId)
        writer.member("offerIdentifier", offerIdentifier)
        writer.optionalMember("form", form)
        writer.optionalMember("appAccountToken", appAccountToken)
        writer.optionalMember("applicationUsername", applicationUsername)
        shown.write(to: &writer)
    }
}

/// Of which subscription the introductory offer is to be allowed or withheld.
package struct IntroductoryOrderBody: RequestContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "IntroductoryOrder", "Of which subscription the introductory offer is to be allowed or withheld (WALL-6).",
        [.required("productId", .text, "The subscription.", example: "notes.monthly")]
            + ShownAccountPart.members("to one of which the answer is bound"))
    package static let limits = JSONLimits(maximumDepth: 4, maximumElements: 64)

    package var productId: String
    package var shown: ShownAccountPart

    package init(productId: String, shown: ShownAccountPart = ShownAccountPart()) {
        self.productId = productId
        self.shown = shown
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        productId = try fields.requiredText("productId")
        shown = try ShownAccountPart(fields)
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("productId", productId)
        shown.write(to: &writer)
    }
}

/// What was signed for a customer.
package struct SignedOfferBody: AnswerContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "SignedOffer", "What was signed for a customer, to be passed to StoreKit as it is (WALL-5, WALL-6).",
        [
            .required("issued", .object(IssuedOfferItem.schema), "Its row of the log."),
            .optional(
                "signature", .text, "With v1: the signature in base64, for SKPaymentDiscount and StoreKit 2's promotionalOffer.",
                example: "MEUCIQ…"),
            .optional("compactJWS", .text, "In every other form: the JWS for StoreKit 2.", example: "eyJhbGciOi…"),
        ])

    package var issued: IssuedOfferItem
    package var signature: String?
    package var compactJWS: String?

    package init(issued: IssuedOfferItem) { self.issued = issued }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        issued = try IssuedOfferItem(try fields.required("issued", .object, try fields.fields("issued")))
        signature = try fields.text("signature")
        compactJWS = try fields.text("compactJWS")
    }

    package func write(to writer: inout JSONWriter) {
        writer.optionalMember("issued", issued)
        writer.optionalMember("signature", signature)
        writer.optionalMember("compactJWS", compactJWS)
    }
}
