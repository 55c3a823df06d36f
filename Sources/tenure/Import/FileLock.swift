import Foundation

/// A file that this process has for itself among all that ask, until it ends; others may read and write it.
final class FileLock {
    private let file: FileHandle

    /// - Throws: `CommandError` where another process has it, or it cannot be read.
    init(of path: String) throws {
        guard let file = FileHandle(forReadingAtPath: path) else { throw CommandError("\(path) cannot be read.") }
        guard flock(file.fileDescriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw CommandError("Another process imports \(path). Wait for it, or end it: the next import goes on where it was.")
        }
        self.file = file
    }

    /// Closing alone would leave the lock to a process that was forked meanwhile and has not yet begun its own program.
    deinit { _ = flock(file.fileDescriptor, LOCK_UN) }
}
