import Primitives

/// Where the console stands on its host: every address is made here, and nowhere else.
package struct ConsoleSite: Sendable, Hashable {
    /// What stands before every path, such as `/console`; empty for the root.
    package let basePath: String

    /// - Parameter basePath: empty, `/`, or segments of unreserved characters, each after a slash; a slash at the end counts for
    ///   nothing.
    /// - Returns: nil for anything else.
    package init?(basePath: String) {
        var path = basePath
        while path.hasSuffix("/") { path.removeLast() }
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        guard path.isEmpty || path.first == "/",
            segments.dropFirst().allSatisfy({ !$0.isEmpty && PercentEncoding.encode(String($0)) == $0 && $0 != "." && $0 != ".." }
            )
        else { return nil }
        self.basePath = path
    }

    private init() { basePath = "" }

    /// At the root of its host.
    package static let atRoot = ConsoleSite()

    /// The address of a route.
    package func address(of route: ConsoleRoute) -> ConsoleAddress { ConsoleAddress(basePath + route.path) }

    /// The address of a page that the door answers itself, such as `["login"]`.
    ///
    /// - Parameters:
    ///   - segments: of the path; each is encoded.
    ///   - query: names and values, which are encoded; what is nil is left out.
    package func address(ofDoor segments: [String], query: [(String, String?)] = []) -> ConsoleAddress {
        ConsoleAddress(basePath + segments.map { "/" + PercentEncoding.encode($0) }.joined() + ConsoleQuery.text(query))
    }

    /// What stands behind the base path; nil where a path is not below it.
    package func path(of path: Substring) -> Substring? {
        guard path.hasPrefix(basePath) else { return nil }
        let rest = path.dropFirst(basePath.count)
        if rest.isEmpty { return "/" }
        return rest.first == "/" ? rest : nil
    }
}

/// The address of something of the console's own: a path on its own host. Only ``ConsoleSite`` makes one.
package struct ConsoleAddress: Sendable, Hashable {
    /// As it stands in a link or a `Location`.
    package let text: String

    fileprivate init(_ text: String) { self.text = text }
}
