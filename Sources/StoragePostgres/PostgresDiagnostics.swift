import CLibpq
import Storage

/// What the server said when it refused something.
package struct PostgresDiagnostics: Error, Hashable {
    /// Five characters, never translated; empty where the server gave none.
    ///
    /// Source: PostgreSQL documentation, appendix A "PostgreSQL Error Codes".
    package let sqlState: String
    /// `ERROR`, or `FATAL` and `PANIC`, after which the connection is gone; never translated.
    package let severity: String
    /// Which statement of its batch, counted from 0.
    package let statement: Int
    /// The constraint that forbids it; nil for other errors.
    package let constraint: String?
    /// The server's first line: the one part that it may translate, and that no decision may depend on.
    package let message: String

    package var endsConnection: Bool { severity == "FATAL" || severity == "PANIC" }

    init(_ result: OpaquePointer, statement: Int, _ functions: LibpqFunctions) {
        func field(_ code: Unicode.Scalar) -> String? {
            functions.PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) }
        }
        sqlState = field("C") ?? ""
        severity = field("V") ?? ""
        constraint = field("n")
        message = field("M") ?? ""
        self.statement = statement
    }

    init(sqlState: String, message: String) {
        self.sqlState = sqlState
        self.message = message
        severity = "FATAL"
        statement = 0
        constraint = nil
    }
}

extension StorageError {
    /// The server's refusal in the store's own words, by SQLSTATE alone.
    init(_ diagnostics: PostgresDiagnostics) {
        let code = Code(sqlState: diagnostics.sqlState) ?? (diagnostics.endsConnection ? .unavailable : .other)
        self.init(code, "PostgreSQL \(diagnostics.sqlState): \(diagnostics.message)", underlying: diagnostics)
    }
}

extension StorageError.Code {
    private static let exact: [String: Self] = [
        "22021": .invalidText, "22P05": .invalidText,
        "25006": .readOnly, "25P03": .unavailable, "25P04": .timedOut,
        "3D000": .misconfigured, "3F000": .notPermitted, "40003": .unknownOutcome, "42501": .notPermitted,
        "42703": .misconfigured, "42P01": .misconfigured, "53100": .full, "53200": .conflict, "53300": .unavailable,
        "55006": .busy, "55P03": .busy,
        "57014": .timedOut, "57P01": .unavailable, "57P02": .unavailable, "57P03": .unavailable, "57P04": .misconfigured,
        "57P05": .unavailable, "58030": .inputOutput, "72000": .conflict, "XX001": .corrupt, "XX002": .corrupt,
    ]
    private static let classes: [Substring: Self] = [
        "08": .unavailable, "23": .constraint, "28": .notPermitted, "40": .conflict, "54": .tooLarge,
    ]

    /// Nil for a state that has no meaning of its own here.
    init?(sqlState: String) {
        guard let code = Self.exact[sqlState] ?? Self.classes[sqlState.prefix(2)] else { return nil }
        self = code
    }
}
