import Backend
import Console
import Primitives
import Server
import StrictJSON

/// `console` of the configuration file: where it listens, under which address people reach it, and who says who they are
/// (docs/operations/console.md).
struct ConsoleConfiguration {
    /// Where it listens; nil: it is not served.
    private(set) var listener: ServerConfiguration?
    /// Under which address browsers reach it; nil: none is known, and links are printed without it.
    private(set) var url: ConsoleURL?
    private(set) var ways = OperatorDoor.Ways()
    /// The same as text, without a slash at its end, such as `https://tenure.example.com`.
    private(set) var address: String?

    /// - Parameter api: the listener of the API, which is another one.
    /// - Throws: `CommandError` that names the member and what it should be.
    init(in file: JSONFields, beside api: ServerConfiguration) throws {
        let chosen = try file.fields("console", knowing: ["host", "port", "address", "proxy", "forwardedFrom"])
        if let port = try chosen?.integer("port", in: 0...65535) {
            guard port == 0 || port != api.port else {
                throw CommandError("console.port is the port of the API too: the console has a listener of its own.")
            }
            var listener = ServerConfiguration()
            listener.port = Int(port)
            listener.host = try chosen?.text("host") ?? "127.0.0.1"
            self.listener = listener
        }
        address = try chosen?.text("address").map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        if address == nil, let listener { address = try Self.ownAddress(listener) }
        url = try address.map(Self.url)
        ways.forwarders =
            try chosen?.texts("forwardedFrom")?.map { text in
                guard let range = AddressRange(text) else {
                    throw CommandError(
                        "console.forwardedFrom: \(text) is no address and no range such as 10.0.0.0/8 or fd00::/8.")
                }
                return range
            } ?? []
        guard let asked = try chosen?.fields("proxy", knowing: ["header", "from"]) else { return }
        ways.proxy = try Self.proxy(header: asked.requiredText("header"), from: asked.texts("from") ?? [])
    }

    /// Whoever listens on this machine alone is reached there; elsewhere there is TLS in front, with a name of its own.
    private static func ownAddress(_ listener: ServerConfiguration) throws -> String {
        guard ["127.0.0.1", "::1", "localhost"].contains(listener.host), listener.port != 0 else {
            throw CommandError(
                """
                console.address is missing: the console listens at \(listener.host):\(listener.port), and its forms and links \
                need the address that browsers have, such as https://tenure.example.com.
                """)
        }
        return listener.host == "::1" ? "http://[::1]:\(listener.port)" : "http://\(listener.host):\(listener.port)"
    }

    private static func url(_ text: String) throws -> ConsoleURL {
        do throws(ConsoleURL.Refusal) {
            return try ConsoleURL(text)
        } catch {
            switch error {
            case .unreadable:
                throw CommandError(
                    "console.address must be an address such as https://tenure.example.com or https://example.com/tenure.")
            case .notSecure:
                throw CommandError(
                    "console.address must begin with https://: passwords go there. http:// is for this machine alone.")
            case .path:
                throw CommandError("console.address: its path must be of letters, digits and - . _ ~ between single slashes.")
            }
        }
    }

    private static func proxy(header: String, from ranges: [String]) throws -> TrustedProxy {
        do throws(TrustedProxy.Refusal) {
            return try TrustedProxy(header: header, ranges: ranges)
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
}
