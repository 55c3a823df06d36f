import Foundation

/// The server's operations that a device needs, as requests. Which customer may ask is the matter of `authorization`.
///
/// Source: docs/openapi.json of the server.
struct TenureServer: Sendable {
    private let url: URL
    private let app: String
    private let publicKey: String
    private let transport: any ServerTransport

    init(_ configuration: Tenure.Configuration) {
        (url, app) = (configuration.server, configuration.app)
        (publicKey, transport) = (configuration.publicKey, configuration.transport)
    }

    /// What shows that a request is from a customer.
    enum Authorization: Sendable, Hashable {
        /// A token by the app's backend.
        case token(String)
        /// What an anonymous customer's device said first (OWN-10).
        case deviceSecret(String)
        /// The public key alone.
        case none
    }

    // MARK: Operations

    func entitlements(of customer: String, in environment: String, by who: Authorization) async throws -> ServerResponse {
        try await ask("GET", customer, "entitlements", query: [("environment", environment)], by: who)
    }

    /// - Parameter nonce: comes back in what is signed.
    func signedEntitlements(
        of customer: String, in environment: String, nonce: String, by who: Authorization
    ) async throws -> ServerResponse {
        try await ask(
            "GET", customer, "entitlements/signed", query: [("environment", environment), ("nonce", nonce)], by: who)
    }

    func upload(_ item: UploadItem, by who: Authorization) async throws -> ServerResponse {
        let body = UploadBody(
            kind: item.kind, signedTransactionInfo: item.signedTransactionInfo, signedRenewalInfo: item.signedRenewalInfo,
            intents: true)
        return try await ask("POST", item.customer, "transactions", body: body, by: who)
    }

    func showAppTransaction(_ signed: String, of customer: String, by who: Authorization) async throws -> ServerResponse {
        try await ask("POST", customer, "appTransactions", body: ["signedAppTransaction": signed], by: who)
    }

    func uploadReceipt(
        _ receipt: Data, kind: UploadKind, of customer: String, by who: Authorization
    ) async throws -> ServerResponse {
        let body = ReceiptBody(kind: kind, receipt: receipt.base64EncodedString(), intents: true)
        return try await ask("POST", customer, "receipts", body: body, by: who)
    }

    /// - Parameter shown: what the device has of this Apple Account, so that the server can say whom the purchase would change.
    func askPurchase(
        of productId: String, by customer: String, in environment: String, showing shown: ShownAccount, _ who: Authorization
    ) async throws -> ServerResponse {
        let body = IntentBody(
            productId: productId, signedTransactions: shown.signedTransactions, signedAppTransaction: shown.signedAppTransaction)
        return try await ask("POST", customer, "intents", query: [("environment", environment)], body: body, by: who)
    }

    /// What the customer's purchases are to bear, whatever they buy.
    func appAccountToken(of customer: String, by who: Authorization) async throws -> ServerResponse {
        try await ask("PUT", customer, "appAccountToken", by: who)
    }

    /// The form that systems since iOS 15 take: it is bound to what the purchase bears.
    func signOffer(
        _ offerIdentifier: String, for begun: BegunPurchase, in environment: String, _ who: Authorization
    ) async throws -> ServerResponse {
        let body = OfferBody(
            productId: begun.productId, offerIdentifier: offerIdentifier, form: "v1",
            appAccountToken: begun.appAccountToken?.uuidString.lowercased())
        return try await ask(
            "POST", begun.customer, "offers/promotional", query: [("environment", environment)], body: body, by: who)
    }

    func wall(
        for customer: String, in environment: String, _ question: WallQuestion, by who: Authorization
    ) async throws -> ServerResponse {
        try await ask("POST", customer, "wall", query: [("environment", environment)], body: question, by: who)
    }

    func register(_ customer: String, secret: String) async throws -> ServerResponse {
        try await ask("PUT", customer, "device", body: ["secret": secret], by: .none)
    }

    func identify(_ customer: String, as former: AnonymousCustomer, by who: Authorization) async throws -> ServerResponse {
        let body = ["anonymous": former.id, "deviceSecret": former.secret]
        return try await ask("POST", customer, "identify", body: body, by: who)
    }

    // MARK: Requests

    private struct UploadBody: Encodable {
        let kind: UploadKind
        let signedTransactionInfo: String
        let signedRenewalInfo: String?
        let intents: Bool
    }

    private struct ReceiptBody: Encodable {
        let kind: UploadKind
        let receipt: String
        let intents: Bool
    }

    private struct IntentBody: Encodable {
        let productId: String
        let signedTransactions: [String]
        let signedAppTransaction: String?
    }

    private struct OfferBody: Encodable {
        let productId: String
        let offerIdentifier: String
        let form: String
        let appAccountToken: String?
    }

    private struct NoBody: Encodable {}

    private func ask(
        _ method: String, _ customer: String, _ operation: String, query: [(String, String)] = [], by who: Authorization
    ) async throws -> ServerResponse {
        try await transport.send(request(method, customer, operation, query, nil, who))
    }

    private func ask(
        _ method: String, _ customer: String, _ operation: String, query: [(String, String)] = [], body: some Encodable,
        by who: Authorization
    ) async throws -> ServerResponse {
        try await transport.send(request(method, customer, operation, query, try JSONEncoder().encode(body), who))
    }

    private func request(
        _ method: String, _ customer: String, _ operation: String, _ query: [(String, String)], _ body: Data?,
        _ who: Authorization
    ) throws -> ServerRequest {
        var text = url.absoluteString
        while text.hasSuffix("/") { text.removeLast() }
        text += "/api/v1/apps/\(Self.encoded(app))/customers/\(Self.encoded(customer))/\(operation)"
        let asked = query.map { "\($0)=\(Self.encoded($1))" }.joined(separator: "&")
        guard let url = URL(string: asked.isEmpty ? text : "\(text)?\(asked)") else { throw URLError(.badURL) }
        var headers = ["Authorization": "Bearer \(publicKey)", "Accept": "application/json, application/jose"]
        if body != nil { headers["Content-Type"] = "application/json" }
        switch who {
        case .token(let token): headers["Tenure-Customer-Token"] = token
        case .deviceSecret(let secret): headers["Tenure-Device-Secret"] = secret
        case .none: break
        }
        return ServerRequest(method: method, url: url, headers: headers, body: body)
    }

    /// Everything but what RFC 3986, section 2.3, calls unreserved is encoded, so that an id is one segment of the path.
    private static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
                encoded.append(byte)
            default: encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}

/// What a device has of the Apple Account that it is signed in with.
struct ShownAccount: Sendable, Hashable {
    /// Twenty at most.
    var signedTransactions: [String] = []
    var signedAppTransaction: String?
}
