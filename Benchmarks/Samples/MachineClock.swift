import Backend
import Foundation
package import Primitives

/// The machine's clock.
package struct MachineClock: TimeSource {
    package init() {}

    package func now() -> Timestamp { Timestamp(millisecondsSince1970: Int64(Date().timeIntervalSince1970 * 1000)) }
}
