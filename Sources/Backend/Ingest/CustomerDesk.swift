import Ledger
import Primitives
import Storage

/// The customers that some requests are about, as they are while the requests are decided, one after the other.
struct CustomerDesk {
    private var entries: [CustomerKey: Entry] = [:]
    private var devices: [CustomerName: CustomerDevice] = [:]
    private var merges: [CustomerName: CustomerMerge] = [:]

    private struct Entry {
        let stored: StoredCustomer?
        var account: CustomerAccount
        var decisions: [CustomerDecision] = []
        var told: [CustomerEvent] = []
        var learnedAt: Timestamp?
    }

    init() {}

    /// Takes what a lock found.
    ///
    /// - Parameter keys: that were asked for.
    mutating func take(_ locked: Locked, _ keys: [CustomerKey]) {
        for key in keys where entries[key] == nil {
            let stored = locked.customers[key]
            entries[key] = Entry(stored: stored, account: stored?.account ?? CustomerAccount(key, []))
        }
        devices.merge(locked.devices) { known, _ in known }
        merges.merge(locked.merges) { known, _ in known }
    }

    /// What was said about a customer who is locked.
    func account(of key: CustomerKey) -> CustomerAccount { entries[key]?.account ?? CustomerAccount(key, []) }

    /// Whether the customer is locked.
    func isTaken(_ key: CustomerKey) -> Bool { entries[key] != nil }

    /// Whether anything was ever said about the customer.
    func isKnown(_ key: CustomerKey) -> Bool { entries[key]?.account.inputs.isEmpty == false }

    func device(of name: CustomerName) -> CustomerDevice? { devices[name] }

    /// Whom an anonymous customer turned out to be, however many merges lead there; nil where nobody else.
    func merge(of name: CustomerName) -> CustomerMerge? {
        guard var merge = merges[name] else { return nil }
        // Of merges within one transaction each leads on by itself.
        var seen: Set<CustomerID> = [name.customer]
        while seen.insert(merge.identified).inserted, let next = merges[CustomerName(name.app, merge.identified)] {
            merge = CustomerMerge(
                anonymous: name.customer, identified: next.identified, mergedAt: next.mergedAt,
                isIntoAnonymous: next.isIntoAnonymous)
        }
        return merge
    }

    mutating func put(_ device: CustomerDevice) { devices[device.name] = device }

    mutating func put(_ merge: CustomerMerge, app: AppID) { merges[CustomerName(app, merge.anonymous)] = merge }

    mutating func put(_ decision: CustomerDecision, of key: CustomerKey, learnedAt: Timestamp) {
        guard decision.changesAccount else { return }
        entries[key]?.account = decision.account
        entries[key]?.decisions.append(decision)
        entries[key]?.learnedAt = learnedAt
    }

    /// Has events told beside those of the decisions about a customer who is locked.
    mutating func tell(_ events: [CustomerEvent], of key: CustomerKey, learnedAt: Timestamp) {
        guard !events.isEmpty else { return }
        entries[key]?.told += events
        entries[key]?.learnedAt = learnedAt
    }

    /// What is to be written of them, by customer.
    var savings: [CustomerSaving] {
        entries.keys.sorted().compactMap { key in
            guard let entry = entries[key], let learnedAt = entry.learnedAt else { return nil }
            var saving = CustomerSaving(key, stored: entry.stored, decisions: entry.decisions, learnedAt: learnedAt)
            saving.told = entry.told
            return saving
        }
    }
}
