import Crypto
package import Ledger
package import Primitives

/// What an operator did or looked at, before it has a number (docs/decisions/0059).
package struct OperatorNote: Sendable, Hashable {
    /// Who: the name of an operator, `commandLine`, or what stands for a name that nobody has.
    package let actor: String
    package let at: Timestamp
    /// What was done: the spelling of an act, which is stable.
    package let what: String
    /// From where; nil on the command line.
    package var address: String?
    package var app: AppID?
    package var environment: Environment?
    /// What it was about, other than a customer: a subscription, a claim, an operator, a file; never a customer's id.
    package var subject: String?
    /// The customer it was about. Kept as a number, so that an erasure needs no change of a row (I45).
    package var customer: CustomerID?
    /// What more there is to say, such as how many rows were exported; never a customer's id.
    package var detail: String?
    /// Why, in the operator's words.
    package var reason: String?
    /// What was searched for. It may spell a customer's id, so it stands apart and can be forgotten.
    package var searched: SearchedWords?

    package init(by actor: String, at instant: Timestamp, _ what: String) {
        (self.actor, at, self.what) = (actor, instant, what)
    }
}

/// What somebody searched for, and what keeps its digest from being guessed once the words are forgotten.
package struct SearchedWords: Sendable, Hashable {
    package let words: String
    /// 16 random bytes, forgotten with the words.
    package let salt: [UInt8]

    package init(_ words: String, salt: [UInt8]) { (self.words, self.salt) = (words, salt) }

    /// What a row of the audit has of it: SHA-256 of the salt and the words.
    package var digest: [UInt8] { Array(SHA256.hash(data: salt + Array(words.utf8))) }
}

/// A row of the operators' audit as it is kept.
package struct StoredOperatorNote: Sendable, Hashable {
    /// 1, 2, 3, … without gaps; greater ones were written later.
    package let number: Int64
    package let act: OperatorNote

    package init(number: Int64, _ act: OperatorNote) { (self.number, self.act) = (number, act) }
}

/// Which rows of the operators' audit are wanted, the newest first. What is nil is not asked about.
package struct OperatorNoteSearch: Sendable, Hashable {
    /// Only rows with smaller numbers.
    package var before: Int64?
    package var actor: String?
    package var what: String?
    package var customer: CustomerName?

    package init(before: Int64? = nil) { self.before = before }
}

/// A row of the operators' audit exactly as it is kept, for its proof.
package struct OperatorNoteRow: Sendable, Hashable {
    package let head: AuditHead
    package let text: String
    /// What the row's columns say beside its text.
    package let columns: Columns
    /// Nil where nothing was searched, or the words are forgotten.
    package let searched: SearchedWords?

    /// By these the row is found.
    package struct Columns: Sendable, Hashable {
        package let actor: String
        package let at: Timestamp
        package let what: String
        /// The customer's number.
        package let customer: Int64?
    }

    /// What is not as the text says; nil where everything is.
    package func difference() throws -> String? {
        let document = try OperatorNoteDocument(text)
        if document.columns != columns { return "row \(head.sequence): its columns say something else than its text" }
        if let searched, document.searched != Hexadecimal.encode(searched.digest) {
            return "row \(head.sequence): what was searched is not what was kept"
        }
        return nil
    }
}

/// The text of a row of the operators' audit.
struct OperatorNoteDocument: Codable {
    let actor: String
    /// Milliseconds since 1970.
    let at: Int64
    let what: String
    var address: String?
    var app: String?
    var environment: String?
    var subject: String?
    /// The customer's number.
    var customer: Int64?
    var detail: String?
    var reason: String?
    /// The digest of what was searched for, in hexadecimal digits.
    var searched: String?

    init(_ act: OperatorNote, customer number: Int64?) {
        (actor, at, what) = (act.actor, act.at.millisecondsSince1970, act.what)
        (address, app, environment) = (act.address, act.app?.rawValue, act.environment?.rawValue)
        (subject, detail, reason) = (act.subject, act.detail, act.reason)
        customer = number
        searched = act.searched.map { Hexadecimal.encode($0.digest) }
    }

    init(_ text: String) throws { self = try StateCoding.decode(Self.self, from: text) }

    var columns: OperatorNoteRow.Columns {
        OperatorNoteRow.Columns(
            actor: actor, at: Timestamp(millisecondsSince1970: at), what: what, customer: customer)
    }

    /// - Parameters:
    ///   - customer: the customer's own id, or the pseudonym.
    ///   - words: nil where nothing was searched, or the words are forgotten.
    func act(customer: CustomerID?, searched words: SearchedWords?) -> OperatorNote {
        var act = OperatorNote(by: actor, at: Timestamp(millisecondsSince1970: at), what)
        (act.address, act.app) = (address, app.map { AppID($0) })
        act.environment = environment.flatMap(Environment.init(rawValue:))
        (act.subject, act.detail, act.reason) = (subject, detail, reason)
        (act.customer, act.searched) = (customer, words)
        return act
    }
}
