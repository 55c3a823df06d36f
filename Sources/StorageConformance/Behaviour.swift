package import Storage

/// One thing that every store must do.
package struct Behaviour: Sendable, CustomStringConvertible {
    /// Permanent: a behaviour that is dropped leaves its number unused.
    package let id: String
    /// What must hold, as a sentence.
    package let words: String
    /// Throws unless it holds. The store must be empty before.
    package let check: @Sendable (any Store) async throws -> Void

    package init(_ id: String, _ words: String, check: @escaping @Sendable (any Store) async throws -> Void) {
        self.id = id
        self.words = words
        self.check = check
    }

    package var description: String { "\(id) \(words)" }
}

/// What a store did that it must not do.
package struct ConformanceFailure: Error, CustomStringConvertible {
    /// What was expected, and what was found.
    package let description: String

    init(_ description: String) { self.description = description }
}

/// Throws unless both are equal.
func expect<Value: Equatable>(_ found: Value, equals expected: Value, _ what: String) throws {
    guard found == expected else { throw ConformanceFailure("\(what): expected \(expected), found \(found)") }
}

/// Throws unless it is so.
func expect(_ isSo: Bool, _ what: String) throws {
    guard isSo else { throw ConformanceFailure("expected: \(what)") }
}

/// Throws unless the body throws a `StorageError` of that code.
func expectError(_ code: String, _ what: String, _ body: () async throws -> Void) async throws {
    do {
        try await body()
    } catch let error as StorageError {
        return try expect(error.code.rawValue, equals: code, "the error of \(what)")
    }
    throw ConformanceFailure("\(what) was accepted")
}
