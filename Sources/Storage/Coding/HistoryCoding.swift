package import Ledger
import Primitives

/// How a history is written beside its subscription: a cache of the rows of facts, claims and registrations, so short and so
/// quickly read that each new fact may read and write all of it (docs/decisions/0020).
package enum HistoryCoding {
    /// Counted up with every change of the form. A history in another form is put together again from its rows, but for
    /// `toldUntil`, how often claims were made again and which periods are unannounced, which are no facts: these come first, in
    /// every form from 2, from 3 and from 9 on, always written alike.
    package static let form: UInt8 = 10

    package static func encode(_ history: SubscriptionHistory) -> [UInt8] {
        let parts = history.parts
        var writer = CompactWriter(reservingCapacity: 64 + 96 * (parts.lines.count + parts.renewals.count))
        writer.byte(form)
        writer.list([parts.toldUntil].compactMap { $0 }) { $0.instant($1) }
        writer.list(parts.repetitions) { $0.repetition($1) }
        writer.list(parts.unannounced) { $0.alias($1) }
        writer.list(parts.lines) { $0.line($1) }
        writer.list(parts.renewals) { $0.renewal($1) }
        writer.list(parts.notices) { $0.notice($1) }
        writer.list(parts.statuses) { $0.status($1) }
        writer.list(parts.questions) { $0.question($1) }
        writer.list(parts.claims) { $0.claim($1) { $0.word($1.rawValue) } }
        writer.list(parts.registrations) { $0.registration($1) }
        writer.list(parts.intents) { $0.intent($1) }
        writer.list(parts.reservations) { $0.reservation($1) }
        writer.list(parts.votes) { $0.vote($1) }
        writer.list(parts.merges) {
            $0.merge($1)
            $0.byte($1.isIntoAnonymous ? 1 : 0)
        }
        writer.list(parts.joins) { $0.join($1) }
        writer.list(parts.separations) { $0.separation($1) }
        writer.list(parts.chargesElsewhere) { $0.chargeElsewhere($1) }
        writer.list(parts.switches.predecessors) { $0.predecessor($1) }
        writer.list(parts.switches.continuations) { $0.continuation($1) }
        return writer.bytes
    }

    /// What Apple said of the periods, without the rest of the history.
    ///
    /// - Returns: nil where the history is in a form that this version does not read.
    /// - Throws: `StorageError` with `corrupt` for anything that `encode` did not write.
    package static func book(in bytes: [UInt8]) throws -> PeriodBook? {
        var reader = CompactReader(bytes)
        guard try reader.byte() == form else { return nil }
        _ = try reader.list { try $0.instant() }
        _ = try reader.list { try $0.repetition() }
        _ = try reader.list { try $0.alias() }
        let lines = try reader.list { try $0.line() }
        _ = try reader.list { try $0.renewal() }
        return PeriodBook(lines: lines, notices: try reader.list { try $0.notice() })
    }

    /// The same without anything that its rows say too: put together from them again when it is read, with the names that they
    /// have by then (I45).
    ///
    /// - Throws: `StorageError` with `corrupt` for anything that `encode` did not write.
    package static func forgetting(_ bytes: [UInt8]) throws -> [UInt8] {
        var reader = CompactReader(bytes)
        let written = try reader.byte()
        let toldUntil = try written < 2 ? [] : reader.list { try $0.instant() }
        let repetitions = try written < 3 ? [] : reader.list { try $0.repetition() }
        let unannounced = try written < 9 ? [] : reader.list { try $0.alias() }
        var writer = CompactWriter(reservingCapacity: 64)
        writer.byte(forgotten)
        writer.list(toldUntil) { $0.instant($1) }
        writer.list(repetitions) { $0.repetition($1) }
        writer.list(unannounced) { $0.alias($1) }
        return writer.bytes
    }

    /// A form that no history is read in; servers of before wrote 4, without the periods that are unannounced.
    private static let forgotten: UInt8 = 255

    /// The history of a subscription.
    ///
    /// - Parameter rebuilt: puts it together from its rows; called where it is written in a form that this version does not read.
    /// - Throws: `StorageError` with `corrupt` for anything that `encode` did not write.
    package static func decode(
        _ bytes: [UInt8], of key: SubscriptionKey, rebuilt: () throws -> SubscriptionHistory
    ) throws -> SubscriptionHistory {
        var reader = CompactReader(bytes)
        let written = try reader.byte()
        let toldUntil = try written < 2 ? nil : reader.list { try $0.instant() }.first
        let repetitions = try written < 3 ? [] : reader.list { try $0.repetition() }
        let unannounced = try written < 9 ? [] : reader.list { try $0.alias() }
        guard written == form else {
            var history = try rebuilt()
            if let toldUntil { _ = history.record(toldUntil: toldUntil) }
            for repetition in repetitions { _ = history.record(repetition) }
            _ = history.record(unannounced: unannounced)
            return history
        }
        var parts = SubscriptionHistory.Parts(key: key)
        (parts.toldUntil, parts.repetitions, parts.unannounced) = (toldUntil, repetitions, unannounced)
        parts.lines = try reader.list { try $0.line() }
        parts.renewals = try reader.list { try $0.renewal() }
        parts.notices = try reader.list { try $0.notice() }
        parts.statuses = try reader.list { try $0.status() }
        parts.questions = try reader.list { try $0.question() }
        parts.claims = try reader.list { try $0.claim { CustomerID(try $0.word()) } }
        parts.registrations = try reader.list { try $0.registration() }
        parts.intents = try reader.list { try $0.intent() }
        parts.reservations = try reader.list { try $0.reservation() }
        parts.votes = try reader.list { try $0.vote() }
        parts.merges = try reader.list {
            var merge = try $0.merge()
            merge.isIntoAnonymous = try $0.byte() == 1
            return merge
        }
        parts.joins = try reader.list { try $0.join() }
        parts.separations = try reader.list { try $0.separation() }
        parts.chargesElsewhere = try reader.list { try $0.chargeElsewhere() }
        let predecessors = try reader.list { try $0.predecessor() }
        parts.switches = SwitchWords(
            predecessors: predecessors, continuations: try reader.list { try $0.continuation() })
        guard reader.isAtEnd else { throw CompactReader.damaged("something follows it") }
        return SubscriptionHistory(parts)
    }
}

/// How a claim is written in the table of claims.
package enum ClaimCoding {
    /// In form 1 customers were named.
    private static let form: UInt8 = 2

    /// - Parameter number: of a customer.
    package static func encode(_ claim: Claim, _ number: (CustomerID) throws -> Int64) throws -> [UInt8] {
        let numbers = try Dictionary(claim.customers.map { ($0, try number($0)) }) { first, _ in first }
        var writer = CompactWriter(reservingCapacity: 128)
        writer.byte(form)
        writer.claim(claim) { $0.signed(numbers[$1] ?? 0) }
        return writer.bytes
    }

    /// The numbers of the customers that a claim names.
    package static func customers(in bytes: [UInt8]) throws -> Set<Int64> {
        var numbers: Set<Int64> = []
        _ = try decode(bytes) { number in
            numbers.insert(number)
            return CustomerNames.erased(number)
        }
        return numbers
    }

    /// - Parameter name: of a customer's number.
    package static func decode(_ bytes: [UInt8], _ name: (Int64) throws -> CustomerID) throws -> Claim {
        var reader = CompactReader(bytes)
        guard try reader.byte() == form else { throw CompactReader.damaged("its form is unknown") }
        let claim = try reader.claim { try name($0.signed()) }
        guard reader.isAtEnd else { throw CompactReader.damaged("something follows it") }
        return claim
    }
}

extension CompactWriter {
    fileprivate mutating func line(_ line: PeriodBook.Line) {
        list(line.aliases) { $0.alias($1) }
        list(line.kept) { $0.transaction($1) }
        list(line.tokens) { $0.borne($1) }
        instant(line.signedFirst)
    }

    mutating func predecessor(_ word: Predecessor) {
        self.word(word.originalTransactionId.rawValue)
        instant(word.switchedAt)
        list([word.productId].compactMap(\.self)) { $0.word($1.rawValue) }
        list([word.owner].compactMap(\.self)) { writer, owner in
            writer.word(owner.customer.rawValue)
            writer.byte(owner.isAnonymous ? 1 : 0)
            writer.list([owner.shownAt].compactMap(\.self)) { $0.instant($1) }
        }
        signed(word.number)
    }

    mutating func continuation(_ word: Continuation) {
        self.word(word.originalTransactionId.rawValue)
        instant(word.switchedAt)
        signed(word.number)
    }

    mutating func chargeElsewhere(_ charge: ChargeElsewhere) {
        transaction(charge.copy)
        instant(charge.signedFirst)
        list(charge.reversals) { $0.instant($1) }
    }

    private mutating func borne(_ borne: BorneToken) {
        word(borne.token.rawValue)
        instant(borne.since)
    }

    fileprivate mutating func alias(_ alias: PeriodAlias) {
        switch alias {
        case .oneTimePurchase: byte(0)
        case .webOrderLineItem(let id):
            byte(1)
            text(id)
        case .productAndSecond(let product, let second):
            byte(2)
            word(product.rawValue)
            instant(second)
        case .seatAddition(let id):
            byte(3)
            text(id.rawValue)
        }
    }

    /// - Parameter customer: writes one.
    fileprivate mutating func claim(_ claim: Claim, _ customer: (inout CompactWriter, CustomerID) -> Void) {
        text(claim.id.rawValue)
        customer(&self, claim.customer)
        byte((claim.isAnonymous ? 1 : 0) | (claim.keepsIntents ? 2 : 0))
        word(claim.kind.rawValue)
        word(claim.productId.rawValue)
        list(claim.aliases) { $0.alias($1) }
        instant(claim.claimedAt)
        list(claim.othersServed, customer)
    }

    fileprivate mutating func registration(_ registration: TokenRegistration) {
        word(registration.token.rawValue)
        word(registration.customer.rawValue)
        byte((registration.isAnonymous ? 1 : 0) | (registration.isVouched ? 2 : 0) | (registration.wasBorneBefore ? 4 : 0))
        instant(registration.registeredAt)
    }

    mutating func intent(_ intent: PurchaseIntent) {
        text(intent.id.rawValue)
        word(intent.customer.rawValue)
        byte(intent.isAnonymous ? 1 : 0)
        word(intent.productId.rawValue)
        instant(intent.madeAt)
    }

    mutating func reservation(_ reservation: Reservation) {
        text(reservation.id.rawValue)
        word(reservation.customer.rawValue)
        byte(reservation.isAnonymous ? 1 : 0)
        instant(reservation.reservedAt)
    }

    fileprivate mutating func repetition(_ repetition: ClaimRepetition) {
        text(repetition.claim.rawValue)
        signed(repetition.count)
        instant(repetition.lastAt)
    }

    mutating func vote(_ vote: OwnershipVote) {
        text(vote.id.rawValue)
        switch vote.kind {
        case .transfer(let customer):
            byte(0)
            word(customer.rawValue)
        case .approve(let claim):
            byte(1)
            text(claim.rawValue)
        case .deny(let claim):
            byte(2)
            text(claim.rawValue)
        case .erase(let customer):
            byte(3)
            word(customer.rawValue)
        }
        switch vote.actor {
        case .operatorOfTenure(let name):
            byte(0)
            word(name)
        case .owner(let customer):
            byte(1)
            word(customer.rawValue)
        }
        instant(vote.votedAt)
        text(vote.reason)
    }

    mutating func merge(_ merge: CustomerMerge) {
        word(merge.anonymous.rawValue)
        word(merge.identified.rawValue)
        instant(merge.mergedAt)
    }

    mutating func join(_ join: CustomerJoin) {
        text(join.id.rawValue)
        pair(join.pair)
        instant(join.joinedAt)
        text(join.reason)
    }

    mutating func separation(_ separation: CustomerSeparation) {
        text(separation.id.rawValue)
        text(separation.join.rawValue)
        pair(separation.pair)
        instant(separation.separatedAt)
    }

    private mutating func pair(_ pair: CustomerPair) {
        word(pair.from.rawValue)
        word(pair.into.rawValue)
    }
}

extension CompactReader {
    fileprivate mutating func line() throws -> PeriodBook.Line {
        let (aliases, kept) = (try list { try $0.alias() }, try list { try $0.transaction() })
        let tokens = try list { BorneToken(token: try $0.token(), since: try $0.instant()) }
        let line = PeriodBook.Line(aliases: aliases, kept: kept, tokens: tokens, signedFirst: try instant())
        guard let line else { throw Self.damaged("a period without a fact or a name") }
        return line
    }

    mutating func predecessor() throws -> Predecessor {
        let (id, switchedAt) = (OriginalTransactionID(try word()), try instant())
        let product = try list { ProductID(try $0.word()) }.first
        let owner = try list { reader in
            let (customer, isAnonymous) = (CustomerID(try reader.word()), try reader.byte() == 1)
            return Predecessor.Owner(customer, isAnonymous: isAnonymous, shownAt: try reader.list { try $0.instant() }.first)
        }.first
        return Predecessor(of: id, switchedAt: switchedAt, productId: product, owner: owner, number: try signed())
    }

    mutating func continuation() throws -> Continuation {
        let (id, switchedAt) = (OriginalTransactionID(try word()), try instant())
        return Continuation(by: id, switchedAt: switchedAt, number: try signed())
    }

    mutating func chargeElsewhere() throws -> ChargeElsewhere {
        let (copy, first) = (try transaction(), try instant())
        return ChargeElsewhere(copy, signedFirst: first, reversals: try list { try $0.instant() })
    }

    fileprivate mutating func alias() throws -> PeriodAlias {
        switch try byte() {
        case 0: return .oneTimePurchase
        case 1: return .webOrderLineItem(try text())
        case 2:
            let product = ProductID(try word())
            return .productAndSecond(product, try instant())
        case 3: return .seatAddition(TransactionID(try text()))
        default: throw Self.damaged("a name of a period has no kind")
        }
    }

    /// - Parameter customer: reads one.
    fileprivate mutating func claim(_ customer: (inout CompactReader) throws -> CustomerID) throws -> Claim {
        let (id, claimant, flags) = (try text(), try customer(&self), try byte())
        let word = try word()
        guard let kind = Claim.Kind(rawValue: word) else { throw Self.damaged("a claim is of an unknown kind") }
        let product = ProductID(try self.word())
        let (aliases, claimedAt) = (try list { try $0.alias() }, try instant())
        let others = try list(customer)
        return Claim(
            id: .init(id),
            customer: Claimant(claimant, isAnonymous: flags & 1 != 0, othersServed: others, keepsIntents: flags & 2 != 0),
            kind: kind, about: .init(of: product, aliases: aliases), claimedAt: claimedAt)
    }

    fileprivate mutating func registration() throws -> TokenRegistration {
        let (token, customer, flags) = (try token(), CustomerID(try word()), try byte())
        return TokenRegistration(
            token: token, customer: customer, isAnonymous: flags & 1 != 0, registeredAt: try instant(), isVouched: flags & 2 != 0,
            wasBorneBefore: flags & 4 != 0)
    }

    mutating func intent() throws -> PurchaseIntent {
        let (id, customer, isAnonymous) = (try text(), CustomerID(try word()), try byte() == 1)
        let product = ProductID(try word())
        return PurchaseIntent(
            id: .init(id), customer: customer, isAnonymous: isAnonymous, productId: product, madeAt: try instant())
    }

    mutating func reservation() throws -> Reservation {
        let (id, customer, isAnonymous) = (try text(), CustomerID(try word()), try byte() == 1)
        return Reservation(id: .init(id), customer: customer, isAnonymous: isAnonymous, reservedAt: try instant())
    }

    fileprivate mutating func repetition() throws -> ClaimRepetition {
        let (claim, count) = (try text(), try signed())
        return ClaimRepetition(of: .init(claim), count: count, lastAt: try instant())
    }

    mutating func vote() throws -> OwnershipVote {
        let id = try text()
        let kind: OwnershipVote.Kind
        switch try byte() {
        case 0: kind = .transfer(to: CustomerID(try word()))
        case 1: kind = .approve(.init(try text()))
        case 2: kind = .deny(.init(try text()))
        case 3: kind = .erase(CustomerID(try word()))
        default: throw Self.damaged("a vote is of an unknown kind")
        }
        let actor: OwnershipVote.Actor
        switch try byte() {
        case 0: actor = .operatorOfTenure(try word())
        case 1: actor = .owner(CustomerID(try word()))
        default: throw Self.damaged("a vote has no voter")
        }
        let votedAt = try instant()
        return OwnershipVote(id: .init(id), kind: kind, actor: actor, votedAt: votedAt, reason: try text())
    }

    mutating func merge() throws -> CustomerMerge {
        let (anonymous, identified) = (try word(), try word())
        return CustomerMerge(anonymous: .init(anonymous), identified: .init(identified), mergedAt: try instant())
    }

    mutating func join() throws -> CustomerJoin {
        let (id, pair) = (try text(), try pair())
        let instant = try instant()
        return CustomerJoin(id: .init(id), of: pair, joinedAt: instant, reason: try text())
    }

    mutating func separation() throws -> CustomerSeparation {
        let (id, join, pair) = (try text(), try text(), try pair())
        return CustomerSeparation(id: .init(id), of: .init(join), pair, separatedAt: try instant())
    }

    private mutating func pair() throws -> CustomerPair {
        let from = CustomerID(try word())
        return CustomerPair(from, into: CustomerID(try word()))
    }
}
