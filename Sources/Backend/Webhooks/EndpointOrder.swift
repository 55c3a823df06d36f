package import Primitives
import Storage

/// What somebody wants of an endpoint; what is nil is as it is by default, or stays as it was.
package struct EndpointOrder: Sendable, Hashable {
    package var url: String
    package var description = ""
    /// Names, or `subscription.*`; empty: all.
    package var types: [String] = []
    /// Nil: all that the app takes.
    package var environments: [Environment]?
    /// What a body is, such as `tenure`; it stays as the endpoint was made.
    package var format: String?
    /// `v1`, `v1a` or `both`.
    package var signature: String?
    package var concurrency: Int?
    package var headers: [ParcelHeader] = []
    /// From when on events are sent that were told before there was the endpoint; nil: from now on.
    package var since: Timestamp?

    package init(url: String) { self.url = url }

    static let longestDescription = 200
    static let mostTypes = 64
    static let mostHeaders = 16

    /// - Parameter taken: the app's environments.
    /// - Throws: ``WebhookRefusal/invalid(field:reason:)``.
    func content(taken: [Environment]) throws(WebhookRefusal) -> WebhookEndpoint {
        guard description.isPlain(upTo: Self.longestDescription) else {
            throw .invalid(field: "description", reason: "is longer than \(Self.longestDescription), or has control characters")
        }
        guard types.count <= Self.mostTypes, types.allSatisfy(Self.isType) else {
            throw .invalid(field: "types", reason: "are names such as subscription.renewed, or subscription.*; at most 64")
        }
        let wanted = environments ?? taken
        guard !wanted.isEmpty, Set(wanted).isSubset(of: taken) else {
            let words = taken.map(\.rawValue).joined(separator: " and ")
            throw .invalid(field: "environments", reason: "are some of those that the app takes: \(words)")
        }
        let formats = WebhookEndpoint.Format.allCases.map(\.rawValue)
        guard let format = WebhookEndpoint.Format(rawValue: format ?? "tenure") else {
            throw .invalid(field: "format", reason: "is one of \(formats.joined(separator: ", "))")
        }
        let isRaw = format == .raw
        guard let signature = WebhookEndpoint.Signature(rawValue: signature ?? (isRaw ? "none" : "v1")),
            isRaw == (signature == .none)
        else { throw .invalid(field: "signature", reason: isRaw ? "is none with raw: Apple's is in it" : "is v1, v1a or both") }
        if isRaw { try checkRaw() }
        let concurrency = concurrency ?? 16
        guard (1...WebhookEndpoint.greatestConcurrency).contains(concurrency) else {
            throw .invalid(field: "concurrency", reason: "is from 1 to \(WebhookEndpoint.greatestConcurrency)")
        }
        return WebhookEndpoint(
            url: url, description: description, types: types, environments: Array(Set(wanted)), format: format,
            signature: signature, concurrency: concurrency, headers: try checkedHeaders())
    }

    /// What Apple posted has none of our kinds, and is not kept where nobody is to have it.
    private func checkRaw() throws(WebhookRefusal) {
        guard types.isEmpty else { throw .invalid(field: "types", reason: "are not of what Apple posts: raw has all of it") }
        guard since == nil else { throw .invalid(field: "since", reason: "is not possible with raw: earlier ones are not kept") }
    }

    private func checkedHeaders() throws(WebhookRefusal) -> [String: String] {
        guard headers.count <= Self.mostHeaders else {
            throw .invalid(field: "headers", reason: "are more than \(Self.mostHeaders)")
        }
        var checked: [String: String] = [:]
        for header in headers {
            if let refusal = header.refusal { throw .invalid(field: "headers", reason: ": \(refusal)") }
            guard checked.updateValue(header.value, forKey: header.name) == nil else {
                throw .invalid(field: "headers", reason: "name \(header.name) twice")
            }
        }
        return checked
    }

    private static func isType(_ name: String) -> Bool {
        let body = name.hasSuffix(".*") ? name.dropLast(2) : name[...]
        let parts = body.split(separator: ".", omittingEmptySubsequences: false)
        return name.utf8.count <= 64
            && parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { $0 != UInt8(ascii: "*") && $0 > 0x20 && $0 < 0x7F } }
    }
}

/// Why something about an endpoint cannot be done.
package enum WebhookRefusal: Error, Sendable, Hashable {
    /// The app has no endpoint of that id.
    case unknownEndpoint(String)
    /// The id is not one: 1 to 64 letters, digits, `.`, `_` and `-`.
    case invalidId
    case invalid(field: String, reason: String)
    /// Nothing may be sent there (TELL-4).
    case addressRefused(AddressRefusal)
    /// The configuration has no key with which secrets are kept.
    case noSecretKey
    /// The app has as many as it may have.
    case tooManyEndpoints(most: Int)
    /// So much is to be sent once more already.
    case tooManyResends
    /// There is no such event.
    case unknownEvent(subject: String, sequence: Int64)
}
