package import Ledger
import Primitives

/// How a holding is written for entitlement reads, in as few bytes and as quickly read as a history, since every read of access
/// pays for it (docs/decisions/0006).
package enum HoldingCoding {
    /// Counted up with every change of the form.
    private static let form: UInt8 = 2
    /// Of before returns were lists: what is read before a new version of the rules folded it anew.
    private static let formOfOneReturn: UInt8 = 1

    /// The one form of a holding: equal holdings are equal bytes.
    package static func encode(_ holding: Holding) -> [UInt8] {
        var writer = CompactWriter(reservingCapacity: 48 + 48 * holding.spans.count)
        writer.byte(form)
        writer.text(holding.originalTransactionId.rawValue)
        writer.list(holding.spans) { $0.span($1) }
        writer.list(holding.words) { $0.renewalWord($1) }
        writer.list(holding.credited) { $0.creditedPeriod($1) }
        return writer.bytes
    }

    /// The holding that `encode` wrote.
    ///
    /// - Throws: `StorageError` with `corrupt` for anything else.
    package static func decode(_ bytes: [UInt8]) throws -> Holding {
        var reader = CompactReader(bytes)
        let form = try reader.byte()
        guard form == Self.form || form == formOfOneReturn else { throw CompactReader.damaged("a holding has an unknown form") }
        let id = OriginalTransactionID(try reader.text())
        let spans = try reader.list { try $0.span() }
        let words = try reader.list { try $0.renewalWord() }
        let credited = try reader.list { try $0.creditedPeriod(returnsAreLists: form != formOfOneReturn) }
        guard reader.isAtEnd else { throw CompactReader.damaged("something follows a holding") }
        return Holding(originalTransactionId: id, spans: spans, words: words, credited: credited)
    }
}

// Optional parts of a span, a word and a period, as bits of a byte before them.
private let hasEnd: UInt8 = 1 << 6
private let hasStarts: UInt8 = 1 << 7
private let hasProduct: UInt8 = 1 << 2
private let hasPriceIncrease: UInt8 = 1 << 3
private let hasIntent: UInt8 = 1 << 4
private let expires: UInt8 = 1 << 0
private let hasReturns: UInt8 = 1 << 1
private let isWhole: UInt8 = 1 << 0
private let isWithdrawn: UInt8 = 1 << 1
private let isOfUnits: UInt8 = 1 << 2

extension CompactWriter {
    fileprivate mutating func span(_ span: AccessSpan) {
        byte(span.kind.code | (span.until == nil ? 0 : hasEnd) | (span.periodStarts.isEmpty ? 0 : hasStarts))
        byte(span.endsBecause.code)
        word(span.productId.rawValue)
        instant(span.from)
        if let until = span.until { instant(until) }
        if !span.periodStarts.isEmpty { list(span.periodStarts) { $0.instant($1) } }
    }

    /// The lowest two bits: 0 where Apple has not said whether it renews, else 2 for no and 3 for yes.
    fileprivate mutating func renewalWord(_ word: RenewalWord) {
        byte(
            (word.autoRenewStatus.map { $0 ? 3 : 2 } ?? 0) | (word.autoRenewProductId == nil ? 0 : hasProduct)
                | (word.priceIncreaseStatus == nil ? 0 : hasPriceIncrease) | (word.expirationIntent == nil ? 0 : hasIntent))
        instant(word.from)
        if let product = word.autoRenewProductId { self.word(product.rawValue) }
        if let status = word.priceIncreaseStatus { signed(status) }
        if let intent = word.expirationIntent { signed(intent) }
    }

    fileprivate mutating func creditedPeriod(_ period: CreditedPeriod) {
        byte((period.expiresDate == nil ? 0 : expires) | (period.returns.isEmpty ? 0 : hasReturns))
        word(period.productId.rawValue)
        text(period.transactionId.rawValue)
        word(period.type.rawValue)
        instant(period.purchaseDate)
        if let date = period.expiresDate { instant(date) }
        if !period.returns.isEmpty { list(period.returns) { $0.periodReturn($1) } }
        signed(period.quantity)
    }
}

extension CompactWriter {
    fileprivate mutating func periodReturn(_ given: PeriodReturn) {
        let (flags, units): (UInt8, Int64?) =
            switch given.part {
            case .whole: (isWhole, nil)
            case .rest: (0, nil)
            case .units(let units): (isOfUnits, units)
            }
        byte(flags | (given.withdrawnAt == nil ? 0 : isWithdrawn))
        instant(given.at)
        if let date = given.withdrawnAt { instant(date) }
        if let units { signed(units) }
    }
}

extension CompactReader {
    fileprivate mutating func periodReturn() throws -> PeriodReturn {
        let flags = try byte()
        let at = try instant()
        let withdrawnAt = try flags & isWithdrawn == 0 ? nil : instant()
        let part: PeriodReturn.Part =
            try flags & isOfUnits != 0 ? .units(signed()) : flags & isWhole != 0 ? .whole : .rest
        return PeriodReturn(part, at: at, withdrawnAt: withdrawnAt)
    }

    fileprivate mutating func span() throws -> AccessSpan {
        let flags = try byte()
        guard let kind = AccessSpan.Kind(code: flags & ~(hasEnd | hasStarts)), let end = AccessSpan.End(code: try byte()) else {
            throw Self.damaged("a span has an unknown kind or end")
        }
        let product = ProductID(try word())
        let from = try instant()
        let until = try flags & hasEnd == 0 ? nil : instant()
        var span = AccessSpan(from: from, until: until, productId: product, kind: kind, endsBecause: end)
        if flags & hasStarts != 0 { span.periodStarts = try list { try $0.instant() } }
        return span
    }

    fileprivate mutating func renewalWord() throws -> RenewalWord {
        let flags = try byte()
        let status: Bool?
        switch flags & 3 {
        case 0: status = nil
        case 2: status = false
        case 3: status = true
        default: throw Self.damaged("a renewal has an unknown status")
        }
        let from = try instant()
        let product = try flags & hasProduct == 0 ? nil : ProductID(word())
        let priceIncrease = try flags & hasPriceIncrease == 0 ? nil : signed()
        return RenewalWord(
            from: from, autoRenewStatus: status, autoRenewProductId: product, priceIncreaseStatus: priceIncrease,
            expirationIntent: try flags & hasIntent == 0 ? nil : signed())
    }

    fileprivate mutating func creditedPeriod(returnsAreLists: Bool) throws -> CreditedPeriod {
        let flags = try byte()
        let product = ProductID(try word())
        let transaction = TransactionID(try text())
        let type = ProductKind(rawValue: try word())
        let purchased = try instant()
        let expiry = try flags & expires == 0 ? nil : instant()
        var returns: [PeriodReturn] = []
        if flags & hasReturns != 0 {
            returns = try returnsAreLists ? list { try $0.periodReturn() } : [PeriodReturn(.rest, at: instant())]
        }
        return CreditedPeriod(
            productId: product, transactionId: transaction, purchaseDate: purchased, expiresDate: expiry, returns: returns,
            quantity: try signed(), type: type)
    }
}

extension AccessSpan.Kind {
    private static let coded = allCases.sorted { $0.code < $1.code }

    fileprivate init?(code: UInt8) {
        guard code < Self.coded.count else { return nil }
        self = Self.coded[Int(code)]
    }

    /// From 0 on; never changed.
    fileprivate var code: UInt8 {
        switch self {
        case .paid: 0
        case .gracePeriod: 1
        case .provisional: 2
        }
    }
}

extension AccessSpan.End {
    private static let coded = allCases.sorted { $0.code < $1.code }

    fileprivate init?(code: UInt8) {
        guard code < Self.coded.count else { return nil }
        self = Self.coded[Int(code)]
    }

    /// From 0 on; never changed.
    fileprivate var code: UInt8 {
        switch self {
        case .expired: 0
        case .replaced: 1
        case .refunded: 2
        case .familySharingStopped: 3
        case .graceOver: 4
        case .noNewsFromApple: 5
        case .ownershipMoved: 6
        case .balanceUsed: 7
        case .grantEnded: 8
        case .held: 9
        case .assignmentRevoked: 10
        }
    }
}
