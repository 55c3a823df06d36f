internal import CControlDocument
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// The description of the control API: `openapi.json`, beside the routes. It is written by hand; `ControlDocumentTests` and
/// `Tests/Peers/store_openapi.py` compare it with them.
enum ControlDocument {
    static func add(to group: RouterGroup<BasicRequestContext>) {
        group.get("/openapi.json") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        }
    }

    static var bytes: UnsafeBufferPointer<UInt8> {
        var count = 0
        let start = control_document(&count)
        return UnsafeBufferPointer(start: start, count: count)
    }
}
