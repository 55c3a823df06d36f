internal import HTTPTypes
internal import Hummingbird

/// Keeps foreign web pages away from the control API: the API posts to any address on request, and its saved state contains
/// private keys.
///
/// A page of another site that is open in a browser on this machine can send requests here. The browser names the site in
/// `Origin`; and where the site made its own name resolve to this machine (DNS rebinding), the `Host` is not one of ours.
/// Programs send no `Origin`.
///
/// Source: Fetch Standard, section 3.2 (`Origin`); RFC 9110, section 7.2 (`Host`).
struct LocalCallers<Context: RequestContext>: RouterMiddleware {
    /// Host names under which the API may be called, without ports, in lower case.
    private let hosts: Set<String>

    /// - Parameters:
    ///   - host: where it listens.
    ///   - allowed: other names that resolve to it.
    init(listeningAt host: String, allowed: [String]) {
        hosts = Set((["localhost", "127.0.0.1", "[::1]", host] + allowed).map { $0.lowercased() })
    }

    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let authority = request.head.authority?.lowercased()
        if let authority, !hosts.contains(Self.name(in: authority)) {
            let name = Self.name(in: authority).prefix(256)
            throw ControlProblem(.foreignHost, "Host is \(name). Start with --allow-host to allow that name.")
        }
        if let origin = request.headers[.origin]?.lowercased(), origin != "http://\(authority ?? "")" {
            throw ControlProblem(.foreignOrigin, "A web page from another address may not call this API.")
        }
        return try await next(request, context)
    }

    /// Without the port.
    private static func name(in authority: String) -> String {
        guard let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") else { return authority }
        return String(authority[..<colon])
    }
}
