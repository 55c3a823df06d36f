package import Ledger
import Primitives
package import Storage

/// Something that an operator looked at or did, to be written into the operators' audit.
package struct OperatorDeed: Sendable, Hashable {
    package let act: AuditedAct
    package var scope: Scope?
    /// The customer it is about.
    package var customer: CustomerID?
    /// Anything else that it is about, such as an `originalTransactionId` or a file; never a customer's id.
    package var subject: String?
    /// What more there is to say, such as the number of rows; never a customer's id.
    package var detail: String?
    /// Why, in the operator's words.
    package var reason: String?
    /// What was searched for, as it was typed. Of what was pasted only the kind, as ``detail``.
    package var searched: String?

    package init(_ act: AuditedAct, in scope: Scope? = nil) { (self.act, self.scope) = (act, scope) }
}

/// What operators did and looked at.
extension OperatorDesk {
    /// Writes what an operator does into their audit; to be called before anything is shown, so that nothing is seen that is not
    /// noted. Where it fails, nothing may be shown.
    ///
    /// Long texts are cut: 200 characters of a search, 500 of what it is about, 1000 of a reason.
    package func note(_ deed: OperatorDeed, by actor: OperatorActor) async throws {
        var note = OperatorNote(by: actor.name, at: clock.now(), deed.act.rawValue)
        note.address = actor.address
        (note.app, note.environment, note.customer) = (deed.scope?.app, deed.scope?.environment, deed.customer)
        (note.subject, note.detail) = (deed.subject?.bounded(to: 500), deed.detail?.bounded(to: 500))
        note.reason = deed.reason?.bounded(to: 1000)
        note.searched = deed.searched.map { SearchedWords($0.bounded(to: 200), salt: chance.bytes(16)) }
        try await write { [note] in _ = try $0.append(note) }
    }

    /// What operators did, the newest first.
    package struct NotePage: Sendable, Hashable {
        package let notes: [StoredOperatorNote]
        /// For ``OperatorNoteSearch/before``; nil on the last page.
        package let next: Int64?
    }

    /// A page of the operators' audit.
    ///
    /// - Parameter limit: 1 to 500.
    package func notes(_ search: OperatorNoteSearch, limit: Int) async throws -> NotePage {
        let limit = min(max(limit, 1), 500)
        let found = try await translatingStorageErrors { try await store.operatorNotes(search, limit: limit + 1) }
        let notes = Array(found.prefix(limit))
        return NotePage(notes: notes, next: found.count > limit ? notes.last?.number : nil)
    }
}
