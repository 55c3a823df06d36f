package import Primitives

/// Finds the addresses of a host's name.
package protocol NameResolver: Sendable {
    /// All addresses of a name, the one to be tried first in front; never none.
    func addresses(of name: String) async throws(NameFailure) -> [IPAddress]

    /// Releases what it holds; it is not asked afterwards. Calling it twice is safe.
    func shutdown() async
}

extension NameResolver {
    package func shutdown() async {}
}

/// Why a name has no address.
package enum NameFailure: Error, Sendable, Hashable {
    /// No resolver knows it.
    case unknown
    /// None answered in time.
    case noAnswer
}
