package import Ledger
import Primitives

/// How a vote, an intent, a reservation or who is who is written in its row; customers stand there by their numbers (I45).
package enum InputCoding {
    private static let form: UInt8 = 1

    /// Which inputs have such rows. The spellings are stable: they stand in the books.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case vote, merge, intent, reservation, join, separation, charge, predecessor, continuation
    }

    /// What the columns beside it must say; nil for an input that has a table of its own.
    ///
    /// - Parameter number: of a customer.
    package static func columns(of input: LedgerInput, _ number: (CustomerID) throws -> Int64) rethrows -> InputColumns? {
        switch input {
        case .vote(let vote):
            InputColumns(kind: Kind.vote.rawValue, inputId: vote.id.rawValue, recordedAt: vote.votedAt)
        case .merge(let merge):
            InputColumns(
                kind: Kind.merge.rawValue, inputId: "\(try number(merge.anonymous))", recordedAt: merge.mergedAt)
        case .intent(let intent):
            InputColumns(kind: Kind.intent.rawValue, inputId: intent.id.rawValue, recordedAt: intent.madeAt)
        case .reservation(let reservation):
            InputColumns(kind: Kind.reservation.rawValue, inputId: reservation.id.rawValue, recordedAt: reservation.reservedAt)
        case .join(let join):
            InputColumns(
                kind: Kind.join.rawValue, inputId: "\(try number(join.pair.from))/\(join.id)", recordedAt: join.joinedAt)
        case .separation(let separation):
            InputColumns(
                kind: Kind.separation.rawValue, inputId: "\(try number(separation.pair.from))/\(separation.id)",
                recordedAt: separation.separatedAt)
        case .chargeElsewhere(let charge):
            InputColumns(kind: Kind.charge.rawValue, inputId: charge.id, recordedAt: charge.copy.signedDate)
        case .predecessor(let word):
            InputColumns(
                kind: Kind.predecessor.rawValue, inputId: "\(word.originalTransactionId)/\(word.number)",
                recordedAt: word.switchedAt)
        case .continuation(let word):
            InputColumns(
                kind: Kind.continuation.rawValue, inputId: "\(word.originalTransactionId)/\(word.number)",
                recordedAt: word.switchedAt)
        case .fact, .claim, .registration: nil
        }
    }

    /// - Parameter number: of a customer.
    package static func encode(_ input: LedgerInput, _ number: (CustomerID) throws -> Int64) throws -> [UInt8] {
        let numbers = try Dictionary(input.customers.map { ($0, try number($0)) }) { first, _ in first }
        func numbered(_ customer: CustomerID) -> CustomerID { CustomerID("\(numbers[customer] ?? 0)") }
        var writer = CompactWriter(reservingCapacity: 64)
        writer.byte(form)
        switch input.renaming(numbered) {
        case .vote(let vote):
            writer.word(Kind.vote.rawValue)
            writer.vote(vote)
        case .merge(let merge):
            writer.word(Kind.merge.rawValue)
            writer.merge(merge)
            // Nothing where the other one is identified, as rows of before have it.
            if merge.isIntoAnonymous { writer.byte(1) }
        case .intent(let intent):
            writer.word(Kind.intent.rawValue)
            writer.intent(intent)
        case .reservation(let reservation):
            writer.word(Kind.reservation.rawValue)
            writer.reservation(reservation)
        case .join(let join):
            writer.word(Kind.join.rawValue)
            writer.join(join)
        case .separation(let separation):
            writer.word(Kind.separation.rawValue)
            writer.separation(separation)
        case .chargeElsewhere(let charge):
            writer.word(Kind.charge.rawValue)
            writer.chargeElsewhere(charge)
        case .predecessor(let word):
            writer.word(Kind.predecessor.rawValue)
            writer.predecessor(word)
        case .continuation(let word):
            writer.word(Kind.continuation.rawValue)
            writer.continuation(word)
        case .fact, .claim, .registration: throw StorageError(.other, "this input has a table of its own")
        }
        return writer.bytes
    }

    /// The numbers of the customers that an input names.
    package static func customers(in bytes: [UInt8]) throws -> Set<Int64> {
        Set(try numbered(bytes).customers.map { try number($0) })
    }

    /// - Parameter name: of a customer's number.
    package static func decode(_ bytes: [UInt8], _ name: (Int64) throws -> CustomerID) throws -> LedgerInput {
        try numbered(bytes).renaming { try name(number($0)) }
    }

    private static func merge(_ reader: inout CompactReader) throws -> CustomerMerge {
        var merge = try reader.merge()
        if !reader.isAtEnd { merge.isIntoAnonymous = try reader.byte() == 1 }
        return merge
    }

    private static func number(_ customer: CustomerID) throws -> Int64 {
        guard let number = Int64(customer.rawValue) else { throw CompactReader.damaged("a customer has no number") }
        return number
    }

    private static func numbered(_ bytes: [UInt8]) throws -> LedgerInput {
        var reader = CompactReader(bytes)
        guard try reader.byte() == form, let kind = Kind(rawValue: try reader.word()) else {
            throw CompactReader.damaged("an input is of an unknown form or kind")
        }
        let input: LedgerInput =
            switch kind {
            case .vote: .vote(try reader.vote())
            case .merge: .merge(try merge(&reader))
            case .intent: .intent(try reader.intent())
            case .reservation: .reservation(try reader.reservation())
            case .join: .join(try reader.join())
            case .separation: .separation(try reader.separation())
            case .charge: .chargeElsewhere(try reader.chargeElsewhere())
            case .predecessor: .predecessor(try reader.predecessor())
            case .continuation: .continuation(try reader.continuation())
            }
        guard reader.isAtEnd else { throw CompactReader.damaged("something follows it") }
        return input
    }
}

extension LedgerInput {
    /// Everybody whom it names. Under the first of them it is found again; of a join that is whom a customer turned out to be,
    /// since the other one is found by what made the subscription hear of it.
    package var customers: [CustomerID] {
        switch self {
        case .fact, .chargeElsewhere, .continuation: []
        case .predecessor(let word): [word.owner?.customer].compactMap(\.self)
        case .claim(let claim): claim.customers
        case .registration(let registration): [registration.customer]
        case .vote(let vote): vote.customers
        case .merge(let merge): [merge.anonymous, merge.identified]
        case .intent(let intent): [intent.customer]
        case .reservation(let reservation): [reservation.customer]
        case .join(let join): [join.pair.into, join.pair.from]
        case .separation(let separation): [separation.pair.into, separation.pair.from]
        }
    }

    /// The same with other names for its customers, where it is kept by ``InputCoding``.
    fileprivate func renaming(_ name: (CustomerID) throws -> CustomerID) rethrows -> LedgerInput {
        switch self {
        case .fact, .claim, .registration, .chargeElsewhere, .continuation: self
        case .predecessor(let word):
            .predecessor(
                Predecessor(
                    of: word.originalTransactionId, switchedAt: word.switchedAt, productId: word.productId,
                    owner: try word.owner.map {
                        Predecessor.Owner(try name($0.customer), isAnonymous: $0.isAnonymous, shownAt: $0.shownAt)
                    }, number: word.number))
        case .vote(let vote): .vote(try vote.renaming(name))
        case .merge(let merge):
            .merge(
                CustomerMerge(
                    anonymous: try name(merge.anonymous), identified: try name(merge.identified), mergedAt: merge.mergedAt,
                    isIntoAnonymous: merge.isIntoAnonymous))
        case .intent(let intent):
            .intent(
                PurchaseIntent(
                    id: intent.id, customer: try name(intent.customer), isAnonymous: intent.isAnonymous,
                    productId: intent.productId, madeAt: intent.madeAt))
        case .reservation(let reservation):
            .reservation(
                Reservation(
                    id: reservation.id, customer: try name(reservation.customer), isAnonymous: reservation.isAnonymous,
                    reservedAt: reservation.reservedAt))
        case .join(let join):
            .join(CustomerJoin(id: join.id, of: try join.pair.renaming(name), joinedAt: join.joinedAt, reason: join.reason))
        case .separation(let separation):
            .separation(
                CustomerSeparation(
                    id: separation.id, of: separation.join, try separation.pair.renaming(name),
                    separatedAt: separation.separatedAt))
        }
    }
}

extension CustomerPair {
    /// The same with other names.
    func renaming(_ name: (CustomerID) throws -> CustomerID) rethrows -> CustomerPair {
        CustomerPair(try name(from), into: try name(into))
    }
}

extension OwnershipVote {
    fileprivate var customers: [CustomerID] {
        var customers: [CustomerID] = []
        switch kind {
        case .transfer(let customer), .erase(let customer): customers.append(customer)
        case .approve, .deny: break
        }
        if case .owner(let customer) = actor { customers.append(customer) }
        return customers
    }

    fileprivate func renaming(_ name: (CustomerID) throws -> CustomerID) rethrows -> OwnershipVote {
        let kind: Kind =
            switch self.kind {
            case .transfer(let customer): .transfer(to: try name(customer))
            case .erase(let customer): .erase(try name(customer))
            case .approve, .deny: self.kind
            }
        let actor: Actor = if case .owner(let customer) = self.actor { .owner(try name(customer)) } else { self.actor }
        return OwnershipVote(id: id, kind: kind, actor: actor, votedAt: votedAt, reason: reason)
    }
}
