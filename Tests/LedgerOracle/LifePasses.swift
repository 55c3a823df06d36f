/// The non-renewing subscriptions of a life: bought while others are left, several at once, and refunded whole or in part.
extension LifeWriter {
    mutating func buyPasses() {
        guard let buyer = chance.pick(customers) else { return }
        var instant = LifeWriter.begin + chance.between(0, 40 * day)
        for number in 1...Int(chance.between(1, 5)) {
            let pass = buyPass(number, by: chance.happens(80) ? buyer : chance.pick(customers) ?? buyer, at: instant)
            if chance.happens(60) { refund(pass) }
            instant += chance.between(0, chance.happens(70) ? 5 * day : 60 * day)
        }
    }

    private mutating func buyPass(_ number: Int, by buyer: LifeCustomer, at wish: Int64) -> OracleTransaction {
        let instant = purchaseInstant(wish)
        let id = "210000000000\(number)"
        var pass = OracleTransaction(
            originalTransactionId: id, transactionId: id, productId: OracleProduct.pass.id, type: .nonRenewing,
            purchaseDate: instant, reason: chance.happens(70) ? .purchase : .none,
            appAccountToken: chance.happens(40) ? buyer.token : nil, appTransactionId: shelves.first?.appTransactionId,
            signedDate: instant + chance.between(0, 5000))
        pass.quantity = chance.happens(50) ? 1 : chance.between(2, 4)
        facts.append((pass.signedDate, .transaction(pass)))
        claimPurchase(pass, by: buyer)
        return pass
    }

    /// A refund, perhaps decided again for another part or date, perhaps reversed, and perhaps made once more.
    private mutating func refund(_ pass: OracleTransaction) {
        var pass = pass
        for _ in 0...chance.below(3) {
            let instant = pass.signedDate + chance.between(hour, 30 * day)
            guard pass.revocationDate != nil, chance.happens(60) else {
                let percentages: [Int64] = (1..<pass.quantity).map { $0 * 100_000 / pass.quantity } + [20_000, 100_000, 100_000]
                pass.revocationDate = instant - chance.between(0, 3000)
                pass.revocationPercentage = chance.happens(90) ? chance.pick(percentages) : nil
                let isPartial = pass.revocationPercentage.map { $0 < 100_000 } ?? chance.happens(30)
                pass.revocationType = isPartial ? "REFUND_PRORATED" : chance.happens(70) ? "REFUND_FULL" : nil
                sign(&pass, "REFUND", at: instant)
                continue
            }
            (pass.revocationDate, pass.revocationType, pass.revocationPercentage) = (nil, nil, nil)
            sign(&pass, "REFUND_REVERSED", at: instant)
        }
    }

    private mutating func sign(_ pass: inout OracleTransaction, _ type: String, at instant: Int64) {
        pass.signedDate = instant
        facts.append((instant, .transaction(pass)))
        guard chance.happens(80) else { return }
        let notice = OracleNotice(
            originalTransactionId: pass.originalTransactionId, uuid: mint("notice-"), type: type,
            transactionId: pass.transactionId, signedDate: instant)
        facts.append((instant, .notice(notice)))
    }
}
