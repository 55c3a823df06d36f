import APIContract
import Hummingbird
import Primitives

extension Request {
    /// The parameters of the query.
    ///
    /// - Throws: `ParameterError`.
    func query<Query: QueryParameters>(_: Query.Type) throws -> Query {
        if let names = Query.names { try allowQuery(names) }
        return try Query { uri.queryParameters[$0[...]] }
    }

    /// Refuses a query that names anything else, or one thing twice: what is misspelt would be answered as if it were not there.
    private func allowQuery(_ names: [String]) throws {
        guard uri.query != nil else { return }
        var seen: Set<Substring> = []
        for (name, _) in uri.queryParameters {
            guard names.contains(String(name)) else {
                let known = names.isEmpty ? "this address takes none" : "known are \(names.joined(separator: ", "))"
                throw ParameterError("\(name.prefix(64))", "is no parameter: \(known)")
            }
            guard seen.insert(name).inserted else { throw ParameterError(String(name), "stands twice") }
        }
    }
}

extension RequestContext {
    /// A segment of the path, percent-decoded. Control characters are refused: a text ends for SQLite at its first zero byte, so
    /// that another identifier would be found.
    func segment(_ name: String) throws(ParameterError) -> String {
        guard let raw = parameters[name[...]], let text = PercentEncoding.decode(raw), !text.isEmpty,
            text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { throw ParameterError(name, "is not percent-encoded UTF-8 without control characters") }
        return text
    }
}
