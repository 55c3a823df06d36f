import Ledger
import Primitives
import Storage
import Testing

@Suite struct `The stored form of facts and histories` {
    private static let texts = [
        "", "0", "01", "1", "9999999999999999999", "99999999999999999999", "2000000900000001", "Jos\u{E9}", "Jose\u{301}",
        "\u{1F48E}", "a\u{0}b", String(repeating: "x", count: 300),
    ]
    private static let instants = [Int64.min, -1, 0, 1, 1_767_225_600_000, .max].map { Timestamp(millisecondsSince1970: $0) }

    @Test func `PER-9 a delivery of before says no units, in its row and in the account`() throws {
        let key = CustomerKey(Scope(app: AppID("app"), environment: .production), CustomerID("alice"))
        func delivery(_ units: Int64?) -> CustomerInput {
            .delivery(ConsumableDelivery(transactionId: TransactionID("1"), deliveredAt: Self.instants[4], units: units))
        }
        for units in [nil, 3] as [Int64?] {
            let row = CustomerCoding.encode(delivery(units)) { _ in 7 }
            #expect(try CustomerCoding.decode(row, of: key) { _ in key.customer } == delivery(units))
            #expect(try CustomerInput.delivery(CustomerCoding.delivery(in: row)) == delivery(units))
        }
        // The form of before is the first byte, and has nothing where the units are: a list of none.
        let row = CustomerCoding.encode(delivery(nil)) { _ in 7 }
        let before = [1] + row.dropFirst().dropLast()
        #expect(try CustomerCoding.decode(before, of: key) { _ in key.customer } == delivery(nil))
        let account = CustomerCoding.encode(CustomerAccount(key, [delivery(nil)]))
        let old = try CustomerCoding.decode([1] + account.dropFirst().dropLast(), of: key) { [] }
        #expect(old == CustomerAccount(key, [delivery(nil)]))
    }

    /// A transaction with all fields, filled from `text`.
    private static func transaction(_ text: String, _ instant: Timestamp) -> TransactionFact {
        var fact = TransactionFact(
            originalTransactionId: .init(text), transactionId: .init(text), productId: .init(text), purchaseDate: instant,
            signedDate: instant)
        fact.webOrderLineItemId = text
        fact.type = .unknown(text + "?")
        fact.expiresDate = instant
        fact.transactionReason = .unknown(text + "?")
        fact.isUpgraded = true
        fact.revocation = Revocation(
            revocationDate: instant, revocationType: text, revocationReason: .min, revocationPercentage: .max)
        fact.revocation?.revokedSeatQuantity = .min
        fact.appAccountToken = AppAccountToken("a11ce000-0000-4000-8000-000000000001")
        fact.appTransactionId = text
        fact.source = .latestReceiptInfo
        fact.details.subscriptionGroupIdentifier = text
        fact.details.originalPurchaseDate = instant
        fact.details.quantity = .min
        fact.details.inAppOwnershipType = text
        fact.details.offerType = .max
        fact.details.offerIdentifier = text
        fact.details.offerDiscountType = text
        fact.details.offerPeriod = text
        fact.details.price = Milliunits(-1)
        fact.details.currency = text
        fact.details.storefront = text
        fact.details.billingPlanType = text
        fact.details.commitmentExpiresDate = instant
        return fact
    }

    private static func renewal(_ text: String, _ instant: Timestamp, _ status: Bool?) -> RenewalFact {
        var fact = RenewalFact(originalTransactionId: .init(text), signedDate: instant)
        fact.productId = .init(text)
        fact.autoRenewProductId = .init(text)
        fact.autoRenewStatus = status
        fact.isInBillingRetryPeriod = status != true
        fact.gracePeriodExpiresDate = instant
        fact.expirationIntent = 1
        fact.renewalDate = instant
        fact.priceIncreaseStatus = -1
        fact.offerType = 3
        fact.offerIdentifier = text
        fact.offerDiscountType = text
        fact.offerPeriod = text
        fact.source = .transactionReceipt
        fact.appAccountToken = AppAccountToken("a11ce000-0000-4000-8000-000000000001")
        fact.renewalPrice = Milliunits(.min)
        fact.currency = text
        return fact
    }

    private static func facts(_ text: String, _ instant: Timestamp) -> [Fact] {
        var notice = NoticeFact(notificationUUID: text, notificationType: text, subtype: text, status: 5, signedDate: instant)
        notice.transactionId = .init(text)
        notice.consumptionRequestReason = text
        notice.revocation = transaction(text, instant).revocation
        let bare = TransactionFact(
            originalTransactionId: .init(text), transactionId: .init(text), productId: .init(text), purchaseDate: instant,
            signedDate: instant)
        return [
            .transaction(transaction(text, instant)), .transaction(bare),
            .renewal(RenewalFact(originalTransactionId: .init(text), signedDate: instant)), .notice(notice, about: .init(text)),
            .notice(NoticeFact(notificationUUID: "u", notificationType: "T", signedDate: instant), about: .init("1")),
            .status(StatusFact(.max, signedDate: instant), about: .init(text)),
            .status(StatusFact(2, signedDate: instant), about: .init("1")),
            .failedQuestion(FailedQuestion(askedAt: instant, reason: text, isRetryable: false), about: .init(text)),
            .failedQuestion(FailedQuestion(askedAt: instant, reason: text), about: .init(text)),
        ] + [nil, true, false].map { .renewal(renewal(text, instant, $0)) }
    }

    @Test(arguments: texts)
    func `A fact is read back unchanged, whatever its content and dates`(_ text: String) throws {
        for instant in Self.instants {
            for fact in Self.facts(text, instant) {
                let bytes = FactCoding.encode(fact)
                let back = try FactCoding.decode(bytes)
                #expect(back == fact)
                // `==` of texts would treat two encodings of one letter as equal.
                #expect(FactCoding.encode(back) == bytes)
            }
        }
    }

    @Test(arguments: texts)
    func `A history is read back unchanged`(_ text: String) throws {
        let history = Self.history(text)
        let bytes = HistoryCoding.encode(history)
        let back = try Self.decode(bytes, history.key)
        #expect(back == history)
        #expect(HistoryCoding.encode(back) == bytes)
    }

    private static func history(_ text: String) -> SubscriptionHistory {
        let key = SubscriptionKey(app: .init("app"), environment: .sandbox, originalTransactionId: .init(text))
        var history = SubscriptionHistory(key: key)
        for instant in instants.dropFirst(2).dropLast() {
            for fact in facts(text, instant) { _ = history.record(fact) }
            let claimant = Claimant(.init(text), isAnonymous: true, othersServed: [.init("other" + text), .init("alice")])
            let claim = Claim(
                id: .init("\(text)\(instant)"), customer: claimant, kind: .queue, transaction: transaction(text, instant),
                productId: .init(text), claimedAt: instant)
            _ = history.record(claim)
            for (index, kind) in [OwnershipVote.Kind.transfer(to: .init(text)), .approve(claim.id), .deny(claim.id)].enumerated()
            {
                let actors: [OwnershipVote.Actor] = [.operatorOfTenure(text), .owner(.init(text))]
                _ = history.record(
                    OwnershipVote(
                        id: .init("\(index)\(instant)"), kind: kind, actor: actors[index % 2], votedAt: instant, reason: text))
            }
            _ = history.record(CustomerMerge(anonymous: .init(text), identified: .init("alice"), mergedAt: instant))
            _ = history.record(toldUntil: instant)
            _ = history.record(unannounced: [.productAndSecond(.init(text), instant), .webOrderLineItem(text)])
            _ = history.record(
                PurchaseIntent(
                    id: .init(text), customer: .init(text), isAnonymous: true, productId: .init(text), madeAt: instant))
            _ = history.record(Reservation(id: .init(text), customer: .init(text), isAnonymous: true, reservedAt: instant))
            _ = history.record(ClaimRepetition(of: .init(text), count: 3, lastAt: instant))
        }
        if let token = AppAccountToken("a11ce000-0000-4000-8000-000000000001") {
            _ = history.record(
                TokenRegistration(
                    token: token, customer: .init(text), isAnonymous: true, registeredAt: Timestamp(millisecondsSince1970: 7)))
            _ = history.record(
                TokenRegistration(
                    token: token, customer: .init("other"), registeredAt: Timestamp(millisecondsSince1970: -7), isVouched: true,
                    wasBorneBefore: true))
        }
        return history
    }

    @Test func `A history of another form is rebuilt from its rows, and what was reported of it stays reported`() throws {
        let history = Self.history("1")
        var bytes = HistoryCoding.encode(history)
        bytes[0] &+= 1
        // In another form all other content is encoded differently.
        bytes.append(0xFF)
        let back = try HistoryCoding.decode(bytes, of: history.key) { SubscriptionHistory(key: history.key) }
        #expect(back.untold == SubscriptionHistory(key: history.key))
        #expect(back.toldUntil == history.toldUntil && back.toldUntil != nil)
        #expect(back.repetitions == history.repetitions && !back.repetitions.isEmpty)
        #expect(back.unannounced == history.unannounced && !back.unannounced.isEmpty)
        let forgetting = try HistoryCoding.forgetting(HistoryCoding.encode(history))
        for bytes in [forgetting, try HistoryCoding.forgetting(forgetting)] {
            let back = try HistoryCoding.decode(bytes, of: history.key) { SubscriptionHistory(key: history.key) }
            #expect(back.toldUntil == history.toldUntil && back.repetitions == history.repetitions)
            #expect(back.unannounced == history.unannounced)
        }
    }

    private struct NotRead: Error {}

    private static func decode(_ bytes: [UInt8], _ key: SubscriptionKey) throws -> SubscriptionHistory {
        try HistoryCoding.decode(bytes, of: key) { throw NotRead() }
    }

    @Test func `Damaged bytes are an error or another history, and never end the process`() throws {
        let history = Self.history("plus.monthly")
        let bytes = HistoryCoding.encode(history)
        var refused = 0
        for index in bytes.indices {
            for change in [UInt8(1), 0x80, 0xFF] {
                var damaged = bytes
                damaged[index] ^= change
                if Self.isRefused(damaged, history.key) { refused += 1 }
            }
            #expect(Self.isRefused(Array(bytes[..<index]), history.key) || index == 0 || bytes[index] == 0)
        }
        #expect(refused > bytes.count)
        #expect(Self.isRefused([2, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F], history.key))
    }

    private static func isRefused(_ bytes: [UInt8], _ key: SubscriptionKey) -> Bool {
        do {
            _ = try decode(bytes, key)
            return false
        } catch {
            return error is NotRead || (error as? StorageError)?.code == .corrupt
        }
    }
}
