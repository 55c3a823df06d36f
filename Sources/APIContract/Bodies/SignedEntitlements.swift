package import Primitives
package import StrictJSON

/// What is signed (ENT-10): the claims of a JWS in compact form, with `alg` ES256 and the `kid` of a key in
/// `/.well-known/jwks.json`.
///
/// Source: RFC 7519, section 4.1 (`iss`, `aud`, `sub`, `iat`, `exp`, in seconds since 1970); our own instants are milliseconds.
package struct SignedEntitlements: JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "SignedEntitlements", "What is signed: what a customer may use, and how long that may be believed offline (ENT-10).",
        [
            .required("iss", .text, "Always tenure.", example: issuer), .required("aud", .text, "The app.", example: "notes"),
            .required("sub", .text, "The customer.", example: "alice"),
            .required("environment", .word(Environment.names), "In Apple's spelling."),
            .required("iat", .integer, "When it was signed, in seconds since 1970."),
            .required("exp", .integer, "When nothing in it may be believed any more, in seconds since 1970."),
            .optional("nonce", .text, "What the request said, so that an old answer is known as one."),
            .required("at", .instant, "The instant that is answered for."),
            .required("refreshAfter", .instant, "From when on it is worth asking again."),
        ] + EntitlementsBody.window + [
            .nullable("offlineUntil", .instant, "Until when it may be used without asking; past end it is provisional."),
            .required("entitlements", .list(.object(Item.schema)), "Each that the app knows, by id."),
        ])

    package static let issuer = "tenure"

    package var app: String
    package var customer: String
    package var environment: Environment
    package var nonce: String?
    package var at: Timestamp
    package var refreshAfter: Timestamp
    package var expiresAt: Timestamp
    package var overall: Item
    package var entitlements: [Item]

    package init(app: String, customer: String, environment: Environment, at: Timestamp, overall: Item, entitlements: [Item]) {
        self.app = app
        self.customer = customer
        self.environment = environment
        self.at = at
        (refreshAfter, expiresAt) = (at, at)
        self.overall = overall
        self.entitlements = entitlements
    }

    /// One entitlement; without an id, all of them together.
    package struct Item: JSONItem {
        package static let schema = ObjectSchema(
            "SignedEntitlement", "What a customer may use by one entitlement.",
            [
                .required("id", .text, "As the app's configuration names it.", example: "plus")
            ] + EntitlementsBody.window + [
                .nullable("offlineUntil", .instant, "Until when it may be used without asking; past end it is provisional."),
                .required("isProvisional", .bool, "Whether Apple has not said yet whether it goes on (ENT-6)."),
            ])

        package var id: String
        package var window: EntitlementsBody.Window
        package var offlineUntil: Timestamp?
        package var isProvisional: Bool

        package init(id: String, window: EntitlementsBody.Window, offlineUntil: Timestamp?, isProvisional: Bool) {
            self.id = id
            self.window = window
            self.offlineUntil = offlineUntil
            self.isProvisional = isProvisional
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            self.init(
                id: try fields.requiredText("id"), window: try EntitlementsBody.Window(fields),
                offlineUntil: try fields.instant("offlineUntil"), isProvisional: try fields.requiredBool("isProvisional"))
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("id", id)
            window.write(to: &writer)
            writer.nullableMember("offlineUntil", offlineUntil)
            writer.member("isProvisional", isProvisional)
        }
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        self.init(
            app: try fields.requiredText("aud"), customer: try fields.requiredText("sub"),
            environment: try fields.requiredEnvironment("environment"), at: try fields.requiredInstant("at"),
            overall: Item(
                id: "", window: try EntitlementsBody.Window(fields), offlineUntil: try fields.instant("offlineUntil"),
                isProvisional: false), entitlements: try fields.requiredList("entitlements", Item.init))
        nonce = try fields.text("nonce")
        refreshAfter = try fields.requiredInstant("refreshAfter")
        let latest = Timestamp.latestAccepted.millisecondsSince1970 / 1000
        let seconds = try fields.required("exp", .integer(0...latest), try fields.integer("exp", in: 0...latest))
        expiresAt = Timestamp(millisecondsSince1970: seconds * 1000)
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("iss", Self.issuer)
        writer.member("aud", app)
        writer.member("sub", customer)
        writer.member("environment", environment.rawValue)
        writer.member("iat", at.millisecondsSince1970 / 1000)
        writer.member("exp", expiresAt.millisecondsSince1970 / 1000)
        writer.optionalMember("nonce", nonce)
        writer.member("at", at)
        writer.member("refreshAfter", refreshAfter)
        overall.window.write(to: &writer)
        writer.nullableMember("offlineUntil", overall.offlineUntil)
        writer.member("entitlements", entitlements)
    }

    package var expectedBytes: Int { 512 + 160 * entitlements.count }
}

/// A JWS in compact form (RFC 7515, section 7.1).
package struct SignedAnswer: AnswerContent, Hashable {
    package static let mediaType = "application/jose"
    package static let content = ContentSchema.text(mediaType: mediaType)

    package var compact: [UInt8]

    package init(compact: [UInt8]) { self.compact = compact }

    package init(json bytes: [UInt8]) throws(InvalidBody) { compact = bytes }

    package var json: [UInt8] { compact }
}

/// The public keys of signed answers.
///
/// Source: RFC 7517, section 5; RFC 7518, section 6.2 (P-256).
package struct AnswerKeysBody: AnswerContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "AnswerKeys", "The public keys of signed answers (RFC 7517); the first one signs.",
        [.required("keys", .list(.object(Key.schema)), "Empty where the server signs none.")])

    package var keys: [Key]

    package init(keys: [Key]) { self.keys = keys }

    package init(_ fields: JSONFields) throws(JSONFieldError) { keys = try fields.requiredList("keys", Key.init) }

    package func write(to writer: inout JSONWriter) { writer.member("keys", keys) }

    /// A public key on the curve P-256.
    package struct Key: JSONItem {
        package static let schema = ObjectSchema(
            "AnswerKey", "A public key on the curve P-256.",
            [
                .required("kty", .text, "Always EC.", example: "EC"), .required("crv", .text, "Always P-256.", example: "P-256"),
                .required("alg", .text, "Always ES256.", example: "ES256"),
                .required("use", .text, "Always sig.", example: "sig"),
                .required("kid", .text, "Its thumbprint (RFC 7638)."), .required("x", .text, "In base64url."),
                .required("y", .text, "In base64url."),
            ])

        package var kid: String
        package var x: String
        package var y: String

        package init(kid: String, x: String, y: String) {
            self.kid = kid
            self.x = x
            self.y = y
        }

        package init(_ fields: JSONFields) throws(JSONFieldError) {
            kid = try fields.requiredText("kid")
            x = try fields.requiredText("x")
            y = try fields.requiredText("y")
        }

        package func write(to writer: inout JSONWriter) {
            writer.member("kty", "EC")
            writer.member("crv", "P-256")
            writer.member("alg", "ES256")
            writer.member("use", "sig")
            writer.member("kid", kid)
            writer.member("x", x)
            writer.member("y", y)
        }
    }
}
