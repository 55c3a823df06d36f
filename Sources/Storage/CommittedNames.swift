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
}

/// Numbers that stand for longer things in rows.
package struct Names: Sendable {
    package private(set) var ledgers: [Scope: Int64] = [:]
    package private(set) var scopes: [Int64: Scope] = [:]
    package private(set) var headers: [Int64: String] = [:]
    package private(set) var policies: [Int64: AppPolicy] = [:]
    private var policyNumbers: [AppPolicy: Int64] = [:]

    package init() {}

    var isEmpty: Bool { ledgers.isEmpty && headers.isEmpty && policies.isEmpty }

    package mutating func learn(ledger: Int64, of scope: Scope) {
        ledgers[scope] = ledger
        scopes[ledger] = scope
    }

    package mutating func learn(header: String, number: Int64) {
        // As many as there are chains of certificates; more would be somebody's attempt to fill the memory.
        if headers.count >= 1024 { headers.removeAll() }
        headers[number] = header
    }

    package mutating func learn(policy: AppPolicy, number: Int64) {
        if policies.count >= 1024 { (policies, policyNumbers) = ([:], [:]) }
        policies[number] = policy
        policyNumbers[policy] = number
    }

    package func number(of policy: AppPolicy) -> Int64? { policyNumbers[policy] }

    mutating func learn(_ other: Names) {
        for (scope, ledger) in other.ledgers { learn(ledger: ledger, of: scope) }
        for (number, header) in other.headers { learn(header: header, number: number) }
        for (number, policy) in other.policies { learn(policy: policy, number: number) }
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

    package func number(of policy: AppPolicy) -> Int64? { committed.number(of: policy) ?? learned.number(of: policy) }

    package mutating func learn(ledger: Int64, of scope: Scope) { learned.learn(ledger: ledger, of: scope) }

    package mutating func learn(policy: AppPolicy, number: Int64) { learned.learn(policy: policy, number: number) }

    /// Takes a header; false where it is known to be kept already.
    package mutating func learn(header: String, number: Int64) -> Bool {
        guard committed.headers[number] == nil, learned.headers[number] == nil else { return false }
        learned.learn(header: header, number: number)
        return true
    }
}

/// A number made from a text, the same on every server, so that nobody need ask the database for it: the first eight bytes of its
/// SHA-256. The texts are JWS headers that Apple signed and policies that an operator wrote, and nobody else's.
package enum ContentNumber {
    package static func of(_ text: String) -> Int64 {
        SHA256.hash(data: Array(text.utf8)).prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    }
}

/// A policy as its row has it: what the rules are, and how this version of Tenure folds them.
package struct PolicyRow: Sendable, Hashable {
    package let number: Int64
    package let foldVersion: Int64
    package let text: String

    /// The row of a policy under today's fold.
    package init(_ policy: AppPolicy) throws {
        foldVersion = SubscriptionState.foldVersion
        text = try StateCoding.encode(policy)
        number = ContentNumber.of("\(foldVersion)/\(text)")
    }
}
