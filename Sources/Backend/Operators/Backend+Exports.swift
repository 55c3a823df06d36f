package import Ledger
package import Primitives
import Storage

/// Who exported what: a row of the operators' audit is written when an export begins, before anything of it is sent, and another
/// one when it was sent whole or broke off.
extension Backend {
    /// An export that is being sent.
    package struct BegunExport: Sendable, Hashable {
        /// Of the row that says that it began.
        package let number: Int64
        package let app: AppID
        package let environment: Environment
        /// Stable: the operation of the API, such as `exportPeriods`.
        package let kind: String
        /// Who asked for it, and after a slash with which key.
        package let actor: String
    }

    /// Notes that an export begins.
    ///
    /// - Parameters:
    ///   - kind: the operation of the API.
    ///   - goesOn: whether it goes on where an earlier one ended.
    /// - Throws: `BackendError`; then nothing may be sent.
    package func beginExport(
        _ kind: String, app: AppID, environment: Environment, goesOn: Bool
    ) async throws -> BegunExport {
        let actor = ActingKey.signed("appBackend")
        var note = OperatorNote(by: actor, at: clock.now(), AuditedAct.beganExport.rawValue)
        (note.app, note.environment, note.subject) = (app, environment, kind)
        note.detail = goesOn ? ExportWords.goesOn : nil
        let kept = note
        let head = try await translatingStorageErrors { try await store.write { try $0.append(kept) } }
        return BegunExport(number: head.sequence, app: app, environment: environment, kind: kind, actor: actor)
    }

    /// Notes what became of an export.
    ///
    /// - Parameters:
    ///   - lines: how many items were handed to the connection.
    ///   - isWhole: whether that was all.
    /// - Throws: `BackendError`.
    package func end(_ export: BegunExport, lines: Int64, isWhole: Bool) async throws {
        let act = isWhole ? AuditedAct.exportedRows : .cutOffExport
        var note = OperatorNote(by: export.actor, at: clock.now(), act.rawValue)
        (note.app, note.environment) = (export.app, export.environment)
        (note.subject, note.detail) = (ExportWords.subject(export.kind, export.number), "\(lines)")
        let kept = note
        try await translatingStorageErrors { try await store.write { _ = try $0.append(kept) } }
    }

    /// An export as people see it.
    package struct ExportReport: Sendable, Hashable {
        package let number: Int64
        package let environment: Environment?
        package let kind: String
        package let actor: String
        package let begunAt: Timestamp
        /// Whether it went on where an earlier one ended.
        package let goesOn: Bool
        /// Nil: it is still being sent, or the server was stopped meanwhile.
        package let end: End?

        package struct End: Sendable, Hashable {
            package let at: Timestamp
            /// False: it broke off.
            package let isWhole: Bool
            /// How many lines were sent; nil where the row does not say it.
            package let lines: Int64?
        }
    }

    /// So many of the newest exports of all apps are looked at: the audit leads from an act to its rows, and not from an app.
    package static let mostExportsLookedAt = 200

    /// The exports of an app among the newest of all apps, the last one first.
    ///
    /// - Throws: `BackendError`.
    package func exports(app id: AppID) async throws -> [ExportReport] {
        let app = try settings(of: id).id
        let begun = try await notes(of: .beganExport)
        // An end has a greater number than its beginning; of those that are looked at at most as many ended as began, but for
        // some that began before them.
        let ended = try await notes(of: .exportedRows) + notes(of: .cutOffExport)
        let ends = Dictionary(ended.map { ($0.act.subject ?? "", $0.act) }) { first, _ in first }
        return begun.filter { $0.act.app == app }.map { stored in
            let kind = stored.act.subject ?? ""
            let end = ends[ExportWords.subject(kind, stored.number)].map { act in
                ExportReport.End(
                    at: act.at, isWhole: act.what == AuditedAct.exportedRows.rawValue, lines: act.detail.flatMap { Int64($0) })
            }
            return ExportReport(
                number: stored.number, environment: stored.act.environment, kind: kind, actor: stored.act.actor,
                begunAt: stored.act.at, goesOn: stored.act.detail == ExportWords.goesOn, end: end)
        }
    }

    private func notes(of act: AuditedAct) async throws -> [StoredOperatorNote] {
        try await notes(of: act, limit: Self.mostExportsLookedAt)
    }

    /// The rows of one act, the newest first; at most `limit`.
    func notes(of act: AuditedAct, limit: Int) async throws -> [StoredOperatorNote] {
        var search = OperatorNoteSearch()
        search.what = act.rawValue
        let wanted = search
        return try await translatingStorageErrors { try await store.operatorNotes(wanted, limit: limit) }
    }
}

/// How rows of the audit speak of exports; stable, since they are stored.
private enum ExportWords {
    static let goesOn = "goesOn"

    /// Of the row of an end: of what, and in which row it began.
    static func subject(_ kind: String, _ number: Int64) -> String { "\(kind)/\(number)" }
}
