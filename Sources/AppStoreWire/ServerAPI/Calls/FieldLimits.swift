internal import Primitives

/// A body, or a part of one, for which Apple documents limits.
protocol LimitedBody {
    /// Throws for the first field that Apple would refuse.
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError)
}

/// Checks fields and names them by their path from the body: `items[1].SKU`.
struct FieldLimits {
    private let path: String

    init() { path = "" }

    private init(path: String) { self.path = path }

    func name(_ field: String) -> String { path.isEmpty ? field : path + "." + field }

    /// The length is counted in UTF-16 code units: see ``ServerAPIRequestError``.
    func text(_ field: String, _ text: String?, atMost limit: Int) throws(ServerAPIRequestError) {
        guard let text else { return }
        guard text.utf16.count <= limit else { throw ServerAPIRequestError(.tooLong, name(field), limit: Int64(limit)) }
    }

    func requiredText(_ field: String, _ text: String, atMost limit: Int = 512) throws(ServerAPIRequestError) {
        guard !text.isEmpty else { throw ServerAPIRequestError(.empty, name(field)) }
        try self.text(field, text, atMost: limit)
    }

    func number(_ field: String, _ number: Int64?, in range: ClosedRange<Int64>) throws(ServerAPIRequestError) {
        guard let number else { return }
        guard range.contains(number) else {
            let limit = number < range.lowerBound ? range.lowerBound : range.upperBound
            throw ServerAPIRequestError(.outOfRange, name(field), limit: limit)
        }
    }

    func uuid(_ field: String, _ text: String?) throws(ServerAPIRequestError) {
        guard let text else { return }
        guard AppAccountToken(rawValue: text).canonicalUUID != nil else { throw ServerAPIRequestError(.notUUID, name(field)) }
    }

    func consent(_ field: String, _ isGiven: Bool) throws(ServerAPIRequestError) {
        guard isGiven else { throw ServerAPIRequestError(.consentMissing, name(field)) }
    }

    func refuse(_ field: String, if isContradiction: Bool) throws(ServerAPIRequestError) {
        if isContradiction { throw ServerAPIRequestError(.contradiction, name(field)) }
    }

    func part(_ field: String, _ part: (some LimitedBody)?) throws(ServerAPIRequestError) {
        try part?.check(FieldLimits(path: name(field)))
    }

    func parts(
        _ field: String, _ parts: [some LimitedBody]?, atMost limit: Int? = nil
    ) throws(ServerAPIRequestError) {
        guard let parts else { return }
        if let limit, parts.count > limit { throw ServerAPIRequestError(.tooLong, name(field), limit: Int64(limit)) }
        for (index, part) in parts.enumerated() { try part.check(FieldLimits(path: name(field) + "[\(index)]")) }
    }
}
