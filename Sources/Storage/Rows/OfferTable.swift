import Ledger
import Primitives

/// A row of `issuedOffer`.
package struct WrittenOfferIssue: WrittenRow {
    package static let table = "issuedOffer"
    /// What another signature with the same nonce changes.
    package static let changeable: Set<Column> = [.kind, .token, .transactionId, .signatures, .lastSignedAt, .keyId, .keyName]

    package enum Column: Int, StoredColumn {
        case ledger, nonce, customer, productId, kind, offerIdentifier, token, transactionId, isAllowed, issuedAt, signatures
        case lastSignedAt, keyId, keyName
    }

    private let issue: OfferIssue
    private let customer: Int64
    private let ledger: Int64

    /// - Parameter customer: the number of the customer for whom it was signed.
    package init(_ issue: OfferIssue, customer: Int64, ledger: Int64) {
        self.issue = issue
        self.customer = customer
        self.ledger = ledger
    }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .ledger: .integer(ledger)
        case .nonce: .text(issue.nonce.rawValue)
        case .customer: .integer(customer)
        case .productId: .text(issue.productId.rawValue)
        case .kind: .text(OfferKind(issue.form).rawValue)
        case .offerIdentifier: .text(issue.form.offerIdentifier)
        case .token: if case .promotionalV1(_, let token?) = issue.form { .text(token.rawValue) } else { .text(nil) }
        case .transactionId: .text(issue.form.transactionId)
        case .isAllowed: if case .introductory(let isAllowed, _) = issue.form { .bool(isAllowed) } else { .bool(nil) }
        case .issuedAt: .instant(issue.issuedAt)
        case .signatures: .integer(issue.signatures)
        case .lastSignedAt: .instant(issue.lastSignedAt)
        case .keyId: .text(issue.keyId)
        case .keyName: .text(issue.askedWith)
        }
    }
}

/// What was signed, as its row names it.
private enum OfferKind: String {
    case promotionalV1, promotionalV2, introductory

    init(_ form: OfferIssue.Form) {
        switch form {
        case .promotionalV1: self = .promotionalV1
        case .promotionalV2: self = .promotionalV2
        case .introductory: self = .introductory
        }
    }
}

/// A row of the log as it is kept, in a ledger that the reader knows by its number.
package struct FoundOfferIssue: ReadRow {
    /// Of `issuedOffer` as `issued`, beside which stands `customer` as `owner`.
    package enum Column: Int, StoredColumn {
        case nonce, customer, customerNumber, productId, kind, offerIdentifier, token, transactionId, isAllowed, issuedAt
        case signatures, lastSignedAt, keyId, keyName

        package var sql: String {
            switch self {
            case .customer: "owner.customer"
            case .customerNumber: "issued.customer"
            default: name
            }
        }
    }

    private let nonce: ID<OfferNonceEntity>
    private let customer: CustomerID
    private let productId: ProductID
    private let form: OfferIssue.Form
    private let issuedAt: Timestamp
    private let signatures: Int64
    private let lastSignedAt: Timestamp
    private let keyId: String
    private let keyName: String?

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        guard let customer = try row.customer(.customer, number: .customerNumber) else {
            throw StorageError(.corrupt, "an offer that was issued to nobody")
        }
        nonce = .init(try row.text(.nonce))
        self.customer = customer
        productId = ProductID(try row.text(.productId))
        form = try Self.form(row)
        issuedAt = try row.instant(.issuedAt)
        signatures = try row.integer(.signatures)
        lastSignedAt = try row.instant(.lastSignedAt)
        keyId = try row.text(.keyId)
        keyName = try row.optionalText(.keyName)
    }

    private static func form(_ row: NamedRow<Column, some StoredRow>) throws -> OfferIssue.Form {
        let (kind, offer) = (try row.text(.kind), try row.optionalText(.offerIdentifier))
        let transaction = try row.optionalText(.transactionId)
        switch (OfferKind(rawValue: kind), offer, transaction) {
        case (.promotionalV1, let offer?, _):
            let token = try row.optionalText(.token).map { text in
                guard let token = AppAccountToken(text) else { throw StorageError(.corrupt, "\(text) is no token") }
                return token
            }
            return .promotionalV1(offerIdentifier: offer, token: token)
        case (.promotionalV2, let offer?, _): return .promotionalV2(offerIdentifier: offer, transactionId: transaction)
        case (.introductory, _, let transaction?):
            return .introductory(isAllowed: try row.bool(.isAllowed), transactionId: transaction)
        default: throw StorageError(.corrupt, "an issued offer of kind \(kind) lacks a column")
        }
    }

    /// With the ledger's name.
    package func issue(in scope: Scope) -> OfferIssue {
        var issue = OfferIssue(.init(scope, nonce), for: customer, of: productId, form, at: issuedAt, by: keyId)
        (issue.signatures, issue.lastSignedAt, issue.askedWith) = (signatures, lastSignedAt, keyName)
        return issue
    }
}
