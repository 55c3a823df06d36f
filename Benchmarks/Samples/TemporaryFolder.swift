package import Foundation

/// A folder that exists while `body` runs.
package enum TemporaryFolder {
    package static func with<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tenure-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            do {
                try FileManager.default.removeItem(at: folder)
            } catch {
                print("The folder \(folder.path) was left behind: \(error.localizedDescription)")
            }
        }
        return try await body(folder)
    }
}
