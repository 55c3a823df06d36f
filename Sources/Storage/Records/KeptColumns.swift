package import Ledger
package import Primitives

/// What the columns of a fact's row say beside its document: by them it is found, and nothing is decided by them (AUDIT-2).
package struct FactColumns: Sendable, Hashable {
    package let factKey: String
    /// Of a transaction that Apple signed by itself; nil for any other fact.
    package let transactionId: String?
    package let signedDate: Timestamp

    package init(factKey: String, transactionId: String?, signedDate: Timestamp) {
        self.factKey = factKey
        self.transactionId = transactionId
        self.signedDate = signedDate
    }

    /// What they must say.
    package init(_ fact: Fact) {
        self.init(factKey: fact.key, transactionId: fact.signedTransactionId?.rawValue, signedDate: fact.signedDate)
    }
}

extension Fact {
    /// Of which notification it says the words; nil for any other fact.
    package var notificationUUID: String? {
        if case .notice(let notice, _) = self { notice.notificationUUID } else { nil }
    }
}

/// The same of a claim.
package struct ClaimColumns: Sendable, Hashable {
    package let claimId: String
    package let customer: String
    package let claimedAt: Timestamp

    package init(claimId: String, customer: String, claimedAt: Timestamp) {
        self.claimId = claimId
        self.customer = customer
        self.claimedAt = claimedAt
    }

    /// What they must say.
    package init(_ claim: Claim) {
        self.init(claimId: claim.id.rawValue, customer: claim.customer.rawValue, claimedAt: claim.claimedAt)
    }
}

/// The same of a vote, an intent, a reservation or who is who, and of anything that was said about a customer.
package struct InputColumns: Sendable, Hashable {
    package let kind: String
    package let inputId: String
    package let recordedAt: Timestamp

    package init(kind: String, inputId: String, recordedAt: Timestamp) {
        self.kind = kind
        self.inputId = inputId
        self.recordedAt = recordedAt
    }

    /// What they must say.
    package init(_ input: CustomerInput) {
        self.init(kind: input.kind.rawValue, inputId: input.id, recordedAt: input.recordedAt)
    }
}

/// Which document is which notification's: by that it is known again (I16).
package struct NotificationRow: Sendable, Hashable {
    package let notificationUUID: String
    /// The document's number, for ``Store/evidence(_:)``.
    package let evidence: Int64

    package init(notificationUUID: String, evidence: Int64) {
        self.notificationUUID = notificationUUID
        self.evidence = evidence
    }
}

/// A notification whose document proves no fact that is kept, as that of a `TEST` does not.
package struct FactlessNotification: Sendable, Hashable {
    package let scope: Scope
    package let row: NotificationRow
    package let receivedAt: Timestamp

    package init(scope: Scope, row: NotificationRow, receivedAt: Timestamp) {
        self.scope = scope
        self.row = row
        self.receivedAt = receivedAt
    }

    /// Its place among all, by app, environment and UUID.
    package struct Place: Sendable, Hashable {
        package let scope: Scope
        package let notificationUUID: String

        package init(scope: Scope, notificationUUID: String) { (self.scope, self.notificationUUID) = (scope, notificationUUID) }
    }

    package var place: Place { Place(scope: scope, notificationUUID: row.notificationUUID) }
}

/// One object of the schema that is not as this version of Tenure makes it.
package struct SchemaDifference: Sendable, Hashable, Comparable {
    /// What it is, such as `trigger factIsNeverDeleted`.
    package let object: String
    /// How it must be; nil where it must not be there.
    package let expected: String?
    /// How it is; nil where it is not there.
    package let found: String?

    package init(object: String, expected: String?, found: String?) {
        self.object = object
        self.expected = expected
        self.found = found
    }

    /// What differs between two lists of definitions.
    ///
    /// - Parameter mayBeMore: whether an object that is not expected is a difference. An operator's own index is none, and a
    ///   trigger is.
    package static func all(
        expected: [String: String], found: [String: String], mayBeMore: (String) -> Bool
    ) -> [SchemaDifference] {
        Set(expected.keys).union(found.keys).filter {
            expected[$0] != found[$0] && (expected[$0] != nil || !mayBeMore($0))
        }.map { SchemaDifference(object: $0, expected: expected[$0], found: found[$0]) }.sorted()
    }

    package static func < (left: Self, right: Self) -> Bool { left.object < right.object }

    /// For people.
    package var words: String {
        switch (expected, found) {
        case (let expected?, nil): "\(object) is missing. It must be: \(expected)"
        case (nil, _): "\(object) must not be there"
        case (let expected?, let found?): "\(object) is: \(found). It must be: \(expected)"
        }
    }
}
