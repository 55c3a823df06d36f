package import Primitives
package import StrictJSON

/// What a client says of itself when it asks what to show.
package struct WallQuestionBody: RequestContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "WallQuestion", "What a client says of itself when it asks what to show (WALL-1). All of it may be left out.",
        [
            .optional("storefront", .text, "StoreKit's Storefront.current.countryCode.", example: "USA"),
            .optional("appVersion", .text, "The app's version.", example: "2.1"),
        ] + ShownAccountPart.members("so that no introductory offer is shown that it had before (WALL-3)"))
    package static let limits = JSONLimits(maximumDepth: 4, maximumElements: 64)

    package var storefront: String?
    package var appVersion: String?
    package var shown: ShownAccountPart

    package init(storefront: String? = nil, appVersion: String? = nil, shown: ShownAccountPart = ShownAccountPart()) {
        self.storefront = storefront
        self.appVersion = appVersion
        self.shown = shown
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        storefront = try fields.text("storefront")
        appVersion = try fields.text("appVersion")
        shown = try ShownAccountPart(fields)
    }

    package func write(to writer: inout JSONWriter) {
        writer.optionalMember("storefront", storefront)
        writer.optionalMember("appVersion", appVersion)
        shown.write(to: &writer)
    }
}

/// What to show to one customer now.
package struct WallBody: AnswerContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "Wall", "What to show to a customer now, and why (WALL-1).",
        [
            .required("at", .instant, "When."),
            .required("settingsVersion", .integer(1, .max), "By which version of the app's settings (OWN-17)."),
            .optional("cohort", .text, "The first cohort whose condition holds; absent where none does.", example: "lapsed"),
            .optional("offering", .text, "What that cohort is shown.", example: "comeback"),
            .optional("links", .object(Links.schema), "Beside every offering (WALL-6)."),
            .required(
                "products", .list(.object(Product.schema)),
                "What they may buy without paying twice, in the offering's order; empty where they have all of it (WALL-2)."),
            .required(
                "manage", .list(.text), "Subscriptions that they have of what the offering sells, to manage at Apple (WALL-2)."),
            .required(
                "manageLink", .text, "Where Apple lets them manage these.",
                example: "https://apps.apple.com/account/subscriptions"
            ),
            .required(
                "changes", .list(.object(Change.schema)), "Changes of plan in the app, where it offers them (WALL-2, PER-3)."),
        ])

    package var at: Timestamp
    package var settingsVersion: Int64
    package var cohort: String?
    package var offering: String?
    package var links: Links?
    package var products: [Product] = []
    package var manage: [String] = []
    package var manageLink: String
    package var changes: [Change] = []

    package init(at instant: Timestamp, settingsVersion: Int64, manageLink: String) {
        at = instant
        self.settingsVersion = settingsVersion
        self.manageLink = manageLink
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        at = try fields.requiredInstant("at")
        settingsVersion = try fields.requiredInteger("settingsVersion")
        cohort = try fields.text("cohort")
        offering = try fields.text("offering")
        if let links = try fields.fields("links") { self.links = try Links(links) }
        products = try fields.requiredList("products", Product.init)
        manage = try fields.required("manage", .array, try fields.texts("manage"))
        manageLink = try fields.requiredText("manageLink")
        changes = try fields.requiredList("changes", Change.init)
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("at", at)
        writer.member("settingsVersion", settingsVersion)
        writer.optionalMember("cohort", cohort)
        writer.optionalMember("offering", offering)
        writer.optionalMember("links", links)
        writer.member("products", products)
        writer.member("manage", manage)
        writer.member("manageLink", manageLink)
        writer.member("changes", changes)
    }
}

extension WallBody {
    /// The links that Apple wants beside an offering.
    package struct Links: JSONItem {
        package static let schema = ObjectSchema(
            "WallLinks", "The links that Apple wants beside an offering (WALL-6).",
            [
                .required("privacyPolicy", .text, "The privacy policy.", example: "https://example.com/privacy"),
                .required("terms", .text, "The terms of use.", example: "https://example.com/terms"),
                .required("questions", .text, "Where to ask.", example: "mailto:help@example.com"),
            ])

        package var privacyPolicy: String
        package var terms: String
        package var questions: String

        package init(privacyPolicy: String, terms: String, questions: String) {
            self.privacyPolicy = privacyPolicy
            self.terms = terms
            self.questions = questions
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            privacyPolicy = try fields.requiredText("privacyPolicy")
            terms = try fields.requiredText("terms")
            questions = try fields.requiredText("questions")
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("privacyPolicy", privacyPolicy)
            writer.member("terms", terms)
            writer.member("questions", questions)
        }
    }

    /// One product as one customer is offered it.
    package struct Product: JSONItem {
        package static let schema = ObjectSchema(
            "WallProduct", "One product as one customer is offered it (WALL-3).",
            [
                .required(
                    "productId", .text, "The one to buy: the plan with its introductory offer, or the same plan without.",
                    example: "notes.monthly"),
                .optional("displayName", .text, "For people.", example: "Notes Plus"),
                .required("subscriptionGroupIdentifier", .text, "Its subscription group.", example: "21000000"),
                .required("level", .integer(1, .max), "Its level of service in the group; 1 is the highest."),
                .required("duration", .text, "How long a period lasts, as ISO 8601 writes it.", example: "P1M"),
                .required(
                    "introductoryOffer", .word(["none", "show", "hide"]),
                    "Whether the plan has an introductory offer, and whether to mention it to this customer."),
                .optional(
                    "introductoryKind", .word(["FREE_TRIAL", "PAY_AS_YOU_GO", "PAY_UP_FRONT"]), "Apple's word, where it is shown."
                ),
                .optional("introductoryLength", .text, "How long it lasts, where it is shown.", example: "P1W"),
            ])

        package var productId: String
        package var displayName: String?
        package var subscriptionGroupIdentifier: String
        package var level: Int64
        package var duration: String
        package var introductoryOffer: String
        package var introductoryKind: String?
        package var introductoryLength: String?

        package init(
            productId: String, subscriptionGroupIdentifier: String, level: Int64, duration: String, introductoryOffer: String
        ) {
            self.productId = productId
            self.subscriptionGroupIdentifier = subscriptionGroupIdentifier
            self.level = level
            self.duration = duration
            self.introductoryOffer = introductoryOffer
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            productId = try fields.requiredText("productId")
            displayName = try fields.text("displayName")
            subscriptionGroupIdentifier = try fields.requiredText("subscriptionGroupIdentifier")
            level = try fields.requiredInteger("level")
            duration = try fields.requiredText("duration")
            introductoryOffer = try fields.requiredText("introductoryOffer")
            introductoryKind = try fields.text("introductoryKind")
            introductoryLength = try fields.text("introductoryLength")
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("productId", productId)
            writer.optionalMember("displayName", displayName)
            writer.member("subscriptionGroupIdentifier", subscriptionGroupIdentifier)
            writer.member("level", level)
            writer.member("duration", duration)
            writer.member("introductoryOffer", introductoryOffer)
            writer.optionalMember("introductoryKind", introductoryKind)
            writer.optionalMember("introductoryLength", introductoryLength)
        }
    }

    /// A change of plan inside a subscription group, and what it does.
    package struct Change: JSONItem {
        package static let schema = ObjectSchema(
            "WallChange", "A change of plan inside a subscription group, and what it does (PER-3).",
            [
                .required("from", .text, "The product now.", example: "notes.monthly"),
                .required("to", .text, "The product then.", example: "notes.yearly"),
                .required(
                    "change", .planChange,
                    "What kind of change it is."),
                .required("effect", .planChangeEffect, "When it takes effect."),
                .optional("effectiveAt", .instant, "The instant of that renewal, where it is known."),
            ])

        package var from: String
        package var to: String
        package var change: String
        package var effect: String
        package var effectiveAt: Timestamp?

        package init(from: String, to other: String, change: String, effect: String) {
            self.from = from
            to = other
            self.change = change
            self.effect = effect
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            from = try fields.requiredText("from")
            to = try fields.requiredText("to")
            change = try fields.requiredText("change")
            effect = try fields.requiredText("effect")
            effectiveAt = try fields.instant("effectiveAt")
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("from", from)
            writer.member("to", to)
            writer.member("change", change)
            writer.member("effect", effect)
            writer.optionalMember("effectiveAt", effectiveAt)
        }
    }
}

/// What the app's backend says of a customer.
package struct AttributesBody: RequestContent, AnswerContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "Attributes", "What the app's backend says of a customer by names, for the conditions of cohorts (WALL-1).",
        [.required("attributes", .list(.object(Attribute.schema)), "By name; in a request those that change.")])
    package static let limits = JSONLimits(maximumDepth: 4, maximumElements: 1024)

    package var attributes: [Attribute]

    package init(_ attributes: [Attribute]) { self.attributes = attributes }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        attributes = try fields.requiredList("attributes", Attribute.init)
    }

    package func write(to writer: inout JSONWriter) { writer.member("attributes", attributes) }

    /// One of them.
    package struct Attribute: JSONItem {
        package static let schema = ObjectSchema(
            "Attribute", "Something that is said of a customer.",
            [
                .required(
                    "name", .text, "The app's own word, at most 64 characters; a customer has 50 at the most.", example: "plan"),
                .optional(
                    "value", .text, "At most 256 characters; left out in a request, it takes back what was said.", example: "gold"
                ),
            ])

        package var name: String
        package var value: String?

        package init(name: String, value: String?) {
            self.name = name
            self.value = value
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            name = try fields.requiredText("name")
            value = try fields.text("value")
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("name", name)
            writer.optionalMember("value", value)
        }
    }
}
