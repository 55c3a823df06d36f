package import Ledger
import Primitives

/// How a signal's subject and evidence are written: with the customers' numbers, so that a row says nothing of anybody once
/// nothing says whose a number is (I45).
package enum SignalCoding {
    private enum Prefix {
        static let customer = "customer/"
        static let account = "appleAccount/"
        static let subscription = "subscription/"
        static let token = "token/"
    }

    /// - Parameter number: of a customer.
    package static func encode(
        _ subject: AbuseSignal.Subject, _ number: (CustomerID) throws -> Int64
    ) rethrows -> String {
        switch subject {
        case .customer(let customer): "\(Prefix.customer)\(try number(customer))"
        case .appleAccount(let id): "\(Prefix.account)\(id)"
        case .subscription(let id): "\(Prefix.subscription)\(id)"
        case .token(let token): "\(Prefix.token)\(token.rawValue)"
        }
    }

    /// One piece of evidence.
    private struct Piece: Codable {
        let at: Int64
        let subscription: String
        var customer: Int64?
        var transaction: String?
        var claim: String?
    }

    static func encode(_ evidence: [AbuseSignal.Evidence], _ number: (CustomerID) throws -> Int64) throws -> String {
        try StateCoding.encode(
            evidence.map { evidence in
                var piece = Piece(
                    at: evidence.at.millisecondsSince1970, subscription: evidence.subscription.rawValue)
                switch evidence.what {
                case .customer(let customer, _): piece.customer = try number(customer)
                case .transaction(_, let transaction): piece.transaction = transaction.rawValue
                case .claim(_, let claim): piece.claim = claim.rawValue
                }
                return piece
            })
    }

    /// The numbers of all customers whom a row names.
    static func customers(subject: String, evidence: String) throws -> Set<Int64> {
        var numbers = Set(try StateCoding.decode([Piece].self, from: evidence).compactMap(\.customer))
        if let number = number(in: subject) { numbers.insert(number) }
        return numbers
    }

    private static func number(in subject: String) -> Int64? {
        subject.hasPrefix(Prefix.customer) ? Int64(subject.dropFirst(Prefix.customer.count)) : nil
    }

    static func subject(_ text: String, _ names: CustomerNames) throws -> AbuseSignal.Subject {
        if let number = number(in: text) { return .customer(names[number]) }
        if text.hasPrefix(Prefix.token), let token = AppAccountToken(String(text.dropFirst(Prefix.token.count))) {
            return .token(token)
        }
        func id(after prefix: String) -> OriginalTransactionID? {
            text.hasPrefix(prefix) ? OriginalTransactionID(String(text.dropFirst(prefix.count))) : nil
        }
        if let id = id(after: Prefix.account) { return .appleAccount(id) }
        if let id = id(after: Prefix.subscription) { return .subscription(id) }
        throw StorageError(.corrupt, "unknown subject of a signal")
    }

    static func evidence(_ text: String, _ names: CustomerNames) throws -> [AbuseSignal.Evidence] {
        try StateCoding.decode([Piece].self, from: text).map { piece in
            let id = OriginalTransactionID(piece.subscription)
            let what: AbuseSignal.Evidence.What
            if let customer = piece.customer {
                what = .customer(names[customer], id)
            } else if let transaction = piece.transaction {
                what = .transaction(id, TransactionID(transaction))
            } else if let claim = piece.claim {
                what = .claim(id, .init(claim))
            } else {
                throw StorageError(.corrupt, "evidence of a signal that names nothing")
            }
            return AbuseSignal.Evidence(at: Timestamp(millisecondsSince1970: piece.at), what: what)
        }
    }
}
