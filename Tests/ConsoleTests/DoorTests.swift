import Backend
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Primitives
import Testing

@testable import Console

/// Keeps nothing: here nobody is let in.
private struct NoKeeper: SecretKeeper {
    func keep(_ secret: [UInt8], of owner: String) throws(SecretRefusal) -> String { throw .noKey }

    func reveal(_ kept: String, of owner: String) -> [UInt8]? { nil }
}

@Suite struct `What comes to the door` {
    private static let origin = "https://tenure.example.com"

    /// The console with the operators' own door, at an address of https.
    private func withDoor(_ body: @Sendable @escaping (any TestClientProtocol) async throws -> Void) async throws {
        try await withConsole { world in
            let url = try ConsoleURL(Self.origin)
            let desk = OperatorDesk(world.backend, secrets: NoKeeper(), clock: world.clock)
            let dependencies = ConsoleDependencies(
                backend: world.backend, door: OperatorDoor(desk, world.backend, at: url), site: url.site, version: "1.2.3")
            let application = Application(
                responder: ConsoleResponder(dependencies), logger: Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() })
            try await application.test(.router, body)
        }
    }

    private static func form(origin: String?, site: String?) throws -> HTTPFields {
        var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        headers[.origin] = origin
        headers[try #require(HTTPField.Name("Sec-Fetch-Site"))] = site
        return headers
    }

    /// Source: W3C, Fetch Metadata Request Headers, section 2.3; OWASP ASVS 4.0.3, 4.2.2.
    @Test func `a form is taken where both Origin and Sec-Fetch-Site say that it is ours, or the latter says nothing`()
        async throws
    {
        try await withDoor { client in
            let body = ByteBuffer(string: "form=")
            for (origin, site, isTaken) in [
                (Self.origin, "same-origin", true), (Self.origin, nil, true), (Self.origin, "cross-site", false),
                (Self.origin, "same-site", false), ("https://evil.example", "same-origin", false), (nil, nil, false),
            ] as [(String?, String?, Bool)] {
                let headers = try Self.form(origin: origin, site: site)
                // Of nobody's session: it leads back to the login.
                let answer = try await client.execute(uri: "/logout", method: .post, headers: headers, body: body)
                #expect(answer.status == (isTaken ? .seeOther : .forbidden), "\(origin ?? "-") \(site ?? "-")")
            }
        }
    }

    @Test func `HEAD of the login is answered as GET, without the body`() async throws {
        try await withDoor { client in
            let shown = try await client.execute(uri: "/login", method: .get)
            let head = try await client.execute(uri: "/login", method: .head)
            #expect(shown.status == .ok && head.status == .ok && head.body.readableBytes == 0)
            #expect(head.headers[.contentType] == shown.headers[.contentType])
        }
    }

    @Test func `a form of more bytes than any of ours has is refused`() async throws {
        try await withDoor { client in
            let headers = try Self.form(origin: Self.origin, site: nil)
            let body = ByteBuffer(string: "name=" + String(repeating: "a", count: ConsoleForm.longest))
            let answer = try await client.execute(uri: "/login", method: .post, headers: headers, body: body)
            #expect(answer.status == .contentTooLarge)
        }
    }
}
