package import Ledger
package import Primitives

/// One version of what an app chose, as it is kept: never changed, and never taken away (OWN-17).
package struct SettingsVersion: Sendable, Hashable {
    package let app: AppID
    /// 1, 2, 3, … without gaps.
    package let number: Int64
    /// Number 1 also holds for everything before it.
    package let validFrom: Timestamp
    package let appliedAt: Timestamp
    /// Who applied it: `serve`, or the operator that the command named.
    package let actor: String
    /// Of the document, for people; content is compared as a value.
    package let digest: String
    /// As ``SettingsCoding`` writes it.
    package let document: String

    /// The next version of an app, from an instant on.
    package init(_ content: SettingsContent, of app: AppID, number: Int64, adopted adoption: Adoption) throws {
        document = try SettingsCoding.encode(content)
        digest = SettingsCoding.digest(of: document)
        self.app = app
        self.number = number
        (validFrom, appliedAt, actor) = (adoption.validFrom, adoption.appliedAt, adoption.actor)
    }

    /// From when on a version holds, and who applied it when.
    package struct Adoption: Sendable {
        let validFrom: Timestamp
        let appliedAt: Timestamp
        let actor: String

        package init(from validFrom: Timestamp, appliedAt: Timestamp, by actor: String) {
            (self.validFrom, self.appliedAt, self.actor) = (validFrom, appliedAt, actor)
        }
    }

    /// - Throws: `StorageError` with `corrupt` where the document is none of ours.
    package var version: SettingsTimeline.Version {
        get throws {
            SettingsTimeline.Version(number: number, validFrom: validFrom, content: try SettingsCoding.decode(document))
        }
    }
}

extension SettingsTimeline {
    /// What kept versions come to; nil where there are none.
    ///
    /// - Throws: `StorageError` with `corrupt` where one of them cannot be read.
    package init?(_ kept: [SettingsVersion]) throws { self.init(try kept.map { try $0.version }) }
}

/// What one customer has, and the number of the app's newest version by which it is judged; 0 where none is kept.
package struct CustomerHoldings: Sendable, Hashable {
    /// By subscription.
    package let holdings: [Holding]
    /// What was said about the customer; nil where nothing was.
    package let account: CustomerAccount?
    package let settings: Int64

    package init(holdings: [Holding], account: CustomerAccount? = nil, settings: Int64) {
        self.holdings = holdings
        self.account = account
        self.settings = settings
    }
}

/// A holding and whose it is.
package struct HeldByCustomer: Sendable, Hashable {
    package let customer: CustomerID
    package let holding: Holding

    package init(customer: CustomerID, holding: Holding) {
        self.customer = customer
        self.holding = holding
    }

    /// Its place among all, by customer and subscription.
    package struct Place: Sendable, Hashable {
        package let customer: CustomerID
        package let id: OriginalTransactionID

        package init(_ customer: CustomerID, _ id: OriginalTransactionID) {
            self.customer = customer
            self.id = id
        }
    }

    package var place: Place { Place(customer, holding.originalTransactionId) }
}
