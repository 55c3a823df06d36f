import Foundation

/// A folder whose files are whole or not there, whenever the process ends: each is written under another name, synced, and
/// renamed.
///
/// One process writes to it at a time; the operations are those of `files`, so that a test can end the process between any two.
struct Folder: Sendable {
    private let url: URL
    private let files: any FileOperations

    /// - Throws: what making the folder throws.
    init(_ url: URL, _ files: any FileOperations = SystemFiles()) throws {
        (self.url, self.files) = (url, files)
        try files.makeFolder(url)
    }

    /// The names of its whole files, in order.
    func names() throws -> [String] { try files.names(in: url).filter { !$0.hasPrefix(Self.unfinished) }.sorted() }

    /// Nil where no file has the name.
    func contents(_ name: String) throws -> Data? { try files.contents(url.appendingPathComponent(name)) }

    /// Keeps a file, new or in the place of the one of that name. When it returns, the file outlasts the process and the machine.
    func save(_ data: Data, as name: String) throws {
        let whole = url.appendingPathComponent(name)
        let unfinished = url.appendingPathComponent(Self.unfinished + name)
        try files.write(data, to: unfinished)
        try files.rename(unfinished, to: whole)
        try files.sync(url)
    }

    /// Nothing happens where no file has the name.
    func remove(_ name: String) throws {
        try files.remove(url.appendingPathComponent(name))
        try files.sync(url)
    }

    /// Removes what a process left that ended while it wrote.
    func tidy() throws {
        for name in try files.names(in: url) where name.hasPrefix(Self.unfinished) {
            try files.remove(url.appendingPathComponent(name))
        }
    }

    /// What the name of a file begins with that is not whole yet.
    private static let unfinished = "unfinished-"
}

/// What a folder does to files.
protocol FileOperations: Sendable {
    func makeFolder(_ url: URL) throws
    func names(in url: URL) throws -> [String]
    /// Nil where there is no such file.
    func contents(_ url: URL) throws -> Data?
    /// Writes a new file, and returns when its bytes outlast the machine.
    func write(_ data: Data, to url: URL) throws
    /// In place of whatever has the other name, at once.
    func rename(_ url: URL, to other: URL) throws
    /// Returns when the names in a folder outlast the machine.
    func sync(_ folder: URL) throws
    /// Nothing happens where there is no such file.
    func remove(_ url: URL) throws
}

/// The files of the system.
///
/// Source: fsync(2), rename(2): a rename replaces the other file at once, and lasts once the folder is synced.
struct SystemFiles: FileOperations {
    func makeFolder(_ url: URL) throws {
        var attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
            // An upload goes on while the device is locked, once it was unlocked after its start.
            attributes[.protectionKey] = FileProtectionType.completeUntilFirstUserAuthentication
        #endif
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true, attributes: attributes)
        #if canImport(Darwin)
            // What another device would get from a backup is about this one's purchases and clock.
            var url = url
            var values = URLResourceValues()
            values.isExcludedFromBackup = true
            try url.setResourceValues(values)
        #endif
    }

    func names(in url: URL) throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: url.path) }

    func contents(_ url: URL) throws -> Data? {
        do {
            return try Data(contentsOf: url)
        } catch CocoaError.fileReadNoSuchFile {
            return nil
        }
    }

    func write(_ data: Data, to url: URL) throws {
        let descriptor = open(url.path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0 else { throw FileFailure("open", url) }
        defer { close(descriptor) }
        var written = 0
        try data.withUnsafeBytes { bytes in
            while written < bytes.count {
                let count = sysWrite(descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw FileFailure("write", url) }
                written += count
            }
        }
        guard fsync(descriptor) == 0 else { throw FileFailure("fsync", url) }
    }

    func rename(_ url: URL, to other: URL) throws {
        guard sysRename(url.path, other.path) == 0 else { throw FileFailure("rename", url) }
    }

    func sync(_ folder: URL) throws {
        let descriptor = open(folder.path, O_RDONLY)
        guard descriptor >= 0 else { throw FileFailure("open", folder) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw FileFailure("fsync", folder) }
    }

    func remove(_ url: URL) throws {
        guard unlink(url.path) == 0 || errno == ENOENT else { throw FileFailure("unlink", url) }
    }

    private func sysWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        Foundation.write(descriptor, bytes, count)
    }

    private func sysRename(_ old: String, _ new: String) -> Int32 { Foundation.rename(old, new) }
}

/// An operation on a file failed.
struct FileFailure: Error, Sendable, Hashable {
    /// Such as `fsync`.
    let operation: String
    /// The file's own name.
    let name: String
    /// `errno`.
    let code: Int32

    init(_ operation: String, _ url: URL) { (self.operation, name, code) = (operation, url.lastPathComponent, errno) }
}
