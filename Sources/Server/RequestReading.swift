import APIContract
import Backend
import Hummingbird
import Ledger
import NIOCore
import Primitives

/// Reading of requests: path, query and body, each with a typed error.
extension Request {
    /// The environment asked about: `Production` unless the query names another, in Apple's spelling.
    func environment() throws -> Primitives.Environment {
        guard let spelling = uri.queryParameters["environment"] else { return .production }
        guard let environment = Primitives.Environment(rawValue: String(spelling)) else {
            throw RequestError.invalidParameter("environment", reason: "must be Production or Sandbox")
        }
        return environment
    }

    /// Refuses a query that names anything else, or one thing twice: what is misspelt would be answered as if it were not there.
    func allowQuery(_ names: String...) throws {
        var seen: Set<Substring> = []
        for (name, _) in uri.queryParameters {
            guard names.contains(String(name)) else {
                let known = names.isEmpty ? "this address takes none" : "known are \(names.joined(separator: ", "))"
                throw RequestError.invalidParameter("\(name.prefix(64))", reason: "is no parameter: \(known)")
            }
            guard seen.insert(name).inserted else { throw RequestError.invalidParameter(String(name), reason: "stands twice") }
        }
    }

    /// Whether the query says yes; false where it does not say.
    func flag(_ name: String) throws -> Bool {
        switch uri.queryParameters[name[...]] {
        case nil, "false": return false
        case "true": return true
        default: throw RequestError.invalidParameter(name, reason: "must be true or false")
        }
    }

    /// The instant asked about; nil for now.
    func instant() throws -> Timestamp? {
        guard let text = uri.queryParameters["at"] else { return nil }
        guard let milliseconds = Int64(text), let instant = Timestamp(validating: milliseconds) else {
            throw RequestError.invalidParameter("at", reason: "must be milliseconds since 1970, before the year 10000")
        }
        return instant
    }
}

extension RequestContext {
    /// A segment of the path, percent-decoded. Control characters are refused: a text ends for SQLite at its first zero byte, so
    /// that another identifier would be found.
    func segment(_ name: String) throws -> String {
        guard let raw = parameters[name[...]], let text = PercentEncoding.decode(raw), !text.isEmpty,
            text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { throw RequestError.invalidParameter(name, reason: "is not percent-encoded UTF-8 without control characters") }
        return text
    }

    func app() throws -> AppID { AppID(try segment("app")) }

    func customer() throws -> CustomerID { try Backend.checked(CustomerID(try segment("customer"))) }
}
