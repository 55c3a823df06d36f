import Backend
import Foundation
import StrictJSON

/// `console` of the configuration file: under which address people reach it, and which proxy says who they are
/// (docs/operations/console.md).
struct ConsoleConfiguration {
    /// Without a slash at its end; nil: none is known, and links are printed without it.
    var address: String?
    /// Nil: operators log in with password and code.
    var proxy: TrustedProxy?

    /// - Throws: `CommandError` that names the member and what it should be.
    init(in file: JSONFields) throws {
        let chosen = try file.fields("console", knowing: ["address", "proxy"])
        address = try chosen?.text("address").map(Self.checked)
        guard let asked = try chosen?.fields("proxy", knowing: ["header", "from"]) else { return }
        let header = try asked.requiredText("header")
        do throws(TrustedProxy.Refusal) {
            proxy = try TrustedProxy(header: header, ranges: try Self.ranges(asked))
        } catch {
            switch error {
            case .header: throw CommandError("console.proxy.header must be the name of a header, such as X-Forwarded-User.")
            case .range(let text):
                throw CommandError("console.proxy.from: \(text) is no address and no range such as 10.0.0.0/8 or fd00::/8.")
            case .noRanges:
                throw CommandError("console.proxy.from is missing or empty: whoever asked could say that they are anybody.")
            }
        }
    }

    private static func ranges(_ asked: JSONFields) throws(TrustedProxy.Refusal) -> [String] {
        do {
            return try asked.texts("from") ?? []
        } catch {
            throw .noRanges
        }
    }

    /// Passwords are typed there: it is HTTPS, or this machine.
    private static func checked(_ text: String) throws -> String {
        let parts = URLComponents(string: text)
        let isLocal = ["localhost", "127.0.0.1", "[::1]", "::1"].contains(parts?.host ?? "")
        guard let parts, let host = parts.host, !host.isEmpty, parts.query == nil, parts.fragment == nil, parts.user == nil,
            parts.scheme == "https" || (parts.scheme == "http" && isLocal)
        else {
            throw CommandError(
                "console.address must be the console's address, such as https://tenure.example.com; http only for localhost.")
        }
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }
}
