import APIContract
import Backend
import HTTPTypes
import Hummingbird
import Primitives

extension Request {
    /// Whether another server passed on what came to it (TELL-5).
    var isForwarded: Bool { HTTPField.Name(PostedNotification.forwardedHeader).map { headers[$0] != nil } ?? false }

    /// Refuses a body that is said to be something else than JSON in UTF-8 (RFC 8259, section 8.1). Where nothing is said, it is
    /// read as what is expected (RFC 9110, section 8.3).
    ///
    /// - Throws: `UnsupportedMediaType`.
    func checkIsJSON() throws(UnsupportedMediaType) {
        guard let said = headers[.contentType], said != "application/json" else { return }
        let parts = said.lowercased().split(separator: ";", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
        let isJSON = parts[0] == "application/json" || (parts[0].hasPrefix("application/") && parts[0].hasSuffix("+json"))
        let isUTF8 = parts.dropFirst().allSatisfy { parameter in
            !parameter.hasPrefix("charset=") || ["charset=utf-8", "charset=\"utf-8\""].contains(parameter)
        }
        guard isJSON, isUTF8 else { throw UnsupportedMediaType(said: String(said.prefix(100))) }
    }

    /// The parameters of the query.
    ///
    /// - Throws: `ParameterError`.
    func query<Query: QueryParameters>(_: Query.Type) throws -> Query {
        guard uri.query != nil else { return try Query { _ in nil } }
        if let names = Query.names { try allowQuery(names) }
        let parameters = uri.queryParameters
        return try Query { parameters[$0[...]] }
    }

    /// Refuses a query that names anything else, or one thing twice: what is misspelt would be answered as if it were not there.
    private func allowQuery(_ names: [String]) throws {
        var seen: Set<Substring> = []
        for (name, _) in uri.queryParameters {
            guard names.contains(String(name)) else {
                let known = names.isEmpty ? "this address has none" : "known: \(names.joined(separator: ", "))"
                throw ParameterError("\(name.prefix(64))", "is not a parameter; \(known)")
            }
            guard seen.insert(name).inserted else { throw ParameterError(String(name), "is given twice") }
        }
    }
}

/// The body is said to be something that this address does not read.
struct UnsupportedMediaType: Error, Hashable {
    /// The beginning of the header `Content-Type`.
    let said: String
}
