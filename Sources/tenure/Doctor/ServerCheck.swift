import APIContract
import AppStoreWire
import AsyncHTTPClient
import Backend
import Foundation
import NIOCore
import NIOHTTP1
import Primitives
import StrictJSON

/// Checks a running server from outside, as Apple sees it.
struct ServerCheck {
    /// Without a path.
    let address: String
    let configuration: TenureConfiguration

    /// - Throws: `CommandError` where the address is not valid.
    init(url: String, configuration: TenureConfiguration) throws {
        guard let parts = URLComponents(string: url), let scheme = parts.scheme, ["http", "https"].contains(scheme),
            parts.host?.isEmpty == false, parts.path.allSatisfy({ $0 == "/" }), parts.query == nil
        else { throw CommandError("--url is \(url); it must be the server's address without a path, such as https://your.host.") }
        address = String(url.reversed().drop { $0 == "/" }.reversed())
        self.configuration = configuration
    }

    func diagnoses() async -> [Diagnosis] {
        let ready: Answer
        do {
            ready = try await ask(.GET, NativeAPI.checkReady.path(NoPath()))
        } catch {
            return [
                .problem("server", "there is no answer at \(address): \(error)", "start tenure serve, or check the network.")
            ]
        }
        var found = [readiness(ready)]
        if let now = ready.members?["now"]?.int64.flatMap(Timestamp.init(validating:)) { found.append(clock(now)) }
        if let asks = ready.members?["apple"]?.object?["asks"]?.bool { found.append(asking(asks)) }
        for app in configuration.apps { found.append(await notifications(of: app.settings)) }
        return found + [encryption]
    }

    // MARK: Health

    private func readiness(_ answer: Answer) -> Diagnosis {
        guard answer.status == 200, answer.members?["status"]?.string == "ready" else {
            return .problem(
                "server", "\(address)\(NativeAPI.checkReady.path(NoPath())) answers \(answer.words)",
                "see the server's log, if it is tenure that listens there.")
        }
        return .ok("server", "\(address) is ready")
    }

    /// How much later than the server's time a notification may be dated; beyond that Apple's notifications are refused.
    private static let tolerance = Milliseconds.minutes(5)

    private func clock(_ now: Timestamp) -> Diagnosis {
        do {
            let here = try configuration.clock().now()
            guard now.since(here) <= Self.tolerance, here.since(now) <= Self.tolerance else {
                return .problem(
                    "server's clock", "there \(now), here \(here): what Apple signs may be refused as signedDateInFuture.",
                    "set both machines' clocks; compare clock.file, if the server has one.")
            }
            return .ok("server's clock", "it is \(now), as here")
        } catch {
            return .problem("server's clock", "\(error)", "see clock.file.")
        }
    }

    private func asking(_ asks: Bool) -> Diagnosis {
        let words = "no app has `apple` in the configuration: what is neither notified nor uploaded stays unknown"
        return .ok("asking Apple", asks ? "the server asks Apple for what was not notified" : words)
    }

    // MARK: Notifications

    /// Our own route must refuse a body that is not a notification: that shows that Apple's notifications would reach it.
    private func notifications(of app: AppSettings) async -> Diagnosis {
        let (subject, url) = ("notifications of \(app.id)", address + app.notificationPath)
        do {
            let answer = try await ask(.POST, app.notificationPath, Array("{}".utf8))
            switch answer.members?["code"]?.string {
            case "bodyUnreadable" where answer.status == 400:
                return .ok(
                    subject,
                    "\(url) answers, and refuses what is not a notification. App Store Connect, App Information, "
                        + "App Store Server Notifications: enter it for Production and for Sandbox, version 2.")
            case "unknownApp":
                return .problem(
                    subject, "the server at \(address) does not serve \(app.id): it has another configuration.",
                    "start it with this configuration, or give its own to tenure doctor.")
            default:
                return .problem(
                    subject, "\(url) answers \(answer.words)", "it must reach tenure serve; check the proxy.")
            }
        } catch {
            return .problem(subject, "\(url) does not answer: \(error)", "it must reach tenure serve; check the proxy.")
        }
    }

    private var encryption: Diagnosis {
        guard configuration.roots.containsAppleRoot, !address.hasPrefix("https://") else {
            return .ok("encryption", address.hasPrefix("https://") ? "the address uses https" : "not needed for tests")
        }
        return .warning(
            "encryption", "\(address) does not use https, which App Store Connect requires.",
            "put a proxy with TLS in front of it, and try its address.")
    }

    // MARK: Asking

    /// What the server answered.
    private struct Answer {
        let status: UInt
        /// Nil where it is not a JSON object.
        let members: JSONObject?

        /// Status and code, for display.
        var words: String { "\(status) \(members?["code"]?.string ?? "without a word of ours")" }
    }

    private static let timeout = TimeAmount.seconds(5)
    private static let longestAnswer = 64 * 1024

    private func ask(_ method: HTTPMethod, _ path: String, _ body: [UInt8]? = nil) async throws -> Answer {
        var request = HTTPClientRequest(url: address + path)
        request.method = method
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: body))
        }
        let response = try await HTTPClient.shared.execute(request, timeout: Self.timeout)
        let bytes = Array(try await response.body.collect(upTo: Self.longestAnswer).readableBytesView)
        return Answer(status: response.status.code, members: Self.object(in: bytes))
    }

    private static func object(in bytes: [UInt8]) -> JSONObject? {
        do { return try JSONDocument(bytes).root.object } catch { return nil }
    }
}
