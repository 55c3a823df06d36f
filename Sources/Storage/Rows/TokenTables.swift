package import Ledger
import Primitives

/// A new row of `tokenRegistration`.
package struct WrittenRegistration: WrittenRow {
    package static let table = "tokenRegistration"

    package enum Column: Int, StoredColumn {
        case app, token, customer, isAnonymous, registeredAt, isVouched, wasBorneBefore, keyName
    }

    private let registration: TokenRegistration
    private let customer: Int64
    private let app: AppID
    private let keyName: String?

    /// - Parameters:
    ///   - customer: the number of the customer that it names.
    ///   - keyName: of the key with which it was said; nil where none was shown.
    package init(_ registration: TokenRegistration, customer: Int64, app: AppID, keyName: String?) {
        self.keyName = keyName
        self.registration = registration
        self.customer = customer
        self.app = app
    }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .app: .text(app.rawValue)
        case .token: .text(registration.token.rawValue)
        case .customer: .integer(customer)
        case .isAnonymous: .bool(registration.isAnonymous)
        case .registeredAt: .instant(registration.registeredAt)
        case .isVouched: .bool(registration.isVouched)
        case .wasBorneBefore: .bool(registration.wasBorneBefore)
        case .keyName: .text(keyName)
        }
    }
}

/// What was said of whose a token is, with the app that said it.
package struct StoredRegistration: Sendable, Hashable {
    package let app: AppID
    package let registration: TokenRegistration
    /// The name of the key with which it was said; nil where none was shown.
    package let keyName: String?

    package var name: TokenName { TokenName(app: app, token: registration.token) }
}

extension StoredRegistration: ReadRow {
    /// Of `tokenRegistration` as `said`, beside which stands `customer` as `owner`.
    package enum Column: Int, StoredColumn {
        case app, token, customer, isAnonymous, registeredAt, isVouched, wasBorneBefore, customerNumber, keyName

        package var sql: String {
            switch self {
            case .app: "said.app"
            case .customer: "owner.customer"
            case .customerNumber: "said.customer"
            default: name
            }
        }
    }

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        guard let token = AppAccountToken(try row.text(.token)) else {
            throw StorageError(.corrupt, "a token that is not a UUID")
        }
        guard let customer = try row.customer(.customer, number: .customerNumber) else {
            throw StorageError(.corrupt, "a registration without a customer")
        }
        app = AppID(try row.text(.app))
        registration = TokenRegistration(
            token: token, customer: customer, isAnonymous: try row.bool(.isAnonymous),
            registeredAt: try row.instant(.registeredAt), isVouched: try row.bool(.isVouched),
            wasBorneBefore: try row.bool(.wasBorneBefore))
        keyName = try row.optionalText(.keyName)
    }
}

/// A new row of `tokenOfSubscription`: the subscription has a transaction that bears the token.
package struct WrittenBearer: WrittenRow {
    package static let table = "tokenOfSubscription"

    package enum Column: Int, StoredColumn { case app, token, ledger, originalTransactionId }

    private let name: TokenName
    private let place: SubscriptionPlace

    package init(of name: TokenName, at place: SubscriptionPlace) {
        self.name = name
        self.place = place
    }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .app: .text(name.app.rawValue)
        case .token: .text(name.token.rawValue)
        case .ledger: .integer(place.ledger)
        case .originalTransactionId: .text(place.id.rawValue)
        }
    }
}
