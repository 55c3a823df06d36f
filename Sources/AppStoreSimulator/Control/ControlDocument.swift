internal import CControlDocument
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// What the control API says of itself: `openapi.json`, which stands beside the routes, is written by hand and held against them
/// by `ControlDocumentTests` and by `Tests/Peers/store_openapi.py`.
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
