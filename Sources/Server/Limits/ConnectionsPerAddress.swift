import NIOCore
import Synchronization

/// How many connections each peer has open, so that one of them cannot take all that there are (T32).
///
/// IPv6 peers count by the first 64 bits of their address, which is what one of them is given. Peers on this machine do not
/// count: a reverse proxy may stand in front of all clients.
final class ConnectionsPerAddress: Sendable {
    private let limit: Int
    private let open = Mutex<[Peer: Int]>([:])

    /// - Parameter limit: how many each may have; 0: any number.
    init(limit: Int) { self.limit = limit }

    /// Counts one more connection.
    ///
    /// - Returns: false where the peer has as many as it may; nothing is counted then.
    func enter(_ peer: Peer) -> Bool {
        guard limit > 0, !peer.isLocal else { return true }
        return open.withLock { open in
            let count = open[peer] ?? 0
            guard count < limit else { return false }
            open[peer] = count + 1
            return true
        }
    }

    /// Takes back one that was counted.
    func leave(_ peer: Peer) {
        guard limit > 0, !peer.isLocal else { return }
        open.withLock { open in
            let count = (open[peer] ?? 0) - 1
            open[peer] = count > 0 ? count : nil
        }
    }

    /// The holder of an address, or of a network of addresses.
    struct Peer: Sendable, Hashable {
        /// An IPv4 address, or the first half of an IPv6 one.
        private let bits: UInt64
        private let isV6: Bool
        let isLocal: Bool

        /// Nil for what has no address of the Internet.
        init?(_ address: SocketAddress?) {
            guard let address else { return nil }
            // Both begin with the family and the port in four bytes; an IPv6 one goes on with four of flow information.
            let bytes = address.withSockAddr { pointer, length in Array(UnsafeRawBufferPointer(start: pointer, count: length)) }
            switch address.protocol {
            case .inet where bytes.count >= 8: self.init(v4: Self.number(bytes[4..<8]))
            case .inet6 where bytes.count >= 24:
                self.init(high: Self.number(bytes[8..<16]), low: Self.number(bytes[16..<24]))
            default: return nil
            }
        }

        private init(v4: UInt64) { self.init(bits: v4, isV6: false, isLocal: v4 >> 24 == 127) }

        private init(high: UInt64, low: UInt64) {
            // An IPv4 address as an IPv6 one (RFC 4291, section 2.5.5.2).
            if high == 0, low >> 32 == 0xFFFF {
                self.init(v4: low & 0xFFFF_FFFF)
            } else {
                self.init(bits: high, isV6: true, isLocal: high == 0 && low == 1)
            }
        }

        private init(bits: UInt64, isV6: Bool, isLocal: Bool) { (self.bits, self.isV6, self.isLocal) = (bits, isV6, isLocal) }

        private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    }
}
