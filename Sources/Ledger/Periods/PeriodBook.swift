import Primitives

/// Everything Apple said about the periods of one subscription: for each identity and each source the version that prevails.
///
/// Recording is commutative, associative and idempotent, so any order and any duplication of the same facts leaves the same book
/// (FACT-2).
package struct PeriodBook: Sendable, Hashable {
    /// One line per identity that facts have named; sorted by its key.
    package private(set) var lines: [Line] = []

    package init() {}

    /// A book of lines that one had, in their order.
    package init(lines: [Line]) { self.lines = lines }

    /// Apple's name of the subscription group, which all transactions of one subscription share; nil where none says it.
    var subscriptionGroupIdentifier: String? {
        for line in lines.reversed() {
            for version in line.versions.kept {
                if let group = version.fact.details.subscriptionGroupIdentifier { return group }
            }
        }
        return nil
    }

    /// What is known under one identity before identities without Apple's key are joined to those with one.
    package struct Line: Sendable, Hashable {
        /// `webOrderLineItem` where facts had one, else the only name there is.
        package let identity: PeriodAlias
        /// All names that facts gave together with the identity, the identity among them; sorted.
        package fileprivate(set) var aliases: [PeriodAlias]
        /// Of each source the version that prevails (FACT-2).
        fileprivate(set) var versions: PeriodVersions

        fileprivate init(identity: PeriodAlias, aliases: [PeriodAlias], versions: PeriodVersions) {
            self.identity = identity
            self.aliases = aliases
            self.versions = versions
        }

        /// A line as it was kept: of each source one version. Nil where there is none.
        package init?(identity: PeriodAlias, aliases: [PeriodAlias], kept: [TransactionFact]) {
            guard let versions = PeriodVersions(kept: kept) else { return nil }
            self.init(identity: identity, aliases: aliases, versions: versions)
        }

        /// Of each source the version that prevails; never empty.
        package var kept: [TransactionFact] { versions.all }
    }

    /// Takes a version of a transaction into the book; true if the book says more than before.
    package mutating func record(_ fact: TransactionFact) -> Bool {
        let names = PeriodAlias.aliases(of: fact)
        guard let identity = names.first else { return false }
        let position = position(of: identity)
        guard position < lines.endIndex, lines[position].identity == identity else {
            lines.insert(Line(identity: identity, aliases: names.sorted(), versions: PeriodVersions(fact)), at: position)
            return true
        }
        var saysMore = false
        for name in names where !lines[position].aliases.contains(name) {
            lines[position].aliases = (lines[position].aliases + [name]).sorted()
            saysMore = true
        }
        let isTaken =
            identity == .oneTimePurchase
            ? lines[position].versions.takeOneTime(fact) : lines[position].versions.take(fact)
        return isTaken || saysMore
    }

    /// Where the identity stands, or would stand.
    private func position(of identity: PeriodAlias) -> Int {
        // Apple's keys grow with time: what is new mostly comes last.
        if lines.last.map({ $0.identity < identity }) ?? true { return lines.endIndex }
        return lines.firstPosition { !($0.identity < identity) }
    }

    /// Whether a line of a receipt only repeats what is known and what nobody disputes, so that a store need not keep it: the
    /// same receipt comes with a new date again and again, and a long one has thousands of lines (decision 0016).
    ///
    /// True where the newest word of the same source is the same word for word, and is not older or no other source knows
    /// another end of the period. A JWS never repeats anything.
    package func repeats(_ fact: TransactionFact) -> Bool {
        let names = PeriodAlias.aliases(of: fact)
        guard fact.source != nil, let identity = names.first else { return false }
        let position = position(of: identity)
        guard position < lines.endIndex, lines[position].identity == identity else { return false }
        let line = lines[position]
        guard let known = line.versions[fact.source] else { return false }
        var said = fact
        // What the book keeps of a one-time purchase bears its oldest date; a restored copy's says nothing new.
        if line.identity == .oneTimePurchase { said.purchaseDate = min(said.purchaseDate, known.purchaseDate) }
        guard said.words == known.words else { return false }
        if fact.signedDate <= known.signedDate { return true }
        return lines.filter { $0.aliases.contains(where: names.contains) }.flatMap(\.versions.all).allSatisfy {
            $0.endsLike(fact)
        }
    }

    /// One entry per period: a fact without Apple's key joins the lowest key that bears its product and second (PER-1).
    package func entries() -> [Entry] {
        // Names sort before keys, so that lines without a key are the first ones.
        let firstKey = lines.firstPosition(where: \.identity.isAppleKey)
        var entries: [Entry] = []
        entries.reserveCapacity(lines.count)
        for line in lines[firstKey...] { entries.append(Entry(line)) }
        guard firstKey > 0 else { return entries }
        let owners = lowestKeys(from: firstKey)
        for line in lines[..<firstKey] {
            if let index = owners[line.identity] {
                entries[index].join(line)
            } else {
                entries.append(Entry(line))
            }
        }
        return entries
    }

    /// Which entry bears each name: of several the one with the lowest key.
    private func lowestKeys(from firstKey: Int) -> [PeriodAlias: Int] {
        var owners: [PeriodAlias: Int] = [:]
        for index in lines.indices[firstKey...] {
            for alias in lines[index].aliases where !alias.isAppleKey {
                if let known = owners[alias], !Self.isLower(lines[index].identity, lines[firstKey + known].identity) { continue }
                owners[alias] = index - firstKey
            }
        }
        return owners
    }

    /// A period's names and what all facts of it come to.
    package struct Entry: Sendable, Hashable {
        /// Sorted; the first line's names and those of the lines that joined it.
        package private(set) var aliases: [PeriodAlias]
        /// The strongest of them: Apple's key where there is one.
        var name: PeriodAlias { aliases[aliases.count - 1] }
        private var versions: PeriodVersions
        /// Whether it was cancelled, and nobody said whether by a refund or by an upgrade.
        package var isCancellationUnexplained: Bool { versions.isCancellationUnexplained }
        /// The version that prevails, with what other sources know beside it.
        private(set) var kept: KeptTransaction
        package var latest: TransactionFact { kept.fact }

        fileprivate init(_ line: Line) {
            aliases = line.aliases
            versions = line.versions
            kept = line.versions.prevailing
        }

        fileprivate mutating func join(_ line: Line) {
            aliases = Set(aliases).union(line.aliases).sorted()
            for version in line.versions.all { versions.take(version) }
            kept = versions.prevailing
        }
    }

    /// Apple's keys are decimal numbers: the shorter is the lower, then digit by digit.
    private static func isLower(_ left: PeriodAlias, _ right: PeriodAlias) -> Bool {
        let (leftKey, rightKey) = (left.key, right.key)
        if leftKey.utf8.count != rightKey.utf8.count { return leftKey.utf8.count < rightKey.utf8.count }
        return leftKey < rightKey
    }
}

extension PeriodAlias {
    fileprivate var isAppleKey: Bool {
        if case .webOrderLineItem = self { return true }
        return false
    }
}
