package import Ledger
import Primitives

extension SubscriptionHistory {
    /// A history put together from the rows of facts, claims, registrations and other inputs, which come in any order (FACT-1).
    /// Counts and delivered events are not facts and are not in it: the caller that replaces another history carries them over
    /// (decision 0019).
    package init(
        key: SubscriptionKey, facts: [Fact], claims: [Claim], registrations: [TokenRegistration], inputs: [LedgerInput]
    ) {
        self.init(key: key)
        for fact in facts { _ = record(fact) }
        for registration in registrations { _ = record(registration) }
        for claim in claims { _ = record(claim) }
        for input in inputs { _ = record(input) }
    }

    /// The tokens that transactions and renewal infos among the facts bear, each once; sorted.
    package static func tokens(in facts: [Fact]) -> [AppAccountToken] {
        let tokens = facts.compactMap(\.appAccountToken)
        return Set(tokens).sorted()
    }
}
