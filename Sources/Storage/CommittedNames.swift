import Crypto
package import Ledger
import Primitives
import Synchronization

/// What a store has seen committed and need not ask for again: few things, which never change.
package final class CommittedNames: Sendable {
    private let names = Mutex(Names())

    package init() {}

    package func get() -> Names { names.withLock { $0 } }

    /// Only once what bears them is committed: numbers of a transaction that was rolled back may be given to something else.
    package func learn(_ learned: Names) {
        guard !learned.isEmpty else { return }
        names.withLock { $0.learn(learned) }
    }

    /// Policies that were found by their numbers.
    package func learn(found policies: [Int64: PolicyTimeline]) {
        guard !policies.isEmpty else { return }
        names.withLock { names in for (number, policy) in policies { names.learn(found: policy, number: number) } }
    }
}

/// Policies that a reader had to ask for, until they are learned. Used by one thread.
package final class FoundPolicies {
    package private(set) var policies: [Int64: PolicyTimeline] = [:]

    package init() {}

    /// The policy of a number: known, found before, or found now.
    package func policy(_ number: Int64, known: Names, find: (Int64) throws -> PolicyTimeline) throws -> PolicyTimeline {
        if let policy = known.policies[number] ?? policies[number] { return policy }
        let policy = try find(number)
        policies[number] = policy
        return policy
    }
}

/// Numbers that stand for longer things in rows.
package struct Names: Sendable {
    package private(set) var ledgers: [Scope: Int64] = [:]
    package private(set) var scopes: [Int64: Scope] = [:]
    package private(set) var headers: [Int64: String] = [:]
    package private(set) var policies: [Int64: PolicyTimeline] = [:]
    private var policyNumbers: [PolicyTimeline: Int64] = [:]

    package init() {}

    var isEmpty: Bool { ledgers.isEmpty && headers.isEmpty && policies.isEmpty }

    package mutating func learn(ledger: Int64, of scope: Scope) {
        ledgers[scope] = ledger
        scopes[ledger] = scope
    }

    package mutating func learn(header: String, number: Int64) {
        // As many as there are chains of certificates; more would be an attempt to fill the memory.
        if headers.count >= 1024 { headers.removeAll() }
        headers[number] = header
    }

    /// The number under which today's fold writes the policy.
    package mutating func learn(policy: PolicyTimeline, number: Int64) {
        learn(found: policy, number: number)
        policyNumbers[policy] = number
    }

    /// What a number means to a reader. Another version of the fold may have written it, so it is no number to write under.
    package mutating func learn(found policy: PolicyTimeline, number: Int64) {
        if policies.count >= 1024 { (policies, policyNumbers) = ([:], [:]) }
        policies[number] = policy
    }

    package func number(of policy: PolicyTimeline) -> Int64? { policyNumbers[policy] }

    mutating func learn(_ other: Names) {
        for (scope, ledger) in other.ledgers { learn(ledger: ledger, of: scope) }
        for (number, header) in other.headers { learn(header: header, number: number) }
        for (number, policy) in other.policies { learn(found: policy, number: number) }
        for (policy, number) in other.policyNumbers { learn(policy: policy, number: number) }
    }
}

/// What a transaction knows of names: what was committed when it began, and what it has learned and made since.
package struct NamesAtWork: Sendable {
    package let committed: Names
    /// For the next transactions, once this one is committed.
    package private(set) var learned = Names()

    package init(committed: Names) { self.committed = committed }

    package func ledger(of scope: Scope) -> Int64? { committed.ledgers[scope] ?? learned.ledgers[scope] }

    package func scope(of ledger: Int64) -> Scope? { committed.scopes[ledger] ?? learned.scopes[ledger] }

    package func number(of policy: PolicyTimeline) -> Int64? { committed.number(of: policy) ?? learned.number(of: policy) }

    package mutating func learn(ledger: Int64, of scope: Scope) { learned.learn(ledger: ledger, of: scope) }

    package mutating func learn(policy: PolicyTimeline, number: Int64) { learned.learn(policy: policy, number: number) }

    /// The header that is known to be kept under the number; nil where none is known.
    package func header(_ number: Int64) -> String? { committed.headers[number] ?? learned.headers[number] }

    package mutating func learn(header: String, number: Int64) { learned.learn(header: header, number: number) }
}

/// A number made from a text, the same on every server, so that nobody need ask the database for it: the first eight bytes of its
/// SHA-256. The texts are JWS headers that Apple signed and policies that an operator wrote, and nobody else's. Of a header the
/// text that is kept under the number is compared all the same: evidence may not come back as another's.
package enum ContentNumber {
    package static func of(_ text: String) -> Int64 {
        SHA256.hash(data: Array(text.utf8)).prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    }
}

/// The versions of a policy as their row has them: what the rules are, and how this version of Tenure folds them.
package struct PolicyRow: Sendable, Hashable {
    package let number: Int64
    package let foldVersion: Int64
    package let text: String

    /// The row of a policy under today's fold.
    package init(_ policy: PolicyTimeline) throws {
        foldVersion = SubscriptionState.foldVersion
        text = try StateCoding.encode(policy)
        number = Self.number(text: text, foldVersion: foldVersion)
    }

    /// A row as it stands in a database.
    package init(number: Int64, foldVersion: Int64, text: String) {
        self.number = number
        self.foldVersion = foldVersion
        self.text = text
    }

    /// The number that a row must have.
    package static func number(text: String, foldVersion: Int64) -> Int64 { ContentNumber.of("\(foldVersion)/\(text)") }
}

extension ContentNumber {
    /// The rows whose number is not that of their text, for people.
    package static func misnumbered(
        headers: [JWSHeaderRow], policies: [PolicyRow], limit: Int
    ) -> [String] {
        let wrongHeaders = headers.filter { of($0.header) != $0.number }.map { "jwsHeader \($0.number)" }
        let wrongPolicies = policies.filter { PolicyRow.number(text: $0.text, foldVersion: $0.foldVersion) != $0.number }
            .map { "policy \($0.number)" }
        return Array((wrongHeaders + wrongPolicies).prefix(limit))
    }
}
