import Crypto
import Ledger
import Primitives
import Storage
import Testing

@Suite struct `The chain of audit rows` {
    private static let key = SubscriptionKey(
        app: .init("app"), environment: .production, originalTransactionId: .init("1000"))

    private static func chain(_ texts: [String], of key: SubscriptionKey = key) -> [AuditHead] {
        var head = AuditHead()
        return texts.map { text in
            head = head.followed(by: text, of: key)
            return head
        }
    }

    @Test func `AUDIT-2 A row's hash covers its text, its place, its subscription and every row before it`() {
        let heads = Self.chain(["a", "b", "c"])
        #expect(heads.map(\.sequence) == [1, 2, 3])
        // A different first row gives a different last hash, although the last row is the same.
        #expect(Self.chain(["x", "b", "c"])[2].hash != heads[2].hash)
        #expect(Self.chain(["a", "b", "x"])[2].hash != heads[2].hash)
        #expect(Self.chain(["b", "c"])[1].hash != heads[2].hash)
        #expect(Self.chain(["ab", "", "c"])[2].hash != heads[2].hash)
        let others = [
            SubscriptionKey(app: .init("app"), environment: .sandbox, originalTransactionId: .init("1000")),
            SubscriptionKey(app: .init("app2"), environment: .production, originalTransactionId: .init("1000")),
            SubscriptionKey(app: .init("app"), environment: .production, originalTransactionId: .init("1001")),
        ]
        for other in others { #expect(Self.chain(["a", "b", "c"], of: other)[2].hash != heads[2].hash) }
    }

    /// The hash as described in decision 0020, assembled by hand.
    @Test func `AUDIT-2 The hash is SHA-256 of the hash before and of each part with its length`() {
        var text = Array(repeating: UInt8(0), count: 32)
        text += Array("3:app10:Production4:10001:16:é₣".utf8)
        #expect(Self.chain(["é₣x"])[0].hash != Array(SHA256.hash(data: text)))
        let parts = Array("3:app10:Production4:10001:15:".utf8) + Array("é₣".utf8)
        #expect(Self.chain(["é₣"])[0].hash == Array(SHA256.hash(data: Array(repeating: 0, count: 32) + parts)))
    }

    @Test func `AUDIT-2 A seal's hash covers the seal before, its number, its time and every head in it`() {
        let heads = Self.chain(["a", "b"]).map { AuditSeal.Entry(.subscription(Self.key), head: $0) }
        func seal(
            _ number: Int64 = 1, at instant: Int64 = 5, heads: [AuditSeal.Entry] = [heads[1]],
            previous: [UInt8] = AuditHead().hash
        ) -> [UInt8] {
            AuditSeal(
                app: .init("app"), number: number, sealedAt: Timestamp(millisecondsSince1970: instant), heads: heads,
                previous: previous
            ).hash
        }
        let all = [
            seal(), seal(2), seal(at: 6), seal(heads: []), seal(heads: [heads[0]]), seal(heads: heads), seal(previous: seal()),
        ]
        #expect(Set(all).count == all.count)
    }
}

@Suite struct `Known arrivals` {
    private static let scope = Scope(app: .init("app"), environment: .production)

    private static func arrival(_ uuid: String?, _ id: String, in scope: Scope = scope) -> Arrival {
        let instant = Timestamp(millisecondsSince1970: 5)
        let fact = Fact.transaction(
            TransactionFact(
                originalTransactionId: .init(id), transactionId: .init(id), productId: .init("p"), purchaseDate: instant,
                signedDate: instant))
        return Arrival(
            scope: scope, evidence: nil,
            notification: uuid.map { NoticeFact(notificationUUID: $0, notificationType: "SUBSCRIBED", signedDate: instant) },
            facts: [fact], receivedAt: instant)
    }

    @Test func `RECON-0 A repeated arrival has nothing new, and the contents of a known notification are known too`() {
        var known = Known()
        #expect(known.takeNew(of: Self.arrival("u1", "1")) == Self.arrival("u1", "1"))
        #expect(known.takeNew(of: Self.arrival("u1", "1")) == nil)
        #expect(known.takeNew(of: Self.arrival("u1", "2")) == nil)
        #expect(known.takeNew(of: Self.arrival(nil, "1")) == nil)
        // Another notification about known facts is new itself, but its fact is not.
        let other = known.takeNew(of: Self.arrival("u2", "1"))
        #expect(other?.notification?.notificationUUID == "u2")
        #expect(other?.facts == [])
        let sandbox = Scope(app: .init("app"), environment: .sandbox)
        #expect(known.takeNew(of: Self.arrival("u1", "1", in: sandbox)) != nil)
    }
}
