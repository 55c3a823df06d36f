internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// The web page of the simulator: accounts, subscriptions, the clock and what was sent, with buttons for the common actions.
///
/// It has no state of its own: it gets everything it shows from the control API, and each button is one control call.
enum ControlPage {
    static func add(to router: Router<BasicRequestContext>) {
        router.get("/") { _, _ in
            Response(
                status: .ok,
                headers: [
                    .contentType: "text/html; charset=utf-8",
                    // Nothing from other hosts, and nothing that a name could inject.
                    .contentSecurityPolicy:
                        "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; "
                        + "frame-ancestors 'none'",
                ], body: ResponseBody(byteBuffer: ByteBuffer(bytes: PackageResources.page_html)))
        }
        router.get("/page.js") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "text/javascript; charset=utf-8"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: PackageResources.page_js)))
        }
    }
}
