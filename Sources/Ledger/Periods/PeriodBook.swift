import Primitives

/// Everything Apple said about the periods of one subscription: for each identity the version that prevails.
///
/// Recording is commutative, associative and idempotent, so any order and any duplication of the same facts leaves the same book
/// (FACT-2).
package struct PeriodBook: Sendable, Hashable, Codable {
    /// One line per identity that facts have named; sorted by its key.
    private(set) var lines: [Line] = []

    package init() {}

    /// What is known under one identity before identities without Apple's key are joined to those with one.
    struct Line: Sendable, Hashable, Codable {
        /// `webOrderLineItem` where facts had one, else the only name there is.
        let identity: PeriodAlias
        /// All names that facts gave together with the identity, the identity among them; sorted.
        var aliases: [PeriodAlias]
        /// The version that prevails (FACT-2).
        var latest: TransactionFact
    }

    /// Takes a version of a transaction into the book; true if the book says more than before.
    package mutating func record(_ signed: TransactionFact) -> Bool {
        let names = PeriodAlias.aliases(of: signed)
        var fact = signed
        guard let identity = names.first else { return false }
        let position = lines.firstIndex { !($0.identity < identity) } ?? lines.endIndex
        guard position < lines.endIndex, lines[position].identity == identity else {
            lines.insert(Line(identity: identity, aliases: names.sorted(), latest: fact), at: position)
            return true
        }
        let before = lines[position]
        if identity == .oneTimePurchase {
            // A restored copy bears the date of the restore; the purchase is as old as its oldest copy says.
            fact.purchaseDate = min(fact.purchaseDate, before.latest.purchaseDate)
            lines[position].latest.purchaseDate = fact.purchaseDate
        }
        for name in names where !lines[position].aliases.contains(name) {
            lines[position].aliases = (lines[position].aliases + [name]).sorted()
        }
        if fact.supersedes(lines[position].latest) { lines[position].latest = fact }
        return lines[position] != before
    }

    /// One entry per period: a fact without Apple's key joins the lowest key that bears its product and second (PER-1).
    package func entries() -> [Entry] {
        var entries = lines.filter { $0.identity.isAppleKey }
            .sorted { Self.isLower($0.identity, $1.identity) }
            .map { Entry(aliases: $0.aliases, latest: $0.latest) }
        for line in lines where !line.identity.isAppleKey {
            if let index = entries.firstIndex(where: { $0.aliases.contains(line.identity) }) {
                entries[index].join(line)
            } else {
                entries.append(Entry(aliases: line.aliases, latest: line.latest))
            }
        }
        return entries
    }

    /// A period's names and the version that prevails among all facts of it.
    package struct Entry: Sendable, Hashable {
        /// Sorted; the first line's names and those of the lines that joined it.
        package private(set) var aliases: [PeriodAlias]
        package private(set) var latest: TransactionFact

        fileprivate init(aliases: [PeriodAlias], latest: TransactionFact) {
            self.aliases = aliases
            self.latest = latest
        }

        fileprivate mutating func join(_ line: Line) {
            aliases = Set(aliases).union(line.aliases).sorted()
            if line.latest.supersedes(latest) { latest = line.latest }
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
