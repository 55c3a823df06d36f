internal import AppStoreModel
internal import Crypto
internal import Primitives
internal import StrictJSON

/// Which transactions a history request asks for, and in which order.
///
/// Source: Apple, Get Transaction History, query parameters.
struct HistoryFilter: Sendable {
    private let startDate: Timestamp?
    private let endDate: Timestamp?
    private let products: Set<String>
    private let types: Set<String>
    private let groups: Set<String>
    private let ownership: String?
    private let isRevoked: Bool?
    /// By the last change.
    let order: HistoryOrder

    init(_ call: APICall) throws(APIError) {
        startDate = try Self.instant(call.value("startDate"), else: .invalidStartDate)
        endDate = try Self.instant(call.value("endDate"), else: .invalidEndDate)
        if let startDate, let endDate, startDate >= endDate { throw .startDateAfterEndDate }
        products = Set(call.values("productId"))
        types = Set(call.values("productType"))
        guard types.isSubset(of: ["AUTO_RENEWABLE", "NON_RENEWABLE", "CONSUMABLE", "NON_CONSUMABLE"]) else {
            throw .invalidProductType
        }
        groups = Set(call.values("subscriptionGroupIdentifier"))
        ownership = call.value("inAppOwnershipType")
        guard ownership.map({ StorePurchase.Ownership(rawValue: $0) != nil }) ?? true else { throw .invalidOwnership }
        isRevoked = try Self.revoked(call)
        switch call.value("sort") {
        case nil, "ASCENDING": order = .ascending
        case "DESCENDING": order = .descending
        default: throw .invalidSort
        }
    }

    private static func instant(_ text: String?, else error: APIError) throws(APIError) -> Timestamp? {
        guard let text else { return nil }
        guard let milliseconds = Int64(text), let instant = Timestamp(validating: milliseconds) else { throw error }
        return instant
    }

    /// `excludeRevoked` is the former name of `revoked`. Apple's Python library writes `True` and `False`.
    private static func revoked(_ call: APICall) throws(APIError) -> Bool? {
        if let text = call.value("revoked") {
            guard let value = Bool(text.lowercased()) else { throw .invalidRevoked }
            return value
        }
        guard let text = call.value("excludeRevoked") else { return nil }
        guard let value = Bool(text.lowercased()) else { throw .invalidExcludeRevoked }
        return value ? false : nil
    }

    func admits(_ transaction: StorePurchase, _ store: AppStore) -> Bool {
        let product = store[transaction.app].catalogue[transaction.product]
        return startDate.map { transaction.purchaseDate >= $0 } ?? true && endDate.map { transaction.purchaseDate < $0 } ?? true
            && (products.isEmpty || products.contains(product.id.rawValue))
            && (types.isEmpty || types.contains(product.kind.historyType))
            && (groups.isEmpty || product.terms.map { groups.contains($0.group.rawValue) } ?? false)
            && ownership.map { $0 == transaction.ownership.rawValue } ?? true
            && isRevoked.map { $0 == (transaction.revocation != nil) } ?? true
    }

    /// The same for each request that asks for the same.
    var parts: [String] {
        let dates = [startDate, endDate].map { $0.map { String($0.millisecondsSince1970) } ?? "" }
        let sets = [products, types, groups].map { $0.sorted().joined(separator: ",") }
        return [order.rawValue] + dates + sets + [ownership ?? "", isRevoked.map { "\($0)" } ?? ""]
    }
}

extension StoreProduct.Kind {
    /// In the spelling of `productType`.
    fileprivate var historyType: String {
        switch self {
        case .consumable: "CONSUMABLE"
        case .nonConsumable: "NON_CONSUMABLE"
        case .nonRenewingSubscription: "NON_RENEWABLE"
        case .autoRenewable: "AUTO_RENEWABLE"
        }
    }
}

/// A `revision`: how far a list of transactions was read, and a digest of the request that it goes on with.
struct HistoryRevision: Sendable, Hashable {
    let place: HistoryPlace
    private let digest: String

    /// - Parameter request: what the list is about.
    init(_ place: HistoryPlace, of request: [String]) {
        self.place = place
        digest = Self.digest(of: request)
    }

    /// The place that a request names; the beginning where it names none.
    ///
    /// - Parameter newest: the newest change that there is.
    /// - Throws: ``APIError/invalidRevision`` for a revision of another request, or one that was not given.
    static func place(in text: String?, of request: [String], upTo newest: Int64) throws(APIError) -> HistoryPlace {
        guard let text, !text.isEmpty else { return .beginning }
        guard let revision = Self(text), revision.digest == digest(of: request), revision.place.until <= newest else {
            throw .invalidRevision
        }
        return revision.place
    }

    var text: String {
        let after = place.after.map { [$0.first, $0.second] } ?? []
        let numbers = [place.since, place.until] + after
        return StrictBase64.encodeURL(Array((numbers.map { String($0) } + [digest]).joined(separator: "|").utf8))
    }

    /// Nil for a text that is none.
    private init?(_ text: String) {
        guard text.utf8.count <= 1024, let bytes = StrictBase64.decodeURL(Array(text.utf8)[...]) else { return nil }
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: "|").map(String.init)
        let numbers = parts.dropLast().compactMap { Int64($0) }
        guard let digest = parts.last, numbers.count == parts.count - 1, numbers.count == 2 || numbers.count == 4,
            numbers[0] >= 0, numbers[0] <= numbers[1]
        else { return nil }
        let after = numbers.count == 4 ? HistoryPlace.Key(numbers[2], numbers[3]) : nil
        (place, self.digest) = (HistoryPlace(since: numbers[0], until: numbers[1], after: after), digest)
    }

    private static func digest(of request: [String]) -> String {
        Hexadecimal.encode(SHA256.hash(data: Array(request.joined(separator: "|").utf8)).prefix(8))
    }
}

/// A `paginationToken` of the notification history: a place, what the list is about, and when the token was given.
struct NotificationPageToken: Sendable, Hashable {
    let place: Int
    let subject: String
    let givenAt: Timestamp
    /// Whether it had expired when it was given.
    let isDead: Bool

    var text: String {
        StrictBase64.encodeURL(Array("\(place)|\(isDead ? 1 : 0)|\(givenAt.millisecondsSince1970)|\(subject)".utf8))
    }

    init(place: Int, subject: String, givenAt: Timestamp, isDead: Bool) {
        self.place = place
        self.subject = subject
        self.givenAt = givenAt
        self.isDead = isDead
    }

    /// Nil for a text that is none.
    init?(_ text: String) {
        guard text.utf8.count <= 1024, let bytes = StrictBase64.decodeURL(Array(text.utf8)[...]) else { return nil }
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: "|", maxSplits: 3).map(String.init)
        guard parts.count == 4, let place = Int(parts[0]), place >= 0, let isDead = ["0": false, "1": true][parts[1]],
            let given = Int64(parts[2]), let givenAt = Timestamp(validating: given)
        else { return nil }
        self.init(place: place, subject: parts[3], givenAt: givenAt, isDead: isDead)
    }
}

/// The order number in the receipt that a customer gets by e-mail.
enum OrderNumber {
    /// `M`, and the transaction's number in letters and digits.
    static func text(of id: TransactionNumber) -> String { "M" + String(id.number, radix: 36, uppercase: true) }

    static func transaction(of text: String) -> TransactionNumber? {
        guard text.hasPrefix("M"), text.utf8.count <= 16, let number = Int64(text.dropFirst(), radix: 36) else { return nil }
        return TransactionNumber(String(number))
    }
}

/// What an extension request asks for.
///
/// Source: Apple, `ExtendRenewalDateRequest`.
struct ExtensionOrder: Sendable {
    let days: Int64
    let requestIdentifier: String

    init(_ object: JSONObject) throws(APIError) {
        guard let days = object["extendByDays"]?.int64, (1...90).contains(days) else { throw .invalidExtendByDays }
        guard let reason = object["extendReasonCode"]?.int64, (0...3).contains(reason) else { throw .invalidExtendReasonCode }
        guard let identifier = object["requestIdentifier"]?.string, (1...128).contains(identifier.utf8.count) else {
            throw .invalidRequestIdentifier
        }
        self.days = days
        requestIdentifier = identifier
    }
}

/// What a server says about the use of a purchase that may be refunded.
///
/// Source: Apple, `ConsumptionRequest`; of version 1's twelve numbers only the consent is read.
enum ConsumptionBody {
    static func preference(
        in object: JSONObject, isV2: Bool, kind: StoreProduct.Kind
    ) throws(APIError) -> RefundRequest.Preference? {
        guard let consented = object["customerConsented"]?.bool, consented else { throw .invalidCustomerConsented }
        guard isV2 else { return firstVersion(object["refundPreference"]?.int64) }
        guard object["sampleContentProvided"]?.bool != nil else { throw .invalidSampleContent }
        let statuses = [
            "DELIVERED", "UNDELIVERED_QUALITY_ISSUE", "UNDELIVERED_WRONG_ITEM", "UNDELIVERED_SERVER_OUTAGE", "UNDELIVERED_OTHER",
        ]
        guard let status = object["deliveryStatus"]?.string, statuses.contains(status) else { throw .invalidDeliveryStatus }
        if let percentage = object["consumptionPercentage"], !percentage.isNull {
            guard let number = percentage.int64, (0...100_000).contains(number) else { throw .generalBadRequest }
            if case .autoRenewable = kind { throw .generalBadRequest }
            guard status == "DELIVERED" || number == 0 else { throw .generalBadRequest }
        }
        guard let wish = object["refundPreference"], !wish.isNull else { return nil }
        guard let preference = wish.string.flatMap(RefundRequest.Preference.init(rawValue:)) else { throw .generalBadRequest }
        return preference
    }

    /// 1: grant, 2: decline; anything else says nothing.
    private static func firstVersion(_ number: Int64?) -> RefundRequest.Preference? {
        switch number {
        case 1: .grantFull
        case 2: .decline
        default: nil
        }
    }
}
