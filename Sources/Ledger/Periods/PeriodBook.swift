package import Primitives

/// Everything Apple said about the periods of one subscription, by identity: the copies that say something of their own
/// (decision 0063).
///
/// Recording is commutative, associative and idempotent, so any order and any duplication of the same facts leaves the same book
/// (FACT-2).
package struct PeriodBook: Sendable, Hashable {
    /// One line for all facts that give the same names; sorted by Apple's key where there is one, then by product and second.
    package private(set) var lines: [Line] = []
    /// When each REFUND_REVERSED was signed, by the id that it names (ENT-5).
    private var reversals: [TransactionID: Set<Timestamp>] = [:]

    package init() {}

    /// A book of lines that one had, in their order, and the notifications that were heard.
    package init(lines: [Line], notices: [NoticeFact] = []) {
        self.lines = lines
        for notice in notices { take(notice) }
    }

    /// Takes a notification: REFUND_REVERSED withdraws the refund of the charge that it names by any of its ids.
    mutating func take(_ notice: NoticeFact) {
        guard notice.notificationType == "REFUND_REVERSED", let id = notice.transactionId else { return }
        reversals[id, default: []].insert(notice.signedDate)
    }

    /// Apple's name of the subscription group, which all transactions of one subscription share; nil where none says it.
    var subscriptionGroupIdentifier: String? {
        for line in lines.reversed() {
            for version in line.versions.kept {
                if let group = version.fact.details.subscriptionGroupIdentifier { return group }
            }
        }
        return nil
    }

    /// What is known under the same names before lines of one period are joined.
    package struct Line: Sendable, Hashable {
        /// The names that its facts give; sorted, so that Apple's key is the last where there is one.
        package let aliases: [PeriodAlias]
        /// What Apple said of it (FACT-2).
        fileprivate(set) var versions: PeriodVersions
        /// Apple's key where its facts have one, else the only name there is.
        package var identity: PeriodAlias { aliases[aliases.count - 1] }

        fileprivate init(aliases: [PeriodAlias], versions: PeriodVersions) {
            self.aliases = aliases
            self.versions = versions
        }

        /// A line as it was kept: its copies and its tokens in their order. Nil where there is no copy or no name.
        package init?(aliases: [PeriodAlias], kept: [TransactionFact], tokens: [BorneToken], signedFirst: Timestamp) {
            let versions = PeriodVersions(kept: kept, tokens: tokens, signedFirst: signedFirst)
            guard !aliases.isEmpty, let versions else { return nil }
            self.init(aliases: aliases, versions: versions)
        }

        fileprivate static func isBefore(_ left: [PeriodAlias], _ right: [PeriodAlias]) -> Bool {
            let (one, other) = (left[left.count - 1], right[right.count - 1])
            return one == other ? left[0] < right[0] : one < other
        }

        /// Of each source the newest copy of each id and what older ones say beside it; never empty.
        package var kept: [TransactionFact] { versions.all }
        /// The tokens that copies bear, by the first copy that bears each.
        package var tokens: [BorneToken] { versions.tokens }
        /// The earliest `signedDate` of any copy.
        package var signedFirst: Timestamp { versions.signedFirst }
    }

    /// Takes a version of a transaction into the book; true if the book says more than before.
    @discardableResult
    package mutating func record(_ fact: TransactionFact) -> Bool {
        let names = Self.names(of: fact)
        let position = position(of: names)
        guard position < lines.endIndex, lines[position].aliases == names else {
            lines.insert(Line(aliases: names, versions: PeriodVersions(fact)), at: position)
            return true
        }
        return lines[position].identity == .oneTimePurchase
            ? lines[position].versions.takeOneTime(fact) : lines[position].versions.take(fact)
    }

    /// Takes a copy that another subscription's book kept, with the earliest `signedDate` that it knew.
    mutating func record(_ fact: TransactionFact, signedFirst: Timestamp) {
        record(fact)
        lines[position(of: Self.names(of: fact))].versions.lower(signedFirst: signedFirst)
    }

    /// Sorted.
    private static func names(of fact: TransactionFact) -> [PeriodAlias] { PeriodAlias.aliases(of: fact).reversed() }

    /// Where the line with these names stands, or would stand.
    private func position(of names: [PeriodAlias]) -> Int {
        // Apple's keys grow with time: what is new mostly comes last.
        if lines.last.map({ Line.isBefore($0.aliases, names) }) ?? true { return lines.endIndex }
        return lines.firstPosition { !Line.isBefore($0.aliases, names) }
    }

    /// Whether a fact names a subscription that this one continues (PER-14).
    var namesPrevious: Bool {
        lines.contains { $0.versions.kept.contains { $0.fact.previousOriginalTransactionId != nil } }
    }

    /// Whether a fact names Apple's key of a charge.
    func names(_ webOrderLineItemId: String) -> Bool {
        let name = PeriodAlias.webOrderLineItem(webOrderLineItemId)
        let position = lines.firstPosition { !($0.identity < name) }
        return position < lines.endIndex && lines[position].identity == name
    }

    /// Whether a line of a receipt only repeats what is known and what nobody disputes, so that a store need not keep it: the
    /// same receipt comes with a new date again and again, and a long one has thousands of lines (decision 0016).
    ///
    /// True where the newest word of the same source is the same word for word, and is not older or no other source knows
    /// another end of the period. A JWS never repeats anything.
    package func repeats(_ fact: TransactionFact) -> Bool {
        let names = Self.names(of: fact)
        guard fact.source != nil else { return false }
        let position = position(of: names)
        guard position < lines.endIndex, lines[position].aliases == names else { return false }
        let line = lines[position]
        guard let known = line.versions[fact.source] else { return false }
        var said = fact
        // What the book keeps of a one-time purchase bears its oldest date; a restored copy's says nothing new.
        if line.identity == .oneTimePurchase { said.purchaseDate = min(said.purchaseDate, known.purchaseDate) }
        guard said.words == known.words else { return false }
        // The earliest copy says who signed first, and since when a token is borne.
        let isFirst = fact.signedDate < line.signedFirst
        let isFirstBearer = line.tokens.contains { $0.token == fact.appAccountToken && fact.signedDate < $0.since }
        guard !isFirst, !isFirstBearer else { return false }
        if fact.signedDate <= known.signedDate { return true }
        return lines.filter { $0.aliases.contains(where: names.contains) }.flatMap(\.versions.all).allSatisfy {
            $0.endsLike(fact)
        }
    }

    /// One entry per period: facts that share Apple's key and whose dates overlap are one, and a fact without a key joins the
    /// lowest key that bears its product and second (PER-1).
    package func entries() -> [Entry] {
        var entries = joinedLines()
        guard !reversals.isEmpty else { return entries }
        for index in entries.indices {
            let ids = [entries[index].latest.transactionId] + entries[index].otherIds
            entries[index].reverse(at: ids.flatMap { reversals[$0] ?? [] })
        }
        return entries
    }

    private func joinedLines() -> [Entry] {
        // Names sort before keys, so that lines without a key are the first ones.
        let firstKey = lines.firstPosition(where: \.identity.isAppleKey)
        var entries: [Entry] = []
        entries.reserveCapacity(lines.count)
        for line in lines[firstKey...] {
            // Of one key the earlier comes first.
            guard let last = entries.indices.last, entries[last].line == line.identity else {
                entries.append(Entry(line))
                continue
            }
            if entries[last].overlaps(line) { entries[last].join(line) } else { entries.append(Entry(line, isSecond: true)) }
        }
        guard firstKey > 0 else { return entries }
        let owners = Self.lowestKeys(among: entries)
        for line in lines[..<firstKey] {
            if let index = owners[line.identity] {
                entries[index].join(line)
            } else {
                entries.append(Entry(line))
            }
        }
        return Self.joiningSeats(entries)
    }

    /// PER-12: a copy that does not say that seats were added, as one that was kept before it was asked for, is of the charge of
    /// which another copy of the same transaction says so.
    private static func joiningSeats(_ entries: [Entry]) -> [Entry] {
        var joined = entries
        var gone: Set<Int> = []
        for seats in entries.indices where entries[seats].line.isSeatAddition {
            let id = entries[seats].latest.transactionId
            for other in entries.indices where !entries[other].line.isSeatAddition {
                guard entries[other].copies.allSatisfy({ $0.transactionId == id }) else { continue }
                joined[seats].join(entries[other])
                gone.insert(other)
            }
        }
        return gone.isEmpty ? entries : joined.indices.filter { !gone.contains($0) }.map { joined[$0] }
    }

    /// Which entry bears each name: of several the one with the lowest key.
    private static func lowestKeys(among entries: [Entry]) -> [PeriodAlias: Int] {
        var owners: [PeriodAlias: Int] = [:]
        for index in entries.indices {
            for alias in entries[index].aliases where !alias.isAppleKey {
                if let known = owners[alias], !isLower(entries[index].line, entries[known].line) { continue }
                owners[alias] = index
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
        /// What its first line is called by.
        fileprivate let line: PeriodAlias
        /// Apple's key of the charge; nil where no fact has one.
        var webOrderLineItemId: String? {
            if case .webOrderLineItem(let id) = line { return id }
            return nil
        }
        /// Apple's key of it is that of an earlier period, too, whose dates do not overlap: there it stays, and this one is
        /// called by its product and second.
        let repeatsKey: Bool
        private var versions: PeriodVersions
        /// Whether it was cancelled, and nobody said whether by a refund or by an upgrade.
        package var isCancellationUnexplained: Bool { versions.isCancellationUnexplained }
        /// The newest copy, with what the others know beside it.
        private(set) var kept: KeptTransaction
        package var latest: TransactionFact { kept.fact }
        /// The tokens that copies bear, by the first copy that bears each.
        var tokens: [BorneToken] { versions.tokens }
        /// The ids that copies bear besides that of the newest; mostly none.
        var otherIds: [TransactionID] {
            guard versions.kept.count > 1 else { return [] }
            return Set(versions.all.map(\.transactionId)).subtracting([latest.transactionId]).sorted()
        }
        /// Its copies, by source, the newest of each first.
        var copies: [TransactionFact] { versions.all }
        /// The earliest `signedDate` of any copy.
        var signedFirst: Timestamp { versions.signedFirst }
        /// When each REFUND_REVERSED was signed that names the charge; sorted (ENT-5).
        var reversals: [Timestamp] { versions.reversals }
        /// What copies of the same charge under other subscriptions show (PER-1).
        private var refundsElsewhere: [ShownRefund] = []
        /// The refunds that its copies show, standing or not; by the date of the newest copy of each.
        var shownRefunds: [ShownRefund] {
            versions.kept.contains { $0.fact.revocation != nil } ? ShownRefund.all(in: versions.all) : []
        }
        /// The refunds of it that a REFUND_REVERSED withdrew (ENT-5); mostly none.
        var withdrawnRefunds: [WithdrawnRefund] {
            guard !reversals.isEmpty else { return [] }
            return WithdrawnRefund.all(among: ShownRefund.joined(shownRefunds + refundsElsewhere), by: reversals)
        }

        /// - Parameter isSecond: whether an earlier period has the same key.
        fileprivate init(_ line: Line, isSecond: Bool = false) {
            self.line = line.identity
            repeatsKey = isSecond
            aliases = isSecond ? line.aliases.dropLast() : line.aliases
            versions = line.versions
            kept = line.versions.prevailing
        }

        /// Whether the line's dates overlap, which begins no earlier.
        fileprivate func overlaps(_ other: Line) -> Bool {
            let start = other.versions.prevailing.fact.purchaseDate
            return start <= latest.purchaseDate || latest.expiresDate.map { start < $0 } ?? false
        }

        /// REFUND_REVERSED names one of its ids, or one of the same charge under another subscription.
        mutating func reverse(at instants: [Timestamp]) {
            guard !instants.isEmpty else { return }
            versions.reversals = Set(versions.reversals).union(instants).sorted()
            kept = versions.prevailing
        }

        /// The refunds that the same charge has under other subscriptions.
        mutating func note(elsewhere refunds: [ShownRefund]) { refundsElsewhere = refunds }

        /// It was refunded under another subscription, where no refund of its own is known.
        mutating func take(_ revocation: Revocation) {
            guard latest.revocation == nil else { return }
            var fact = latest
            fact.revocation = revocation
            kept = KeptTransaction(fact)
        }

        fileprivate mutating func join(_ other: Entry) {
            aliases = Set(aliases).union(other.aliases).sorted()
            versions.join(other.versions)
            kept = versions.prevailing
        }

        fileprivate mutating func join(_ line: Line) {
            aliases = Set(aliases).union(line.aliases.filter { !repeatsKey || !$0.isAppleKey }).sorted()
            versions.join(line.versions)
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
    fileprivate var isSeatAddition: Bool {
        if case .seatAddition = self { return true }
        return false
    }

    fileprivate var isAppleKey: Bool {
        if case .webOrderLineItem = self { return true }
        return false
    }
}
