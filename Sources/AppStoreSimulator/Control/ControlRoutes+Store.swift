internal import AppStoreModel
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Primitives
internal import StrictJSON

/// The store as a whole: its state, and what it shows to customers who are about to leave.
extension ControlRoutes {
    /// Larger states can only be loaded at the start.
    private static let longestState = 256 << 20

    func addState(to group: RouterGroup<BasicRequestContext>) {
        group.get("/state") { _, _ in
            let bytes = try SimulatorStateFile.bytes(of: try await simulator.save())
            return Response(
                status: .ok, headers: [.contentType: "application/x-ndjson"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        }
        group.put("/state") { request, _ in
            var request = request
            let body = try await request.collectBody(upTo: Self.longestState)
            try await simulator.restore(try SimulatorStateFile.state(from: Array(body.readableBytesView)))
            return Response.json { $0.members(of: simulator.clockNow()) }
        }
    }

    func addRetention(to group: RouterGroup<BasicRequestContext>) {
        group.get("/retention") { request, _ in
            let environment = try Self.environment(request) ?? simulator.configuration.environment
            let (images, messages) = await simulator.retentionShelf(of: try await app(request), in: environment)
            return Response.json { json in
                json.member("environment", environment.rawValue)
                json.list("images", images) { $0.members(of: $1) }
                json.list("messages", messages) { $0.members(of: $1) }
            }
        }
        group.post("/retention/review") { request, _ in
            let body = try await JSONFields(request, members: ["app", "environment", "identifier", "approves"])
            guard let id = CompactUUID(try body.requiredText("identifier")) else {
                throw ControlProblem.invalid("identifier", "a UUID")
            }
            try await simulator.review(
                id, of: try await simulator.app(try body.text("app")),
                in: try body.environment() ?? simulator.configuration.environment, approves: try body.requiredBool("approves"))
            return Response.json { _ in }
        }
    }
}

extension JSONWriter {
    mutating func members(of image: RetentionImage) {
        member("imageIdentifier", image.imageIdentifier.description)
        member("imageSize", image.size.rawValue)
        member("imageState", image.state.rawValue)
    }

    mutating func members(of message: RetentionMessage) {
        member("messageIdentifier", message.messageIdentifier.description)
        member("messageState", message.state.rawValue)
        member("header", message.header)
        member("body", message.body)
    }
}
