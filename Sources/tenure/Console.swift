import Foundation

/// The output of the command line, line by line as it happens: a pipe would otherwise buffer it until the end.
enum Console {
    static func print(_ text: String) {
        Swift.print(text)
        fflush(nil)
    }

    /// What went wrong, on standard error. It may contain names from an unknown certificate, so control characters in it are
    /// escaped.
    static func complain(_ text: String) {
        let harmless = text.unicodeScalars.map { scalar in
            let category = scalar.properties.generalCategory
            return category == .control || category == .format ? "\u{FFFD}" : String(scalar)
        }
        FileHandle.standardError.write(Data((harmless.joined() + "\n").utf8))
    }
}
