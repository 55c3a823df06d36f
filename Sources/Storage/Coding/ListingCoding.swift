package import Ledger
import Primitives

/// How what lists say of a subscription is written beside its row: a cache of its state, in as few bytes as a holding.
package enum ListingCoding {
    /// Counted up with every change of the form. What is in another form is put together again from the history.
    private static let form: UInt8 = 1

    /// The one form of it: equal ones are equal bytes. The id is the row's own.
    package static func encode(_ listed: ListedSubscription) -> [UInt8] {
        var writer = CompactWriter(reservingCapacity: 96)
        writer.byte(form)
        writer.listing(listed)
        return writer.bytes
    }

    /// - Returns: nil where it is in a form that this version does not read.
    /// - Throws: `StorageError` with `corrupt` for anything that `encode` did not write.
    package static func decode(_ bytes: [UInt8], of id: OriginalTransactionID) throws -> ListedSubscription? {
        var reader = CompactReader(bytes)
        guard try reader.byte() == form else { return nil }
        let listed = try reader.listing(of: id)
        guard reader.isAtEnd else { throw CompactReader.damaged("something follows a listing") }
        return listed
    }
}

// Which optional parts there are, as bits of the first byte; whether it renews, in two bits of the second.
private let isDated: UInt8 = 1 << 0
private let hasPeriod: UInt8 = 1 << 1
private let hasExpiry: UInt8 = 1 << 2
private let isRevoked: UInt8 = 1 << 3
private let hasOwnership: UInt8 = 1 << 4
private let hasNextProduct: UInt8 = 1 << 5
private let hasIntent: UInt8 = 1 << 6
private let isRetried: UInt8 = 1 << 7
private let serves: UInt8 = 1 << 2
private let serviceEnds: UInt8 = 1 << 3

extension CompactWriter {
    fileprivate mutating func listing(_ listed: ListedSubscription) {
        let period = listed.period
        byte(
            (listed.changedAt == nil ? 0 : isDated) | (period == nil ? 0 : hasPeriod)
                | (period?.expiresDate == nil ? 0 : hasExpiry) | (period?.revocationDate == nil ? 0 : isRevoked)
                | (period?.inAppOwnershipType == nil ? 0 : hasOwnership)
                | (listed.autoRenewProductId == nil ? 0 : hasNextProduct)
                | (listed.expirationIntent == nil ? 0 : hasIntent) | (listed.isInBillingRetryPeriod ? isRetried : 0))
        byte(
            (listed.autoRenewStatus.map { $0 ? 3 : 2 } ?? 0) | (listed.service == nil ? 0 : serves)
                | (listed.service?.until == nil ? 0 : serviceEnds))
        if let instant = listed.changedAt { self.instant(instant) }
        if let period {
            word(period.productId.rawValue)
            text(period.transactionId.rawValue)
            instant(period.purchaseDate)
            if let date = period.expiresDate { instant(date) }
            if let date = period.revocationDate { instant(date) }
            if let type = period.inAppOwnershipType { word(type) }
        }
        if let product = listed.autoRenewProductId { word(product.rawValue) }
        if let intent = listed.expirationIntent { signed(intent) }
        if let service = listed.service {
            word(service.kind.rawValue)
            word(service.endsBecause.rawValue)
            if let until = service.until { instant(until) }
        }
        list(listed.owners) { writer, owner in
            writer.byte(owner.customer == nil ? 0 : 1)
            if let customer = owner.customer { writer.word(customer.rawValue) }
            writer.instant(owner.from)
        }
    }
}

extension CompactReader {
    fileprivate mutating func listing(of id: OriginalTransactionID) throws -> ListedSubscription {
        let (parts, more) = (try byte(), try byte())
        var listed = ListedSubscription(originalTransactionId: id)
        listed.isInBillingRetryPeriod = parts & isRetried != 0
        switch more & 3 {
        case 0: listed.autoRenewStatus = nil
        case 2: listed.autoRenewStatus = false
        case 3: listed.autoRenewStatus = true
        default: throw Self.damaged("a listing has an unknown status")
        }
        if parts & isDated != 0 { listed.changedAt = try instant() }
        if parts & hasPeriod != 0 {
            let product = ProductID(try word())
            let (transaction, purchased) = (TransactionID(try text()), try instant())
            let expiry = try parts & hasExpiry == 0 ? nil : instant()
            let revoked = try parts & isRevoked == 0 ? nil : instant()
            listed.period = .init(
                productId: product, transactionId: transaction, purchaseDate: purchased, expiresDate: expiry,
                revocationDate: revoked, inAppOwnershipType: try parts & hasOwnership == 0 ? nil : word())
        }
        if parts & hasNextProduct != 0 { listed.autoRenewProductId = ProductID(try word()) }
        if parts & hasIntent != 0 { listed.expirationIntent = try signed() }
        if more & serves != 0 {
            let (kind, end) = (try word(), try word())
            guard let kind = AccessSpan.Kind(rawValue: kind), let end = AccessSpan.End(rawValue: end) else {
                throw Self.damaged("a listing has an unknown kind or end")
            }
            let until = try more & serviceEnds == 0 ? nil : instant()
            listed.service = .init(until: until, kind: kind, endsBecause: end)
        }
        listed.owners = try list { reader in
            let customer = try reader.byte() == 0 ? nil : CustomerID(reader.word())
            return .init(customer: customer, from: try reader.instant())
        }
        return listed
    }
}
