package import Primitives
import StrictJSON

/// A refusal as our API says it.
///
/// Source: RFC 9457, `application/problem+json`, with `code` as an extension member.
package struct Problem: Sendable, Hashable {
    package static let mediaType = "application/problem+json"

    package static let schema = ObjectSchema(
        "Problem", "A refusal or a failure (RFC 9457).",
        [
            .required("type", .text, "Always about:blank.", example: "about:blank"),
            .required("status", .integer(400, 599), "The HTTP status."),
            .required("code", .text, "Stable; what a program decides by.", example: "unknownSubscription"),
            .required("detail", .text, "For people; may change."),
            .optional("rule", .text, "The rule that says so.", example: "OWN-9"),
            .optional("hint", .text, "Something that helps support, such as a masked owner.", example: "b…b"),
            .optional("deliveredTo", .text, "Of deliveredBefore: who has the consumable.", example: "alice"),
            .optional("deliveredAt", .instant, "Of deliveredBefore: since when."),
            .optional("setting", .text, "What in the server's configuration decides it.", example: "apps[].appAppleId"),
            .optional("field", .text, "The member or parameter that is wrong.", example: "kind"),
            .optional("instance", .text, "The id of the request, as in the header Request-Id.", example: "3f2a9c4b"),
        ])

    /// Decides the HTTP status.
    package let kind: ProblemKind
    /// Stable; what a program decides by.
    package let code: String
    /// For people; may change.
    package let detail: String
    /// The rule that says so, such as `OWN-9`; nil where none does.
    package let rule: String?
    /// Something that helps support without giving anybody away, such as a masked owner.
    package let hint: String?
    /// Who has a consumable that another customer was to have, and since when; nil in every other problem.
    package var delivered: Delivered?
    /// The member of the server's configuration file that decides it, such as `apps[].appAppleId`; nil where none does.
    package let setting: String?
    /// The member of the body or the parameter that is wrong; nil where none is.
    package let field: String?
    /// After how many seconds trying again may help: the header `Retry-After`; nil where it does not help.
    package let retryAfterSeconds: Int?

    /// - Parameter code: of a kind that has many; else it is the kind's name.
    package init(
        _ kind: ProblemKind, code: String? = nil, detail: String, rule: String? = nil, hint: String? = nil,
        setting: String? = nil, field: String? = nil, retryAfterSeconds: Int? = nil
    ) {
        self.field = field
        self.kind = kind
        self.code = code ?? kind.name
        self.detail = detail
        self.rule = rule
        self.hint = hint
        self.setting = setting
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// Who has a consumable, and since when.
    package struct Delivered: Sendable, Hashable {
        package let customer: String
        package let at: Timestamp

        package init(to customer: String, at: Timestamp) { (self.customer, self.at) = (customer, at) }
    }

    /// - Parameter instance: the id of the request that is refused; nil where what came is no request.
    package func json(instance: String?) -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: 512)
        writer.object { writer in
            writer.member("type", "about:blank")
            writer.member("status", Int64(kind.status))
            writer.member("code", code)
            writer.member("detail", detail)
            writer.optionalMember("rule", rule)
            writer.optionalMember("hint", hint)
            writer.optionalMember("deliveredTo", delivered?.customer)
            writer.optionalMember("deliveredAt", delivered?.at)
            writer.optionalMember("setting", setting)
            writer.optionalMember("field", field)
            writer.optionalMember("instance", instance)
        }
        return writer.bytes
    }
}
