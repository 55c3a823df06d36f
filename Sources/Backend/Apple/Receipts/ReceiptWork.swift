import AppStoreWire
import Ledger
import Primitives
import Storage

/// What is needed to ask Apple what a receipt is.
struct ReceiptWorkBody: Sendable, Hashable, Codable {
    /// In base64; nil once Apple has refused it.
    var receipt: String?
    /// Who claims what is in it; nil leaves it unclaimed.
    let customer: String?
    /// `purchase`, `queue` or `restore`.
    let claimAs: String
    /// Whether the client asks before it buys (OWN-18); nil, as before it could be said: no.
    var keepsIntents: Bool?
    /// Why Apple refused it, in a stable spelling: then nothing is left to do, and the device is told.
    var refused: String?

    var json: String { get throws { try StateCoding.encode(self) } }
}

/// Who claims what is in a receipt, and what their client says of it.
struct ReceiptClaim: Sendable, Hashable {
    /// Nil leaves it unclaimed.
    let customer: CustomerID?
    let kind: Claim.Kind
    /// The client asks before it buys (OWN-18): what surfaces in a receipt without that is not its customer's purchase.
    var keepsIntents = false

    init(_ customer: CustomerID?, _ kind: Claim.Kind, keepsIntents: Bool = false) {
        (self.customer, self.kind, self.keepsIntents) = (customer, kind, keepsIntents)
    }

    /// As work keeps it; nil where the kind is none, and nobody claims anything.
    init?(_ body: ReceiptWorkBody) {
        guard let kind = Claim.Kind(rawValue: body.claimAs) else { return nil }
        self.init(body.customer.map { CustomerID($0) }, kind, keepsIntents: body.keepsIntents ?? false)
    }
}

extension WorkOrder {
    /// A receipt is named by its digest, behind a prefix that no `originalTransactionId` has.
    private static func subject(of receipt: [UInt8]) -> String {
        "receipt/\(Evidence(form: .transactionReceipt, bytes: receipt).digest)"
    }

    /// Where the work about a receipt is found.
    static func key(ofReceipt receipt: [UInt8], in scope: Scope) -> SubscriptionKey {
        SubscriptionKey(scope, OriginalTransactionID(subject(of: receipt)))
    }

    /// Asks Apple what a receipt is. The same receipt of the same customer is one work, however often it is sent; another
    /// customer's is another one, so that no claim takes another's place.
    ///
    /// - Parameter kind: ``WorkKind/verifyReceipt`` where somebody waits, else ``WorkKind/verifyImportedReceipt``.
    init(
        verifying receipt: [UInt8], for claim: ReceiptClaim, as kind: WorkKind, from origin: ReceiptOrigin
    ) throws {
        let body = ReceiptWorkBody(
            receipt: StrictBase64.encodePadded(receipt), customer: claim.customer?.rawValue, claimAs: claim.kind.rawValue,
            keepsIntents: claim.keepsIntents ? true : nil)
        self.init(
            scope: origin.scope, subject: Self.subject(of: receipt),
            key: Self.key(for: claim, as: kind), kind: kind, body: try body.json, dueAt: origin.receivedAt)
    }

    static func key(for claim: ReceiptClaim, as kind: WorkKind) -> String {
        "\(kind.rawValue)/\(claim.kind.rawValue)\(claim.keepsIntents ? "+intents" : "")/\(claim.customer?.rawValue ?? "")"
    }
}

/// In whose queue a receipt stands, and since when.
struct ReceiptOrigin: Sendable {
    /// Of the host that is asked first; whose it is only Apple can say.
    let scope: Scope
    let receivedAt: Timestamp
}
