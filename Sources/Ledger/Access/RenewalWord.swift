package import Primitives

/// What Apple said of the next renewal, from an instant on until it said something else (ENT-11).
package struct RenewalWord: Sendable, Hashable {
    /// When it was signed; where Apple was silent about a new period, when that period could first be spoken of.
    package let from: Timestamp
    /// Nil where Apple has not said.
    package let autoRenewStatus: Bool?
    /// The product of the next period; nil where Apple has not said.
    package let autoRenewProductId: ProductID?
    /// 0: the customer has not consented to a higher price; 1: they have, or need not; nil: there is none.
    package let priceIncreaseStatus: Int64?
    /// Why it ended or will end: Apple's `expirationIntent`; nil where it gave none.
    package let expirationIntent: Int64?

    package init(
        from: Timestamp, autoRenewStatus: Bool?, autoRenewProductId: ProductID?, priceIncreaseStatus: Int64? = nil,
        expirationIntent: Int64? = nil
    ) {
        self.from = from
        self.autoRenewStatus = autoRenewStatus
        self.autoRenewProductId = autoRenewProductId
        self.priceIncreaseStatus = priceIncreaseStatus
        self.expirationIntent = expirationIntent
    }

    fileprivate init(_ fact: RenewalFact) {
        self.init(
            from: fact.signedDate, autoRenewStatus: fact.autoRenewStatus, autoRenewProductId: fact.autoRenewProductId,
            priceIncreaseStatus: fact.priceIncreaseStatus, expirationIntent: fact.expirationIntent)
    }

    fileprivate func saysTheSame(as other: RenewalWord) -> Bool {
        autoRenewStatus == other.autoRenewStatus && autoRenewProductId == other.autoRenewProductId
            && priceIncreaseStatus == other.priceIncreaseStatus && expirationIntent == other.expirationIntent
    }

    /// Everything that was said of a subscription's renewals, without repetitions; by instant.
    ///
    /// What was said of one period says nothing of the renewal of the next: where Apple was silent about it, that is a word too.
    /// Where it then repeats what it had said, nothing changed.
    static func all(in state: SubscriptionState) -> [RenewalWord] {
        var begins = state.periods.lazy.filter { $0.isSubscriptionPeriod && !$0.neverServes }.map(\.firstWord).makeIterator()
        var (next, words, silence) = (begins.next(), [RenewalWord](), RenewalWord?.none)
        func fallSilent(at begin: Timestamp) {
            guard !words.isEmpty, silence == nil else { return }
            silence = RenewalWord(from: begin, autoRenewStatus: nil, autoRenewProductId: nil)
        }
        func hear(_ word: RenewalWord) {
            guard let last = words.last else { return words.append(word) }
            if last.saysTheSame(as: word) {
                silence = nil
                return
            }
            if let silence, silence.from < word.from { words.append(silence) }
            silence = nil
            if words.last?.saysTheSame(as: word) != true { words.append(word) }
        }
        for renewal in state.renewals {
            while let begin = next, begin <= renewal.signedDate {
                fallSilent(at: begin)
                next = begins.next()
            }
            hear(RenewalWord(renewal))
        }
        if let begin = next { fallSilent(at: begin) }
        if let silence, silence.from > words.last?.from ?? silence.from { words.append(silence) }
        return words
    }
}

extension [RenewalWord] {
    /// The last one said by the instant; nil where nothing had been said.
    func last(by instant: Timestamp) -> RenewalWord? { last { $0.from <= instant } }
}
