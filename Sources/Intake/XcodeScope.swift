package import AppStoreWire
import Ledger
import Primitives

/// The ids of one copy of Xcode. StoreKit Testing counts transactions from 0 on each Mac, so each certificate is a scope of its
/// own (FACT-4): its ids are prefixed with the start of its fingerprint, `xcode-1a2b3c4d-0`.
struct XcodeScope {
    private let prefix: String

    /// Nil where Apple, or a root that is none of Xcode's, vouches for the signature.
    init?(_ signer: Signer?) {
        guard let signer, signer.authority == .xcode else { return nil }
        prefix = "xcode-\(Hexadecimal.encode(signer.rootFingerprint.prefix(4)))-"
    }

    func id<Entity>(_ id: ID<Entity>) -> ID<Entity> { ID(prefix + id.rawValue) }

    func id(_ text: String) -> String { prefix + text }
}

extension TransactionFact {
    /// With the ids that count here.
    func issued(by signer: Signer?) -> TransactionFact {
        guard let scope = XcodeScope(signer) else { return self }
        var fact = self
        fact.originalTransactionId = scope.id(originalTransactionId)
        fact.transactionId = scope.id(transactionId)
        fact.webOrderLineItemId = webOrderLineItemId.map(scope.id)
        fact.appTransactionId = appTransactionId.map(scope.id)
        fact.previousOriginalTransactionId = previousOriginalTransactionId.map(scope.id)
        return fact
    }
}

extension RenewalFact {
    /// With the ids that count here.
    func issued(by signer: Signer?) -> RenewalFact {
        guard let scope = XcodeScope(signer) else { return self }
        var fact = self
        fact.originalTransactionId = scope.id(originalTransactionId)
        return fact
    }
}

extension Intake {
    /// The `appTransactionId` of an app transaction, as it is in the facts of its purchases; nil where it has none.
    package static func appTransactionId(of verified: Verified<AppTransactionPayload>) -> String? {
        verified.payload.appTransactionId.map { id in XcodeScope(verified.signer).map { $0.id(id) } ?? id }
    }
}
