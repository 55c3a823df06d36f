package import Foundation

/// Which files a child process gets.
///
/// A socket of another test that a child held, such as PostgreSQL's server, would stay open when that test closes it, and whoever
/// waits for the end at the other side would wait for ever.
package enum SpawnedFiles {
    private typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32

    /// Lets the child have no file from this number on.
    ///
    /// Swift's import of the C library leaves the function out; it is there since glibc 2.34 (Debian 12 has 2.36).
    package static func closeAll(from first: Int32, in actions: inout posix_spawn_file_actions_t) throws {
        guard let symbol = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") else {
            throw PrivatePostgres.Failure("this C library has no posix_spawn_file_actions_addclosefrom_np")
        }
        let failure = unsafeBitCast(symbol, to: CloseFrom.self)(&actions, first)
        guard failure == 0 else { throw PrivatePostgres.Failure("posix_spawn_file_actions_addclosefrom_np: \(failure)") }
    }
}
