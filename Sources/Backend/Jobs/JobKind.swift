import Ledger
import Primitives
import Storage

/// What a job does. The spellings stand in the table.
enum JobKind: String, Sendable, CaseIterable {
    /// A version of policy and products is tried (OWN-16).
    case trial
    /// The books are proved (AUDIT-2).
    case verification
    /// A version that was applied is worked through what is kept (OWN-17). It is done by ``SettingsPerformer``.
    case application
    /// A file is imported, by a process of its own.
    case `import`
}

/// Long work as one server goes through it, page by page (``JobPerformer``).
protocol JobRun: Sendable {
    var isDone: Bool { get }
    /// How far it is: JSON, from which another server goes on.
    var position: String { get throws }

    /// Goes through one page more; returns what it found, JSON.
    mutating func advance() async throws -> [String]
}

extension WhatIfRun: JobRun {
    var isDone: Bool { progress.isDone }
    var position: String { get throws { try progress.json } }

    mutating func advance() async throws -> [String] { try await step().map { try $0.json } }
}

extension ProofRun: JobRun {
    var isDone: Bool { progress.isDone }
    var position: String { get throws { try progress.json } }

    mutating func advance() async throws -> [String] { try await step().map { try $0.json } }
}

/// What is to be proved.
struct VerificationRequest: Sendable, Hashable, Codable {
    let evidence: Bool
    let rebuild: Bool

    init(_ depth: ProofDepth) { (evidence, rebuild) = (depth.evidence, depth.rebuild) }

    /// - Throws: `StorageError` with `corrupt` for anything that ``json`` is not.
    init(json: String) throws { self = try StateCoding.decode(VerificationRequest.self, from: json) }

    var json: String { get throws { try StateCoding.encode(self) } }
    var depth: ProofDepth { ProofDepth(evidence: evidence, rebuild: rebuild) }
}

/// How far a version that was applied is worked through.
struct ApplicationProgress: Sendable, Hashable, Codable {
    struct OfLedger: Sendable, Hashable, Codable {
        var looked: Int64 = 0
        var changed: Int64 = 0
        var isDone = false
    }

    let version: Int64
    /// By environment.
    var ledgers: [String: OfLedger]

    init(version: Int64, _ scopes: [Scope]) {
        self.version = version
        ledgers = Dictionary(scopes.map { ($0.environment.rawValue, OfLedger()) }) { first, _ in first }
    }

    /// - Throws: `StorageError` with `corrupt` for anything that ``json`` is not.
    init(json: String) throws { self = try StateCoding.decode(ApplicationProgress.self, from: json) }

    var json: String { get throws { try StateCoding.encode(self) } }
    var isDone: Bool { ledgers.values.allSatisfy(\.isDone) }
    var looked: Int64 { ledgers.values.reduce(0) { $0 + $1.looked } }
    var changed: Int64 { ledgers.values.reduce(0) { $0 + $1.changed } }
}

/// How far an import is.
struct ImportStanding: Sendable, Hashable, Codable {
    /// Of the file, in bytes.
    var size: Int64
    var offset: Int64 = 0
    /// Lines, by what became of them.
    var lines: [String: Int64] = [:]

    init(size: Int64) { self.size = size }

    /// - Throws: `StorageError` with `corrupt` for anything that ``json`` is not.
    init(json: String) throws { self = try StateCoding.decode(ImportStanding.self, from: json) }

    var json: String { get throws { try StateCoding.encode(self) } }
}
