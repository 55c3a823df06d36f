package import Ledger
import Primitives

/// How what was said about a customer is written: one input in its row, and all of them beside the customer as a cache of the
/// rows, short and quickly read, since entitlement reads pay for it.
package enum CustomerCoding {
    /// Counted up with every change of the form.
    package static let form: UInt8 = 2
    /// The form before: its deliveries have no units. Rows keep the form in which they were written.
    private static let oldForm: UInt8 = 1

    package static func encode(_ account: CustomerAccount) -> [UInt8] {
        var writer = CompactWriter(reservingCapacity: 16 + 64 * account.inputs.count)
        writer.byte(form)
        writer.list(account.inputs) { $0.customerInput($1) }
        return writer.bytes
    }

    /// Stands for an account that is put together from its rows when it is read (I45).
    package static let forgotten: [UInt8] = [0]

    /// - Parameter rebuilt: puts it together from its rows; called where it is written in a form that this version does not read.
    /// - Throws: `StorageError` with `corrupt` for anything that `encode` did not write.
    package static func decode(
        _ bytes: [UInt8], of key: CustomerKey, rebuilt: () throws -> [CustomerInput]
    ) throws -> CustomerAccount {
        var reader = CompactReader(bytes)
        let form = try reader.byte()
        guard form == Self.form || form == oldForm else { return CustomerAccount(key, try rebuilt()) }
        let inputs = try reader.list { try $0.customerInput(of: key, saysUnits: form == Self.form) }
        guard reader.isAtEnd else { throw CompactReader.damaged("something follows an account") }
        return CustomerAccount(key, inputs)
    }

    /// One input, for its row; customers stand there by their numbers (I45).
    ///
    /// - Parameter number: of a customer.
    package static func encode(_ input: CustomerInput, _ number: (CustomerID) throws -> Int64) rethrows -> [UInt8] {
        var writer = CompactWriter(reservingCapacity: 64)
        writer.byte(form)
        writer.customerInput(try input.renaming { CustomerID("\(try number($0))") })
        return writer.bytes
    }

    /// - Parameter name: of a customer's number.
    /// - Throws: `StorageError` with `corrupt` for anything that `encode` did not write.
    package static func decode(
        _ bytes: [UInt8], of key: CustomerKey, _ name: (Int64) throws -> CustomerID
    ) throws -> CustomerInput {
        var reader = CompactReader(bytes)
        let form = try reader.byte()
        guard form == Self.form || form == oldForm else { throw CompactReader.damaged("an input has an unknown form") }
        let input = try reader.customerInput(of: key, saysUnits: form == Self.form)
        guard reader.isAtEnd else { throw CompactReader.damaged("something follows an input") }
        return try input.renaming { customer in
            guard let number = Int64(customer.rawValue) else { throw CompactReader.damaged("a customer has no number") }
            return try name(number)
        }
    }

    /// A delivery, whoever it was made to: it names nobody.
    ///
    /// - Throws: `StorageError` with `corrupt` for anything else.
    package static func delivery(in bytes: [UInt8]) throws -> ConsumableDelivery {
        let anybody = CustomerKey(Scope(app: AppID(""), environment: .production), CustomerID(""))
        guard case .delivery(let delivery) = try decode(bytes, of: anybody, { _ in anybody.customer }) else {
            throw CompactReader.damaged("an input is no delivery")
        }
        return delivery
    }

    /// The numbers of the customers whom some rows name beside their own.
    package static func customers(in rows: [[UInt8]], of key: CustomerKey) throws -> Set<Int64> {
        var numbers: Set<Int64> = []
        for row in rows {
            _ = try decode(row, of: key) { number in
                numbers.insert(number)
                return key.customer
            }
        }
        return numbers
    }
}

extension CustomerInput {
    /// Everybody whom it names beside the customer whom it is about.
    package var customers: [CustomerID] {
        guard case .vote(let vote) = self, case .join(let pair) = vote.kind else { return [] }
        return [pair.from, pair.into]
    }

    /// The same with other names for those.
    fileprivate func renaming(_ name: (CustomerID) throws -> CustomerID) rethrows -> CustomerInput {
        guard case .vote(let vote) = self, case .join(let pair) = vote.kind else { return self }
        return .vote(
            CustomerVote(
                id: vote.id, kind: .join(try pair.renaming(name)), actor: vote.actor, reason: vote.reason, votedAt: vote.votedAt)
        )
    }
}

extension CustomerAccount {
    /// An account put together from its inputs, which come in any order (FACT-1).
    package init(_ key: CustomerKey, _ inputs: [CustomerInput]) {
        self.init(app: key.scope.app, environment: key.scope.environment, customer: key.customer)
        for input in inputs { _ = record(input) }
    }
}

extension CompactWriter {
    /// Without the customer, who stands beside it.
    fileprivate mutating func customerInput(_ input: CustomerInput) {
        word(input.kind.rawValue)
        switch input {
        case .vote(let vote): customerVote(vote)
        case .intent(let intent):
            text(intent.id.rawValue)
            byte(intent.isAnonymous ? 1 : 0)
            word(intent.productId.rawValue)
            instant(intent.madeAt)
        case .unlock(let unlock):
            word(unlock.kind.rawValue)
            text(unlock.content.rawValue)
            instant(unlock.unlockedAt)
        case .delivery(let delivery):
            text(delivery.transactionId.rawValue)
            instant(delivery.deliveredAt)
            optional(delivery.units) { $0.signed($1) }
        case .refusedDelivery(let refused):
            text(refused.transactionId.rawValue)
            instant(refused.refusedAt)
        case .appPurchase(let shown):
            instant(shown.purchase.originalPurchaseDate)
            optional(shown.purchase.originalApplicationVersion) { $0.text($1) }
            word(shown.purchase.environment.rawValue)
            word(shown.purchase.platform.rawValue)
            optional(shown.appTransactionId) { $0.text($1) }
            instant(shown.shownAt)
        case .consumption(let note):
            text(note.transactionId.rawValue)
            knowledge(note.knowledge)
            instant(note.notedAt)
        case .attribute(let attribute):
            text(attribute.name)
            optional(attribute.value) { $0.text($1) }
            instant(attribute.saidAt)
        }
    }

    private mutating func customerVote(_ vote: CustomerVote) {
        text(vote.id.rawValue)
        switch vote.kind {
        case .grant(let entitlement, let window):
            byte(0)
            word(entitlement.rawValue)
            self.window(window)
        case .hold(let entitlement, let window):
            byte(1)
            optional(entitlement) { $0.word($1.rawValue) }
            self.window(window)
        case .credit(let entitlement, let instant, let duration):
            byte(2)
            word(entitlement.rawValue)
            self.instant(instant)
            signed(duration.count)
        case .withdraw(let id):
            byte(3)
            text(id.rawValue)
        case .join(let pair):
            byte(4)
            word(pair.from.rawValue)
            word(pair.into.rawValue)
        case .redelivery(let transactionId):
            byte(5)
            text(transactionId.rawValue)
        }
        word(vote.actor)
        text(vote.reason)
        instant(vote.votedAt)
    }

    private mutating func window(_ window: TimeWindow) {
        instant(window.from)
        optional(window.until) { $0.instant($1) }
    }

    private mutating func knowledge(_ knowledge: ConsumptionKnowledge) {
        byte(knowledge.customerConsented ? 1 : 0)
        word(knowledge.deliveryStatus.rawValue)
        optional(knowledge.consumptionPercentage) { $0.signed($1) }
        optional(knowledge.playTime) { $0.signed($1.count) }
        optional(knowledge.accountCreatedAt) { $0.instant($1) }
        signed(Int64(knowledge.userStatus.rawValue))
    }

    private mutating func optional<Value>(_ value: Value?, _ write: (inout CompactWriter, Value) -> Void) {
        list([value].compactMap { $0 }, write)
    }
}

extension CompactReader {
    /// - Parameter saysUnits: whether a delivery says how many units it was.
    fileprivate mutating func customerInput(of key: CustomerKey, saysUnits: Bool) throws -> CustomerInput {
        let kind = try word()
        switch CustomerInput.Kind(rawValue: kind) {
        case .vote: return .vote(try customerVote())
        case .intent:
            let (id, isAnonymous) = (try text(), try byte() == 1)
            let product = ProductID(try word())
            return .intent(
                PurchaseIntent(
                    id: .init(id), customer: key.customer, isAnonymous: isAnonymous, productId: product,
                    madeAt: try instant()))
        case .unlock:
            let (kind, content) = (ContentKindID(try word()), ContentID(try text()))
            return .unlock(ContentUnlock(customer: key.customer, content: content, kind: kind, unlockedAt: try instant()))
        case .delivery:
            let transaction = TransactionID(try text())
            let deliveredAt = try instant()
            let units = saysUnits ? try list { try $0.signed() }.first : nil
            return .delivery(ConsumableDelivery(transactionId: transaction, deliveredAt: deliveredAt, units: units))
        case .refusedDelivery:
            let transaction = TransactionID(try text())
            return .refusedDelivery(RefusedDelivery(transactionId: transaction, refusedAt: try instant()))
        case .appPurchase: return .appPurchase(try appPurchase(of: key))
        case .consumption:
            let (transaction, knowledge) = (TransactionID(try text()), try knowledge())
            return .consumption(ConsumptionNote(transactionId: transaction, knowledge: knowledge, notedAt: try instant()))
        case .attribute:
            let (name, value) = (try text(), try list { try $0.text() }.first)
            return .attribute(CustomerAttribute(name: name, value: value, saidAt: try instant()))
        case nil: throw Self.damaged("an input is of an unknown kind")
        }
    }

    private mutating func appPurchase(of key: CustomerKey) throws -> ShownAppPurchase {
        let (date, version) = (try instant(), try list { try $0.text() }.first)
        guard let environment = Environment(rawValue: try word()),
            let platform = AppPurchase.Platform(rawValue: try word())
        else { throw Self.damaged("an app purchase is of an unknown environment or platform") }
        let purchase = AppPurchase(
            customer: key.customer, originalPurchaseDate: date, originalApplicationVersion: version, environment: environment,
            platform: platform)
        let id = try list { try $0.text() }.first
        return ShownAppPurchase(purchase, appTransactionId: id, shownAt: try instant())
    }

    private mutating func customerVote() throws -> CustomerVote {
        let id = try text()
        let kind: CustomerVote.Kind
        switch try byte() {
        case 0:
            let entitlement = EntitlementID(try word())
            kind = .grant(entitlement, try window())
        case 1:
            let entitlement = try list { EntitlementID(try $0.word()) }.first
            kind = .hold(entitlement, try window())
        case 2:
            let (entitlement, instant) = (EntitlementID(try word()), try instant())
            kind = .credit(entitlement, at: instant, Milliseconds(try signed()))
        case 3: kind = .withdraw(.init(try text()))
        case 4:
            let from = CustomerID(try word())
            kind = .join(CustomerPair(from, into: CustomerID(try word())))
        case 5: kind = .redelivery(TransactionID(try text()))
        default: throw Self.damaged("a vote is of an unknown kind")
        }
        let (actor, reason) = (try word(), try text())
        return CustomerVote(id: .init(id), kind: kind, actor: actor, reason: reason, votedAt: try instant())
    }

    private mutating func window() throws -> TimeWindow {
        let from = try instant()
        return TimeWindow(from: from, until: try list { try $0.instant() }.first)
    }

    private mutating func knowledge() throws -> ConsumptionKnowledge {
        let consented = try byte() == 1
        guard let delivery = ConsumptionReport.DeliveryStatus(rawValue: try word()) else {
            throw Self.damaged("a delivery has an unknown status")
        }
        var knowledge = ConsumptionKnowledge(customerConsented: consented, deliveryStatus: delivery)
        knowledge.consumptionPercentage = try list { try $0.signed() }.first
        knowledge.playTime = try list { Milliseconds(try $0.signed()) }.first
        knowledge.accountCreatedAt = try list { try $0.instant() }.first
        guard let status = Int32(exactly: try signed()).flatMap(ConsumptionReport.UserStatus.init(rawValue:)) else {
            throw Self.damaged("a customer has an unknown status")
        }
        knowledge.userStatus = status
        return knowledge
    }
}
