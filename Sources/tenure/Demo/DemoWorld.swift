import APIContract
import AsyncHTTPClient
import Crypto
import Foundation
import NIOCore
import NIOHTTP1
import Primitives
import StrictJSON
import TenureClient

/// Both faces over real HTTP: the local App Store's control calls, and the server as devices and the app's backend see it.
struct DemoWorld: Sendable {
    let store: String
    let server: String
    let serverKey: String
    let publicKey: String
    let customerTokenSecret: [UInt8]
    /// Where somebody receives what is told, and what they made of it.
    let receiver: String
    let folded: DemoReceiver
    /// The time at Apple, which all go by.
    let now: @Sendable () -> Timestamp
    /// A folder for what devices keep.
    let devices: URL
    /// Has our server ask Apple and tell what is due.
    let work: @Sendable () async throws -> Void

    /// An HTTP answer.
    struct Answer: Sendable {
        let status: Int
        var headers: [String: String] = [:]
        let body: [UInt8]

        /// The JSON object in it.
        func object() throws -> JSONObject {
            guard let object = try JSONDocument(body).root.object else { throw CommandError("An answer is not a JSON object.") }
            return object
        }
    }

    // MARK: At Apple

    /// A control call.
    func atApple(_ method: HTTPMethod, _ path: String, _ members: (inout JSONWriter) -> Void = { _ in }) async throws
        -> JSONObject
    {
        var writer = JSONWriter()
        writer.object(members)
        let answer = try await send(method, store + path, body: method == .GET ? nil : writer.bytes)
        guard (200...299).contains(answer.status) else {
            throw CommandError(
                "The local App Store refused \(method.rawValue) \(path): \(String(decoding: answer.body, as: UTF8.self))")
        }
        return try answer.object()
    }

    /// Moves the clock; everything that is due happens on the way, in order.
    func advance(to instant: Timestamp) async throws {
        _ = try await atApple(.POST, "/clock/advance") { $0.member("to", instant.millisecondsSince1970) }
    }

    // MARK: At the server

    /// An entitlement read by a device, with the public key and a token that the app's backend minted for this customer.
    func entitlements(of customer: String, app: String = DemoStage.app.rawValue, at instant: Timestamp? = nil) async throws
        -> Answer
    {
        let path = NativeAPI.readEntitlements.path(CustomerPath(app: app, customer: customer), InstantQuery(at: instant))
        return try await send(.GET, server + path, headers: try await deviceHeaders(of: customer, app: app))
    }

    /// Has events sent to the receiver, from the first one on.
    func follow() async throws -> Answer {
        var order = EndpointOrderBody(url: receiver)
        order.since = Timestamp(millisecondsSince1970: 0)
        let path = NativeAPI.saveWebhookEndpoint.path(WebhookPath(app: DemoStage.app.rawValue, endpoint: "demo"))
        return try await send(.PUT, server + path, headers: ["Authorization": "Bearer \(serverKey)"], body: order.json)
    }

    /// The number of the last event that was told of a customer; 0 where none was.
    func lastEvent(of customer: String) async throws -> Int64 {
        let path = NativeAPI.listCustomerEvents.path(CustomerPath(app: DemoStage.app.rawValue, customer: customer))
        let answer = try await send(.GET, server + path, headers: ["Authorization": "Bearer \(serverKey)"])
        let items = try answer.object()["items"]?.array.map(Array.init) ?? []
        return items.last?.object?["data"]?.object?["sequence"]?.int64 ?? 0
    }

    /// The upload of a device to a ledger that is not its own.
    func upload(_ body: Data, by customer: String, app: String) async throws -> Answer {
        let path = NativeAPI.uploadTransaction.path(CustomerPath(app: app, customer: customer))
        return try await send(
            .POST, server + path, headers: try await deviceHeaders(of: customer, app: app), body: Array(body))
    }

    /// A request of a device.
    func send(_ request: ServerRequest) async throws -> ServerResponse {
        var headers = HTTPHeaders(request.headers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        headers.remove(name: "Content-Type")
        let answer = try await send(
            HTTPMethod(rawValue: request.method), request.url.absoluteString, headers: headers, body: request.body.map(Array.init)
        )
        return ServerResponse(status: answer.status, headers: answer.headers, body: Data(answer.body))
    }

    /// A subscription as the app's backend sees it.
    func subscription(_ originalTransactionId: String, app: String = DemoStage.app.rawValue) async throws -> Answer {
        let path = NativeAPI.readSubscription.path(SubscriptionPath(app: app, originalTransactionId: originalTransactionId))
        return try await send(.GET, server + path, headers: ["Authorization": "Bearer \(serverKey)"])
    }

    /// Posts a notification as Apple does.
    func notify(_ signedPayload: String, app: String = DemoStage.app.rawValue) async throws -> Answer {
        var writer = JSONWriter()
        writer.object { $0.member("signedPayload", signedPayload) }
        return try await send(.POST, server + NativeAPI.receiveNotification.path(AppPath(app: app)), body: writer.bytes)
    }

    /// Does the part of the app's backend: a JWT with HS256 that names the customer and is valid for ten minutes.
    func customerToken(of customer: String, app: String) async throws -> String {
        let now = now().millisecondsSince1970
        var claims = JSONWriter()
        claims.object { claims in
            claims.member("sub", customer)
            claims.member("aud", app)
            claims.member("iat", now / 1000)
            claims.member("exp", now / 1000 + 600)
        }
        let header = Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8)
        let signed = StrictBase64.encodeURL(header) + "." + StrictBase64.encodeURL(claims.bytes)
        let code = HMAC<SHA256>.authenticationCode(for: Array(signed.utf8), using: SymmetricKey(data: customerTokenSecret))
        return signed + "." + StrictBase64.encodeURL(Array(code))
    }

    private func deviceHeaders(of customer: String, app: String) async throws -> HTTPHeaders {
        ["Authorization": "Bearer \(publicKey)", "Tenure-Customer-Token": try await customerToken(of: customer, app: app)]
    }

    private func send(_ method: HTTPMethod, _ url: String, headers: HTTPHeaders = [:], body: [UInt8]? = nil) async throws
        -> Answer
    {
        var request = HTTPClientRequest(url: url)
        request.method = method
        request.headers = headers
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: body))
        }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        let bytes = try await response.body.collect(upTo: 64 << 20)
        return Answer(
            status: Int(response.status.code),
            headers: Dictionary(response.headers.map { ($0.name, $0.value) }) { first, _ in first },
            body: Array(bytes.readableBytesView))
    }
}
