package import Ledger
import Primitives
import StrictJSON

/// An audit row of a customer as it stands in its column: JSON without the customer, whose number the row's hash covers beside
/// the text (I45). Members are sorted by their names; those that are nil are left out.
package enum CustomerAuditCoding {
    package static func text(of row: CustomerAuditRow) -> String {
        var json = JSONWriter(reservingCapacity: 256)
        json.object { json in
            json.member("actor", row.cause.actor)
            if let change = row.change {
                json.member("after") { $0.windows(change.after) }
                json.member("before") { $0.windows(change.before) }
                json.member("effectiveAt", change.effectiveAt.millisecondsSince1970)
                json.member("entitlement", change.entitlement.rawValue)
            }
            json.member("id", row.cause.id)
            json.optionalMember("keyName", row.cause.keyName)
            json.member("kind", row.cause.kind.rawValue)
            json.member("learnedAt", row.cause.learnedAt.millisecondsSince1970)
            json.member("recordedAt", row.cause.recordedAt.millisecondsSince1970)
            json.member("rule", row.cause.rule.rawValue)
        }
        return json.text
    }

    /// - Throws: `StorageError` with `corrupt` where the text is none of ours.
    package static func row(of text: String, _ key: CustomerKey) throws -> CustomerAuditRow {
        try StorageError.reading("an audit row of a customer", text) { fields throws(JSONFieldError) in
            var cause = CustomerAuditRow.Cause(
                try fields.named("kind"), id: try fields.requiredText("id"), rule: try fields.named("rule"),
                said: .init(
                    by: try fields.requiredText("actor"), at: try fields.instant("recordedAt"),
                    learnedAt: try fields.instant("learnedAt")))
            cause.keyName = try fields.text("keyName")
            let change: CustomerAccessChange? =
                if let entitlement = try fields.text("entitlement") {
                    CustomerAccessChange(
                        entitlement: EntitlementID(entitlement), effectiveAt: try fields.instant("effectiveAt"),
                        before: try fields.windows("before"), after: try fields.windows("after"))
                } else {
                    nil
                }
            let account = CustomerAccount(app: key.scope.app, environment: key.scope.environment, customer: key.customer)
            return CustomerAuditRow(of: account, change: change, because: cause)
        }
    }
}

/// How the events of one decision about a customer stand in their row of the outbox: one JSON object a line, without the
/// customer, whose number stands beside them.
package enum CustomerEventCoding {
    package static func encode(_ events: [CustomerEvent]) -> String { events.map(text(of:)).joined(separator: "\n") }

    private static func text(of event: CustomerEvent) -> String {
        var json = JSONWriter(reservingCapacity: 256)
        json.object { json in
            json.optionalMember("added", event.added?.count)
            json.member("effectiveAt", event.effectiveAt.millisecondsSince1970)
            json.optionalMember("entitlement", event.entitlement?.rawValue)
            json.optionalMember("from", event.pair?.from.rawValue)
            json.member("id", event.id)
            json.optionalMember("into", event.pair?.into.rawValue)
            json.member("kind", event.kind.rawValue)
            json.optionalMember("reason", event.reason)
            json.member("rule", event.rule.rawValue)
            json.optionalMember("transactionId", event.transactionId?.rawValue)
            if let window = event.window { json.member("window") { $0.window(window) } }
            if let windows = event.windows { json.member("windows") { $0.windows(windows) } }
        }
        return json.text
    }

    /// - Throws: `StorageError` with `corrupt` for anything that `encode` did not write.
    package static func decode(_ text: String, of customer: CustomerID) throws -> [CustomerEvent] {
        try text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            try StorageError.reading("an event of a customer", String(line)) { fields throws(JSONFieldError) in
                var event = CustomerEvent(
                    try fields.named("kind"), of: customer, at: try fields.instant("effectiveAt"), by: try fields.named("rule"),
                    id: try fields.requiredText("id"))
                event.entitlement = try fields.text("entitlement").map { EntitlementID($0) }
                event.added = try fields.integer("added").map { Milliseconds($0) }
                event.reason = try fields.text("reason")
                event.transactionId = try fields.text("transactionId").map { TransactionID($0) }
                if let from = try fields.text("from") {
                    event.pair = CustomerPair(CustomerID(from), into: CustomerID(try fields.requiredText("into")))
                }
                if let window = try fields.fields("window") { event.window = try window.window() }
                if fields.has("windows") { event.windows = try fields.windows("windows") }
                return event
            }
        }
    }
}

extension StorageError {
    /// What a text of ours says.
    fileprivate static func reading<Value>(
        _ what: String, _ text: String, _ read: (JSONFields) throws(JSONFieldError) -> Value
    ) throws(StorageError) -> Value {
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(Array(text.utf8), limits: JSONLimits())
        } catch {
            throw StorageError(.corrupt, "\(what) is not JSON: \(error)")
        }
        do throws(JSONFieldError) {
            return try read(try JSONFields(document.root))
        } catch {
            throw StorageError(.corrupt, "\(what) cannot be read: \(error.path)")
        }
    }
}

extension JSONWriter {
    fileprivate mutating func window(_ window: TimeWindow) {
        object { json in
            json.member("from", window.from.millisecondsSince1970)
            json.optionalMember("until", window.until?.millisecondsSince1970)
        }
    }

    fileprivate mutating func windows(_ windows: [TimeWindow]) {
        array { json in for window in windows { json.window(window) } }
    }
}

extension JSONFields {
    fileprivate func named<Value: RawRepresentable<String>>(_ name: String) throws(JSONFieldError) -> Value {
        guard let value = Value(rawValue: try requiredText(name)) else { throw error(name, expected: .text) }
        return value
    }

    fileprivate func instant(_ name: String) throws(JSONFieldError) -> Timestamp {
        Timestamp(millisecondsSince1970: try requiredInteger(name))
    }

    fileprivate func window() throws(JSONFieldError) -> TimeWindow {
        TimeWindow(from: try instant("from"), until: try integer("until").map { Timestamp(millisecondsSince1970: $0) })
    }

    fileprivate func windows(_ name: String) throws(JSONFieldError) -> [TimeWindow] {
        var windows: [TimeWindow] = []
        for fields in try list(name) ?? [] { windows.append(try fields.window()) }
        return windows
    }
}
