/// One transaction fact that many values hold together: it is large, a history has thousands, and each fold passes all of them
/// on.
package struct KeptTransaction: Sendable {
    private final class Storage: Sendable {
        let fact: TransactionFact

        init(_ fact: TransactionFact) { self.fact = fact }
    }

    private let storage: Storage

    init(_ fact: TransactionFact) { storage = Storage(fact) }

    package var fact: TransactionFact { storage.fact }
}

extension KeptTransaction: Hashable {
    package static func == (left: Self, right: Self) -> Bool {
        left.storage === right.storage || left.storage.fact == right.storage.fact
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(storage.fact) }
}
