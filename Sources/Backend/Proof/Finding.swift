package import Ledger
import Primitives
import Storage

/// Something in the books that is not as it must be.
package struct Finding: Sendable, Hashable {
    package let kind: Kind
    /// The subscription; nil where it is about none.
    package let subscription: SubscriptionKey?
    /// What exactly, for people: numbers of rows, keys of facts; no receipts and no customers.
    package let words: String

    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// An audit row was changed, or one before it is missing (AUDIT-2).
        case auditRowChanged
        /// The chain ends elsewhere than the subscription or a seal says (AUDIT-2).
        case auditChainCut
        /// A seal does not follow from the one before, or from what it seals (AUDIT-2).
        case sealBroken
        /// The schema is not as this version of Tenure makes it: a trigger, a constraint or a table is another or is gone (T53).
        case schemaDiffers
        /// What the database itself finds broken in its file.
        case databaseDamaged
        /// What stands beside a document says something else than the document (AUDIT-2).
        case columnsDiffer
        /// A notification that was kept is not in the list by which it is known again, or the list says something else of it, or
        /// nothing proves it (I16).
        case notificationDiffers
        /// A document is there that nothing names: the row that did was deleted.
        case documentUnused
        /// A fact's evidence proves it no more: it was changed, or its signer is distrusted now (I14).
        case factUnproven
        /// A fact's evidence proves something else than what is kept (I14).
        case factDiffers
        /// What is kept of the history is not what the facts, claims and registrations come to (I13).
        case historyDiffers
        /// Owners are not what the history comes to (I13).
        case ownersDiffer
        /// What customers have is not what the history comes to (I13).
        case holdingsDiffer
        /// Names of periods are not what the history comes to (I13).
        case periodsDiffer
        /// What lists say of a subscription is not what the history comes to (I13).
        case listingDiffers
        /// What is kept of a customer's account is not what was said about the customer comes to (I13).
        case accountDiffers
        /// An audit row names a customer by a number of which nothing is kept, not even that the customer was erased (I45).
        case customerMissing
        /// What shows a signal of abuse is not in the books (ABUSE-1).
        case signalDiffers
        /// It cannot be read.
        case unreadable
    }

    package init(_ kind: Kind, _ subscription: SubscriptionKey?, _ words: String) {
        self.kind = kind
        self.subscription = subscription
        self.words = words
    }

    /// About a customer it names only the number.
    init(_ kind: Kind, about subject: ChainSubject, _ words: String) {
        switch subject {
        case .subscription(let key): self.init(kind, key, words)
        case .customer(let scope, let number):
            self.init(kind, nil, "customer number \(number) of \(scope.app) \(scope.environment.rawValue): \(words)")
        }
    }
}
