import Crypto
package import Ledger
package import Primitives

/// What a chain of audit rows is about (AUDIT-2).
package enum ChainSubject: Sendable, Hashable {
    case subscription(SubscriptionKey)
    /// A customer by the number that stands for them in rows that are never changed (I45).
    case customer(Scope, Int64)

    package var scope: Scope {
        switch self {
        case .subscription(let key): key.scope
        case .customer(let scope, _): scope
        }
    }

    /// The subscription; nil for a customer.
    package var subscription: SubscriptionKey? {
        if case .subscription(let key) = self { key } else { nil }
    }

    /// Its place in a ledger. No environment is called `customer`, so no subscription's name is a customer's.
    fileprivate var names: [String] {
        switch self {
        case .subscription(let key): [key.environment.rawValue, key.originalTransactionId.rawValue]
        case .customer(let scope, let number): ["customer", scope.environment.rawValue, "\(number)"]
        }
    }

    /// By environment; subscriptions before customers.
    static func inOrder(_ left: ChainSubject, _ right: ChainSubject) -> Bool {
        switch (left, right) {
        case (.subscription(let left), .subscription(let right)): left < right
        case (.customer(let left, let number), .customer(let right, let other)): (left, number) < (right, other)
        case (.subscription, .customer): true
        case (.customer, .subscription): false
        }
    }
}

/// The end of a chain of audit rows: how many there are and the hash of the last (AUDIT-2).
package struct AuditHead: Sendable, Hashable {
    /// The number of the last row; 0 where there is none.
    package let sequence: Int64
    /// 32 bytes; zeros where there is no row.
    package let hash: [UInt8]

    package init() {
        sequence = 0
        hash = [UInt8](repeating: 0, count: SHA256.byteCount)
    }

    package init(sequence: Int64, hash: [UInt8]) {
        self.sequence = sequence
        self.hash = hash
    }

    /// The head after one more row. Its hash is SHA-256 of the hash before, of the row's place, and of its text exactly as it is
    /// kept, each with its length before it, so that no two rows can be shifted into one another.
    package func followed(by text: String, of subject: ChainSubject) -> AuditHead {
        let next = sequence + 1
        var hasher = SHA256()
        hasher.update(data: hash)
        for part in [subject.scope.app.rawValue] + subject.names + ["\(next)", text] {
            hasher.updateWithLength(part)
        }
        return AuditHead(sequence: next, hash: Array(hasher.finalize()))
    }

    /// The same in the one chain of what operators did. No chain of a ledger hashes so few parts.
    package func followed(byOperators text: String) -> AuditHead {
        let next = sequence + 1
        var hasher = SHA256()
        hasher.update(data: hash)
        for part in ["operators", "\(next)", text] { hasher.updateWithLength(part) }
        return AuditHead(sequence: next, hash: Array(hasher.finalize()))
    }

    /// The same in the chain of a subscription.
    package func followed(by text: String, of key: SubscriptionKey) -> AuditHead { followed(by: text, of: .subscription(key)) }
}

/// The heads of an app's chains at one moment, chained to the seal before: with it, also rows that were cut off the end of a
/// chain are missed (AUDIT-2).
package struct AuditSeal: Sendable, Hashable {
    package let app: AppID
    /// 1, 2, 3, … without gaps.
    package let number: Int64
    package let sealedAt: Timestamp
    /// Those that moved since the seal before: of subscriptions, then of customers.
    package let heads: [Entry]
    /// Of the seal before; zeros for the first.
    package let previous: [UInt8]

    package struct Entry: Sendable, Hashable {
        package let subject: ChainSubject
        package let head: AuditHead

        package init(_ subject: ChainSubject, head: AuditHead) {
            self.subject = subject
            self.head = head
        }
    }

    package init(app: AppID, number: Int64, sealedAt: Timestamp, heads: [Entry], previous: [UInt8]) {
        self.app = app
        self.number = number
        self.sealedAt = sealedAt
        self.heads = heads.sorted { ChainSubject.inOrder($0.subject, $1.subject) }
        self.previous = previous
    }

    /// SHA-256 of the seal before and of everything in this one.
    package var hash: [UInt8] {
        var hasher = SHA256()
        hasher.update(data: previous)
        for part in [app.rawValue, "\(number)", "\(sealedAt.millisecondsSince1970)", "\(heads.count)"] {
            hasher.updateWithLength(part)
        }
        for entry in heads {
            for name in entry.subject.names { hasher.updateWithLength(name) }
            hasher.updateWithLength("\(entry.head.sequence)")
            hasher.update(data: entry.head.hash)
        }
        return Array(hasher.finalize())
    }
}

extension SHA256 {
    fileprivate mutating func updateWithLength(_ text: String) {
        let utf8 = Array(text.utf8)
        update(data: Array("\(utf8.count):".utf8))
        update(data: utf8)
    }
}
