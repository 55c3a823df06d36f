package import Ledger
import Primitives

/// A new row of `claim`.
package struct WrittenClaim: WrittenRow {
    package static let table = "claim"

    package enum Column: Int, StoredColumn { case ledger, originalTransactionId, claimId, customer, claimedAt, decoded }

    private let claim: Claim
    private let place: SubscriptionPlace
    private let customer: Int64
    private let decoded: [UInt8]

    /// - Parameter number: of a customer.
    package init(_ claim: Claim, at place: SubscriptionPlace, number: (CustomerID) throws -> Int64) throws {
        self.claim = claim
        self.place = place
        customer = try number(claim.customer)
        decoded = try ClaimCoding.encode(claim, number)
    }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .ledger: .integer(place.ledger)
        case .originalTransactionId: .text(place.id.rawValue)
        case .claimId: .text(claim.id.rawValue)
        case .customer: .integer(customer)
        case .claimedAt: .instant(claim.claimedAt)
        case .decoded: .bytes(decoded)
        }
    }
}

/// A claim as its row has it, its customers still numbers.
package struct NumberedClaim: ReadRow {
    package enum Column: Int, StoredColumn { case decoded, claimId, customer, claimedAt }

    private let decoded: [UInt8]
    private let claimId: String
    private let customer: Int64
    private let claimedAt: Timestamp

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        decoded = try row.bytes(.decoded)
        claimId = try row.text(.claimId)
        customer = try row.integer(.customer)
        claimedAt = try row.instant(.claimedAt)
    }

    /// Claims with their customers' own ids.
    ///
    /// - Parameter names: of some numbers.
    package static func named(
        _ claims: [NumberedClaim], _ names: (Set<Int64>) throws -> CustomerNames
    ) throws -> [StoredContents.KeptClaim] {
        let numbers = try claims.reduce(into: Set<Int64>()) { numbers, claim in
            numbers.insert(claim.customer)
            numbers.formUnion(try ClaimCoding.customers(in: claim.decoded))
        }
        let names = try names(numbers)
        return try claims.map { claim in
            StoredContents.KeptClaim(
                claim: try ClaimCoding.decode(claim.decoded) { names[$0] },
                columns: ClaimColumns(
                    claimId: claim.claimId, customer: names[claim.customer].rawValue, claimedAt: claim.claimedAt))
        }
    }
}
