import Foundation

/// Who may read a file.
enum FileAccess {
    /// Whether the group or others may read it.
    ///
    /// - Throws: where the file's permissions cannot be read.
    static func isReadableByOthers(_ path: String) throws -> Bool {
        let permissions = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
        return permissions.map { $0.intValue & 0o044 != 0 } ?? false
    }
}
