import Foundation

/// What the command line says to people, line by line as it happens: a pipe would otherwise hold it back until the end.
enum Console {
    static func print(_ text: String) {
        Swift.print(text)
        fflush(nil)
    }

    /// What went wrong, on standard error.
    static func complain(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
}
