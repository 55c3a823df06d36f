import Foundation
import GRDB

@testable import StorageSQLite

/// A database file in its own folder, and its content.
struct DatabaseFile: Sendable {
    let path: String

    /// A connection in addition to the store's own, to read what the store does not show.
    func query<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try DatabaseQueue(path: path).writeWithoutTransaction(body)
    }
}

extension SQLiteStore {
    /// The store's own connection for writing.
    func onWriter<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try pool.writeWithoutTransaction(body)
    }
}

extension DatabaseQueue {
    func run(_ sql: String) throws {
        try writeWithoutTransaction { try $0.execute(sql: sql) }
    }
}

/// Runs the body with a database file that is removed afterwards.
func withDatabase<Result>(_ body: (DatabaseFile) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tenure-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { remove(folder) }
    return try await body(DatabaseFile(path: folder.appending(path: "tenure.sqlite").path()))
}

private func remove(_ folder: URL) {
    do { try FileManager.default.removeItem(at: folder) } catch { print("\(folder) is left over: \(error)") }
}
