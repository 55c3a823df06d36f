import Foundation
import Primitives
import StrictJSON
import TenureClient

/// The network of a device in the story: HTTP by the client that the demo has already.
///
/// It notes what came of each upload. Only an upload in time shows who bought (OWN-4), so each one goes to the other ledger too,
/// which receives everything else only at the end.
actor DemoNetwork: ServerTransport {
    private let world: DemoWorld
    private let customer: String
    private(set) var uploads: [Upload] = []
    private var isThere = true

    /// What a device showed, and what the server answered.
    struct Upload: Sendable {
        /// How the transaction reached the device.
        let kind: String
        let status: Int
        /// Such as `bound`, or the code of a refusal.
        let outcome: String
    }

    init(_ world: DemoWorld, of customer: String) { (self.world, self.customer) = (world, customer) }

    /// Takes the network away, or gives it back.
    func set(isThere: Bool) { self.isThere = isThere }

    func send(_ request: ServerRequest) async throws -> ServerResponse {
        guard isThere || request.url.absoluteString.hasPrefix(world.store) else { throw URLError(.notConnectedToInternet) }
        let answer = try await world.send(request)
        guard request.method == "POST", request.url.path.hasSuffix("/transactions"), let body = request.body,
            !request.url.absoluteString.hasPrefix(world.store)
        else { return answer }
        let said = try DemoWorld.Answer(status: answer.status, body: Array(answer.body)).object()
        let kind = try JSONDocument(Array(body)).root.object?["kind"]?.string ?? ""
        uploads.append(
            Upload(
                kind: kind, status: answer.status,
                outcome: said["outcome"]?.string ?? said["code"]?.string ?? "nothing"))
        _ = try await world.upload(body, by: customer, app: DemoStage.replayApp.rawValue)
        return answer
    }
}
