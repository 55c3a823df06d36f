public import Foundation

/// Where small things are kept that must outlast the app's process: who the customer is, the last answer. A store that outlasts
/// the app itself, such as the Keychain, keeps somebody from beginning anew by deleting the app (DEV-2).
public protocol Keep: Sendable {
    /// Nil where nothing has the name.
    func value(_ name: String) throws -> Data?
    /// When it returns, the value outlasts the process.
    func save(_ value: Data, as name: String) throws
}

/// Files in a folder of the app.
public struct FileKeep: Keep {
    private let folder: Folder

    /// - Throws: where the folder cannot be made.
    public init(_ url: URL) throws { folder = try Folder(url) }

    init(_ folder: Folder) { self.folder = folder }

    /// Nil where no file has the name.
    ///
    /// - Throws: where the file is there and cannot be read.
    public func value(_ name: String) throws -> Data? { try folder.contents(name) }

    /// When it returns, the value outlasts the process and the machine.
    ///
    /// - Throws: where the file cannot be written; then the one before is there still.
    public func save(_ value: Data, as name: String) throws { try folder.save(value, as: name) }
}

extension Keep {
    /// Nil where nothing has the name, or what has it cannot be read.
    func decoded<Value: Decodable>(_: Value.Type, _ name: String) throws -> Value? {
        guard let data = try value(name) else { return nil }
        do {
            return try JSONDecoder().decode(Value.self, from: data)
        } catch is DecodingError {
            return nil
        }
    }

    func keep(_ value: some Encodable, as name: String) throws { try save(try JSONEncoder().encode(value), as: name) }
}
