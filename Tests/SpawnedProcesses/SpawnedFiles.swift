package import Foundation

/// Which files a child process gets.
///
/// If a child such as PostgreSQL's server held a socket of another test, it would stay open when that test closes it, and the
/// other side would wait for its end forever.
package enum SpawnedFiles {
    private typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32

    /// Closes all files in the child from this number.
    ///
    /// Swift's import of the C library omits the function; it exists since glibc 2.34 (Debian 12 has 2.36).
    package static func closeAll(from first: Int32, in actions: inout posix_spawn_file_actions_t) throws {
        guard let symbol = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") else {
            throw SpawnFailure("this C library has no posix_spawn_file_actions_addclosefrom_np")
        }
        let failure = unsafeBitCast(symbol, to: CloseFrom.self)(&actions, first)
        guard failure == 0 else { throw SpawnFailure("posix_spawn_file_actions_addclosefrom_np: \(failure)") }
    }
}

/// A program cannot be started, or not be waited for.
package struct SpawnFailure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
