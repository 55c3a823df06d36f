package import Ledger
package import Primitives
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

    package init(_ act: AuditedAct, app: AppID, environment: Environment) {
        self.init(act, in: Scope(app: app, environment: environment))
    }
}

/// What an operator did or looked at, as it was noted.
package struct AuditedNote: Sendable, Hashable {
    /// 1, 2, 3, … without gaps.
    package let number: Int64
    /// An operator's name, ``OperatorName/commandLine``, or ``OperatorName/nobody``.
    package let actor: String
    package let at: Timestamp
    /// An ``AuditedAct``, by its spelling; a newer version of Tenure may have written another.
    package let act: String
    /// From where; nil on the command line.
    package let address: String?
    package let app: AppID?
    package let environment: Environment?
    /// A pseudonym where the customer was erased.
    package let customer: CustomerID?
    package let subject: String?
    package let detail: String?
    package let reason: String?
    /// Nil where nothing was searched, or the words are forgotten by now.
    package let searched: String?

    init(_ stored: StoredOperatorNote) {
        let note = stored.act
        (number, actor, at, act) = (stored.number, note.actor, note.at, note.what)
        (address, app, environment, customer) = (note.address, note.app, note.environment, note.customer)
        (subject, detail, reason, searched) = (note.subject, note.detail, note.reason, note.searched?.words)
    }
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
    package struct AuditedPage: Sendable, Hashable {
        package let notes: [AuditedNote]
        /// Before which the next page begins; nil on the last page.
        package let next: Int64?
    }

    /// A page of the operators' audit.
    ///
    /// - Parameters:
    ///   - number: only rows with smaller numbers; nil: from the newest on.
    ///   - actor: only what this operator did; nil: everybody.
    ///   - act: only this kind, by its spelling; nil: every kind.
    ///   - limit: 1 to 500.
    package func audit(
        before number: Int64? = nil, actor: String? = nil, act: String? = nil, limit: Int
    ) async throws -> AuditedPage {
        var search = OperatorNoteSearch(before: number)
        (search.actor, search.what) = (actor, act)
        let page = try await notes(search, limit: limit)
        return AuditedPage(notes: page.notes.map(AuditedNote.init), next: page.next)
    }

    /// Rows as they are kept, the newest first.
    struct NotePage: Sendable, Hashable {
        let notes: [StoredOperatorNote]
        /// For ``OperatorNoteSearch/before``; nil on the last page.
        let next: Int64?
    }

    /// - Parameter limit: 1 to 500.
    func notes(_ search: OperatorNoteSearch, limit: Int) async throws -> NotePage {
        let limit = min(max(limit, 1), 500)
        let found = try await translatingStorageErrors { try await store.operatorNotes(search, limit: limit + 1) }
        let notes = Array(found.prefix(limit))
        return NotePage(notes: notes, next: found.count > limit ? notes.last?.number : nil)
    }
}
