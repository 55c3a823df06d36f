import Crypto
import Foundation
import HTTPTypes
import Hummingbird

struct Event: Decodable {
    struct Window: Codable { let from: Double, until: Double? }
    struct Content: Decodable { let customer: String?, entitlement: String?, windows: [Window]? }
    let type: String, data: Content
}

actor Access {  // in yours a database: the event and what follows from it, in one transaction
    private var seen: Set<String> = [], windows: [String: [Event.Window]] = [:]
    func take(_ event: Event, _ id: String) {
        guard seen.insert(id).inserted, event.type == "entitlement.changed", let customer = event.data.customer else { return }
        windows["\(customer)/\(event.data.entitlement ?? "")"] = event.data.windows
    }
    func has(_ customer: String, _ entitlement: String) -> Bool {
        let now = Date().timeIntervalSince1970 * 1000
        return windows["\(customer)/\(entitlement)"]?.contains { $0.from <= now && now < $0.until ?? .infinity } ?? false
    }
}

let environment = ProcessInfo.processInfo.environment
let key = SymmetricKey(data: Data(base64Encoded: String((environment["WEBHOOK_SECRET"] ?? "").dropFirst(6))) ?? Data())
let (access, router) = (Access(), Router())
router.post("/") { request, _ -> HTTPResponse.Status in
    let body = Data(buffer: try await request.body.collect(upTo: 1 << 20))
    func header(_ name: String) -> String { HTTPField.Name(name).flatMap { request.headers[$0] } ?? "" }
    let (id, timestamp) = (header("webhook-id"), header("webhook-timestamp"))
    let signed = Data("\(id).\(timestamp).".utf8) + body
    let isSigned = header("webhook-signature").split(separator: " ").filter { $0.hasPrefix("v1,") }.contains { signature in
        let code = Data(base64Encoded: String(signature.dropFirst(3))) ?? Data()
        return HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: signed, using: key)
    }
    guard isSigned, abs((Double(timestamp) ?? 0) - Date().timeIntervalSince1970) < 300 else { return .unauthorized }
    await access.take(try JSONDecoder().decode(Event.self, from: body), id)
    return .noContent
}
router.get("/:customer/:entitlement") { _, context in
    "\(await access.has(try context.parameters.require("customer"), try context.parameters.require("entitlement")))"
}
let port = Int(environment["RECEIVER_PORT"] ?? "") ?? 3000
try await Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: port))).runService()
