import Primitives

extension ExplanationTeller {
    /// The end of a period before Apple gave more time; nil where it gave none, or no word of Apple's shows the end before.
    func endFirstPaidFor(_ period: Period) -> Timestamp? {
        guard let first = renewalDates(of: period).first?.renewalDate, let end = period.transaction.expiresDate,
            first.adding(Self.leastExtension) <= end
        else { return nil }
        return first
    }

    /// Once for each extension that Apple's words show, and where they show none, by the transaction.
    var extensions: [ExplanationLine] {
        begun.flatMap { period -> [ExplanationLine] in
            guard var known = endFirstPaidFor(period), let end = period.transaction.expiresDate else { return [] }
            var lines: [ExplanationLine] = []
            for word in renewalDates(of: period) {
                guard let date = word.renewalDate, known.adding(Self.leastExtension) <= date, date <= end else { continue }
                known = date
                lines.append(line(word.signedDate, .periodEnd, say: .change(.extended(until: date))))
            }
            if known.adding(Self.leastExtension) <= end {
                lines.append(line(period.transaction.signedDate, .periodEnd, say: .change(.extended(until: end))))
            }
            return lines
        }
    }

    /// Words that name the end of a period. Before an early renewal they name its begin, and while Apple tries to charge that
    /// is no end that was paid for.
    private func renewalDates(of period: Period) -> [RenewalFact] {
        let after = begun[begun.firstPosition { $0.purchaseDate > period.purchaseDate }...].first
        let begin = words.firstPosition { $0.signedDate >= period.firstWord }
        let end = after.map { after in words.firstPosition { $0.signedDate >= after.firstWord } } ?? words.endIndex
        // What follows early may be spoken of before this one was.
        guard begin < end else { return [] }
        return words[begin..<end].filter { word in
            !word.isInBillingRetryPeriod && word.renewalDate.map { $0 > period.purchaseDate } ?? false
        }
    }

    /// Apple gives whole days. What differs by less was only rounded.
    ///
    /// Source: Apple, App Store Server API, `extendByDays`.
    private static var leastExtension: Milliseconds { .hours(1) }
}
