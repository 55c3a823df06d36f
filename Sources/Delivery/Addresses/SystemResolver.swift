internal import Dispatch
internal import NIOCore
internal import NIOPosix
package import Primitives

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The machine's own resolver, on threads of its own: it blocks, for longer than a delivery may wait.
package struct SystemResolver: NameResolver {
    /// How many names are looked up at the same time; the next ones wait, as long as a look-up may take.
    private static let threads = 4

    private let pool: NIOThreadPool
    private let timeout: TimeAmount
    private let lookUp: @Sendable (String) -> Result<[IPAddress], NameFailure>

    /// - Parameters:
    ///   - timeout: after which a name counts as ``NameFailure/noAnswer``; its thread is occupied until the machine gives up.
    ///   - lookUp: may block.
    package init(
        timeout: Milliseconds = .seconds(2),
        lookUp: @escaping @Sendable (String) -> Result<[IPAddress], NameFailure> = SystemResolver.getaddrinfo
    ) {
        pool = NIOThreadPool(numberOfThreads: Self.threads)
        pool.start()
        self.timeout = .milliseconds(timeout.count)
        self.lookUp = lookUp
    }

    /// Asks the machine's resolver, as ``NameResolver/addresses(of:)`` says.
    package func addresses(of name: String) async throws(NameFailure) -> [IPAddress] {
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let promise = loop.makePromise(of: Result<[IPAddress], NameFailure>.self)
        // Whichever comes second is ignored.
        let end = loop.scheduleTask(in: timeout) { promise.succeed(.failure(.noAnswer)) }
        let lookUp = lookUp
        pool.submit { state in
            promise.succeed(state == .active ? lookUp(name) : .failure(.noAnswer))
        }
        promise.futureResult.whenComplete { _ in end.cancel() }
        let result: Result<[IPAddress], NameFailure>
        do {
            result = try await promise.futureResult.get()
        } catch {
            throw .noAnswer
        }
        return try result.get()
    }

    /// Ends its threads once their look-ups have ended.
    package func shutdown() async {
        pool.shutdownGracefully(queue: .global()) { _ in }
    }

    /// Blocks until the machine's resolver answers.
    ///
    /// Source: POSIX, `getaddrinfo`; RFC 6724 for the order of what it returns.
    package static func getaddrinfo(_ name: String) -> Result<[IPAddress], NameFailure> {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        var first: UnsafeMutablePointer<addrinfo>?
        switch systemLookUp(name, &hints, &first) {
        case 0: break
        case EAI_AGAIN: return .failure(.noAnswer)
        default: return .failure(.unknown)
        }
        defer { if let first { freeaddrinfo(first) } }
        var addresses: [IPAddress] = []
        var entry = first
        while let present = entry {
            if let address = IPAddress(present.pointee), !addresses.contains(address) { addresses.append(address) }
            entry = present.pointee.ai_next
        }
        return addresses.isEmpty ? .failure(.unknown) : .success(addresses)
    }

    /// The function of C, whose name is also this type's.
    private static func systemLookUp(
        _ name: String, _ hints: inout addrinfo, _ first: inout UnsafeMutablePointer<addrinfo>?
    ) -> Int32 {
        #if canImport(Glibc)
            Glibc.getaddrinfo(name, nil, &hints, &first)
        #elseif canImport(Musl)
            Musl.getaddrinfo(name, nil, &hints, &first)
        #else
            Darwin.getaddrinfo(name, nil, &hints, &first)
        #endif
    }
}

extension IPAddress {
    /// Nil for an entry of another family.
    fileprivate init?(_ entry: addrinfo) {
        guard let socketAddress = entry.ai_addr else { return nil }
        switch entry.ai_family {
        case AF_INET:
            self.init(
                bytes: socketAddress.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
                    withUnsafeBytes(of: address.pointee.sin_addr) { Array($0) }
                })
        case AF_INET6:
            self.init(
                bytes: socketAddress.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                    withUnsafeBytes(of: address.pointee.sin6_addr) { Array($0) }
                })
        default: return nil
        }
    }
}
