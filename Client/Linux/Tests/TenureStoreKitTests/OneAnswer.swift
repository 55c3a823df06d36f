import Foundation
import TenureClient

/// A server for which whoever has uploaded has everything.
actor OneAnswer: ServerTransport {
    /// The one of every customer.
    static let token = UUID(uuid: (1, 2, 3, 4, 5, 6, 0x47, 8, 0x89, 10, 11, 12, 13, 14, 15, 16))

    private var isBought = false
    /// Who uploaded how.
    private(set) var kinds: [String] = []
    private(set) var storefronts: [String] = []
    private var wall: String?

    /// What it says to show; nil: it does not answer.
    func show(_ wall: String?) { self.wall = wall }

    func send(_ request: ServerRequest) async throws -> ServerResponse {
        let customer = request.url.pathComponents[6]
        switch request.url.lastPathComponent {
        case "transactions":
            isBought = true
            kinds.append("\(customer) \(try said("kind", request))")
            return json(#"{"outcome":"bound","originalTransactionId":"1001","environment":"Production","isOwner":true}"#)
        case "entitlements":
            let window = isBought ? #""start":1000,"end":null"# : #""start":null,"end":null"#
            let plus = #"{"id":"plus","isActive":\#(isBought),\#(window),"isProvisional":false}"#
            let all = #""isActive":\#(isBought),\#(window),"entitlements":[\#(plus)]"#
            return json(#"{"customer":"\#(customer)","environment":"Production","at":2000,\#(all)}"#)
        case "intents":
            return json(#"{"answer":"yes","words":"","appAccountToken":"\#(Self.token.uuidString)"}"#)
        case "wall":
            guard let wall else { return away }
            storefronts.append(try said("storefront", request))
            return json(wall)
        case "device", "identify": return ServerResponse(status: 204)
        default: return away
        }
    }

    private var away: ServerResponse { ServerResponse(status: 503, body: Data(#"{"code":"overloaded"}"#.utf8)) }

    private func said(_ member: String, _ request: ServerRequest) throws -> String {
        let body = try JSONSerialization.jsonObject(with: request.body ?? Data()) as? [String: Any]
        return body?[member] as? String ?? "nothing"
    }

    private func json(_ text: String) -> ServerResponse { ServerResponse(status: 200, body: Data(text.utf8)) }
}
