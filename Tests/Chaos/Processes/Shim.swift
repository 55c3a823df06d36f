import Foundation

/// The library that is preloaded into a server so that its system calls fail, or its disk lies.
struct Shim: Sendable {
    /// The built library.
    let path: String

    /// Builds it with the C compiler that comes with Swift.
    static func built(from sources: String, into folder: String) async throws -> Shim {
        let path = "\(folder)/faults.so"
        if !FileManager.default.fileExists(atPath: path) {
            _ = try await Child.output(
                of: "clang", ["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", path, "\(sources)/faults.c", "-ldl"],
                in: folder)
        }
        return Shim(path: path)
    }

    /// A disk that reports writes that it has not done.
    func swallowingSyncs(of files: String) -> [String: String] {
        ["LD_PRELOAD": path, "CHAOS_FILES": files, "CHAOS_SWALLOW_SYNC": "1"]
    }

    /// One call that fails.
    struct Failure: Sendable {
        /// `write`, `sync`, `open` or `truncate`.
        var call: String
        var error: Int32
        /// Which one, counted from 1 over all threads.
        var number: Int
        /// Whether all later ones fail as well.
        var persists = false
    }

    /// - Parameters:
    ///   - files: only calls for files whose path contains this text count.
    ///   - mark: a file that is created when a call was made to fail.
    func failing(_ failure: Failure, files: String, mark: String) -> [String: String] {
        [
            "LD_PRELOAD": path, "CHAOS_FILES": files, "CHAOS_CALL": failure.call, "CHAOS_ERRNO": "\(failure.error)",
            "CHAOS_NTH": "\(failure.number)", "CHAOS_EVERY": failure.persists ? "1" : "0", "CHAOS_FIRED": mark,
        ]
    }
}
