import APIContract
import Hummingbird
import Primitives

extension Request {
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
