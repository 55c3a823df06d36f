import Foundation

/// A port of this machine on which nobody listens, held by a socket until it is let go: meanwhile nobody else gets it.
package struct LoopbackPort: ~Copyable {
    package let number: Int
    private let socket: Int32

    /// - Parameter number: 0 for any that the kernel gives.
    /// - Throws: `SpawnFailure` where somebody has it.
    package init(holding number: UInt16 = 0) throws {
        let held = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        address.sin_port = number.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(held, generic, length) == 0 && getsockname(held, generic, &length) == 0
            }
        }
        guard isBound else {
            let reason = errno
            if held >= 0 { close(held) }
            throw SpawnFailure("port \(number) cannot be held: \(String(cString: strerror(reason)))")
        }
        (self.number, socket) = (Int(UInt16(bigEndian: address.sin_port)), held)
    }

    deinit { close(socket) }

    /// A port for a program that is about to be started, below those that the kernel gives to connections and to who asks for any
    /// port: what runs meanwhile takes hundreds of these.
    ///
    /// - Throws: `SpawnFailure` where a hundred in a row were in use.
    package static func free() throws -> Int {
        var last: (any Error)?
        for _ in 0..<100 {
            do {
                return try LoopbackPort(holding: UInt16.random(in: 15_000..<32_000)).number
            } catch {
                last = error
            }
        }
        throw SpawnFailure("a hundred ports of this machine were in use: \(last.map { "\($0)" } ?? "")")
    }
}
