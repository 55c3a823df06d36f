package import Ledger
import Primitives
import StrictJSON

/// How a holding is written for entitlement reads: one flat JSON array, read without Foundation, since every read of access pays
/// for it.
///
/// `[originalTransactionId, autoRenewStatus, autoRenewProductId, [[from, until, productId, kind, endsBecause], …], [[productId,
/// transactionId, purchaseDate, expiresDate, takenBackAt, quantity, type], …], [[from, autoRenewStatus, autoRenewProductId,
/// priceIncreaseStatus, expirationIntent], …]]`; the lists of credited periods and of Apple's words about renewals are left out
/// where nothing follows and they are empty. The second and third element are the last word's. A span in which periods are
/// joined, or whose period began before it, has a sixth element: how many milliseconds after the start before it, or after
/// `from`, each of them began.
package enum HoldingCoding {
    /// The one text for a holding.
    package static func encode(_ holding: Holding) -> String {
        var writer = JSONWriter(reservingCapacity: 96 + 64 * holding.spans.count)
        writer.array { writer in
            writer.string(holding.originalTransactionId.rawValue)
            if let renews = holding.autoRenewStatus { writer.bool(renews) } else { writer.null() }
            if let product = holding.autoRenewProductId { writer.string(product.rawValue) } else { writer.null() }
            writer.array { writer in
                for span in holding.spans { encode(span, &writer) }
            }
            guard !holding.credited.isEmpty || !holding.words.isEmpty else { return }
            writer.array { writer in
                for period in holding.credited { encode(period, &writer) }
            }
            guard !holding.words.isEmpty else { return }
            writer.array { writer in
                for word in holding.words { encode(word, &writer) }
            }
        }
        return writer.text
    }

    private static func encode(_ word: RenewalWord, _ writer: inout JSONWriter) {
        writer.array { writer in
            writer.integer(word.from.millisecondsSince1970)
            if let renews = word.autoRenewStatus { writer.bool(renews) } else { writer.null() }
            if let product = word.autoRenewProductId { writer.string(product.rawValue) } else { writer.null() }
            guard word.priceIncreaseStatus != nil || word.expirationIntent != nil else { return }
            for number in [word.priceIncreaseStatus, word.expirationIntent] {
                if let number { writer.integer(number) } else { writer.null() }
            }
        }
    }

    private static func encode(_ period: CreditedPeriod, _ writer: inout JSONWriter) {
        writer.array { writer in
            writer.string(period.productId.rawValue)
            writer.string(period.transactionId.rawValue)
            writer.integer(period.purchaseDate.millisecondsSince1970)
            for instant in [period.expiresDate, period.takenBackAt] {
                if let instant { writer.integer(instant.millisecondsSince1970) } else { writer.null() }
            }
            writer.integer(period.quantity)
            writer.string(period.type.rawValue)
        }
    }

    private static func encode(_ span: AccessSpan, _ writer: inout JSONWriter) {
        writer.array { writer in
            writer.integer(span.from.millisecondsSince1970)
            if let until = span.until { writer.integer(until.millisecondsSince1970) } else { writer.null() }
            writer.string(span.productId.rawValue)
            writer.string(span.kind.rawValue)
            writer.string(span.endsBecause.rawValue)
            guard !span.periodStarts.isEmpty else { return }
            writer.array { writer in
                var last = span.from
                for start in span.periodStarts {
                    writer.integer(start.millisecondsSince1970 &- last.millisecondsSince1970)
                    last = start
                }
            }
        }
    }

    /// The holding of a text that `encode` wrote.
    ///
    /// - Throws: `StorageError` with `corrupt` for anything else.
    package static func decode(_ text: String) throws -> Holding { try decode(Array(text.utf8)) }

    /// The same from the text's UTF-8, without making a string of it.
    package static func decode(_ utf8: [UInt8]) throws -> Holding {
        do throws(JSONError) {
            let document = try JSONDocument(utf8)
            guard let holding = holding(of: document.root) else { throw JSONError(.unexpectedCharacter, at: 0) }
            return holding
        } catch {
            throw StorageError(.corrupt, "a holding cannot be read", underlying: error)
        }
    }

    private static func holding(of value: JSONValue) -> Holding? {
        guard let array = value.array, (4...6).contains(array.count) else { return nil }
        var fields = array.makeIterator()
        guard let id = fields.next()?.string, let status = fields.next(), let product = fields.next(),
            let spans = fields.next()?.array
        else { return nil }
        let (autoRenewStatus, autoRenewProductId) = (status.bool, product.string)
        guard status.isNull || autoRenewStatus != nil, product.isNull || autoRenewProductId != nil else { return nil }
        var decoded: [AccessSpan] = []
        decoded.reserveCapacity(spans.count)
        for element in spans {
            guard let span = span(of: element) else { return nil }
            decoded.append(span)
        }
        var credited: [CreditedPeriod] = []
        if let periods = fields.next() {
            guard let list = periods.array else { return nil }
            for element in list {
                guard let period = period(of: element) else { return nil }
                credited.append(period)
            }
        }
        if let list = fields.next() {
            guard let said = list.array else { return nil }
            var words: [RenewalWord] = []
            words.reserveCapacity(said.count)
            for element in said {
                guard let word = word(of: element) else { return nil }
                words.append(word)
            }
            return Holding(
                originalTransactionId: OriginalTransactionID(id), spans: decoded, words: words, credited: credited)
        }
        // Written when only the present word was kept.
        return Holding(
            originalTransactionId: OriginalTransactionID(id), spans: decoded, autoRenewStatus: autoRenewStatus,
            autoRenewProductId: autoRenewProductId.map { ProductID($0) }, credited: credited)
    }

    private static func word(of value: JSONValue) -> RenewalWord? {
        guard let array = value.array, array.count == 3 || array.count == 5 else { return nil }
        var fields = array.makeIterator()
        guard let from = fields.next()?.int64, let status = fields.next(), status.isNull || status.bool != nil,
            let product = fields.next(), product.isNull || product.string != nil
        else { return nil }
        var numbers: [Int64?] = [nil, nil]
        for index in numbers.indices {
            guard let field = fields.next() else { break }
            guard field.isNull || field.int64 != nil else { return nil }
            numbers[index] = field.int64
        }
        return RenewalWord(
            from: Timestamp(millisecondsSince1970: from), autoRenewStatus: status.bool,
            autoRenewProductId: product.string.map { ProductID($0) }, priceIncreaseStatus: numbers[0],
            expirationIntent: numbers[1])
    }

    private static func period(of value: JSONValue) -> CreditedPeriod? {
        guard let array = value.array, array.count == 7 else { return nil }
        var fields = array.makeIterator()
        guard let product = fields.next()?.string, let transaction = fields.next()?.string, let purchased = fields.next()?.int64,
            let expires = fields.next(), expires.isNull || expires.int64 != nil, let taken = fields.next(),
            taken.isNull || taken.int64 != nil, let quantity = fields.next()?.int64, let type = fields.next()?.string
        else { return nil }
        return CreditedPeriod(
            productId: ProductID(product), transactionId: TransactionID(transaction),
            purchaseDate: Timestamp(millisecondsSince1970: purchased),
            expiresDate: expires.int64.map { Timestamp(millisecondsSince1970: $0) },
            takenBackAt: taken.int64.map { Timestamp(millisecondsSince1970: $0) }, quantity: quantity,
            type: ProductKind(rawValue: type))
    }

    private static func span(of value: JSONValue) -> AccessSpan? {
        guard let array = value.array, array.count == 5 || array.count == 6 else { return nil }
        var fields = array.makeIterator()
        guard let from = fields.next()?.int64, let until = fields.next(), until.isNull || until.int64 != nil,
            let product = fields.next()?.string, let kind = fields.next()?.string.flatMap(AccessSpan.Kind.init(rawValue:)),
            let end = fields.next()?.string.flatMap(AccessSpan.End.init(rawValue:))
        else { return nil }
        var span = AccessSpan(
            from: Timestamp(millisecondsSince1970: from), until: until.int64.map { Timestamp(millisecondsSince1970: $0) },
            productId: ProductID(product), kind: kind, endsBecause: end)
        if let starts = fields.next() {
            guard let list = starts.array else { return nil }
            span.periodStarts.reserveCapacity(list.count)
            var last = from
            for element in list {
                guard let after = element.int64 else { return nil }
                last &+= after
                span.periodStarts.append(Timestamp(millisecondsSince1970: last))
            }
        }
        return span
    }
}
