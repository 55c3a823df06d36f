import AppStoreWire
import Foundation
import Primitives
import StrictJSON

extension Harness {
    /// Compares a payload that was accepted with what the general reader reads.
    static func compare(_ payload: TransactionPayload, _ json: [UInt8]) {
        let object: [String: Any]
        do {
            object = try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any] ?? [:]
        } catch {
            if !"\(error)".contains("not representable") { violated("Foundation refuses what was accepted: \(error)") }
            return
        }
        if hasByteOrderMark(json) { return }
        let texts: [(String, String?)] = [
            ("transactionId", payload.transactionId), ("originalTransactionId", payload.originalTransactionId),
            ("webOrderLineItemId", payload.webOrderLineItemId), ("bundleId", payload.bundleId), ("productId", payload.productId),
            ("type", payload.type.rawValue), ("appAccountToken", payload.appAccountToken?.rawValue),
            ("inAppOwnershipType", payload.inAppOwnershipType?.rawValue), ("environment", payload.environment.rawValue),
            ("storefront", payload.storefront), ("currency", payload.currency), ("offerPeriod", payload.offerPeriod),
            ("appTransactionId", payload.appTransactionId),
        ]
        for (name, text) in texts where object[name] as? String != text { violated("\(name) has another text") }
        let numbers: [(String, Int64?)] = [
            ("quantity", payload.quantity), ("price", payload.price?.count), ("offerType", payload.offerType?.rawValue),
            ("revocationReason", payload.revocationReason?.rawValue), ("revocationPercentage", payload.revocationPercentage),
        ]
        for (name, number) in numbers where (object[name] as? NSNumber)?.int64Value != number {
            violated("\(name) has another number")
        }
        let instants: [(String, Timestamp?)] = [
            ("purchaseDate", payload.purchaseDate), ("expiresDate", payload.expiresDate), ("signedDate", payload.signedDate),
            ("originalPurchaseDate", payload.originalPurchaseDate), ("revocationDate", payload.revocationDate),
        ]
        for (name, instant) in instants {
            let number = object[name] as? NSNumber
            let floored = number.map { Int64($0.doubleValue.rounded(.down)) }
            if floored != instant?.millisecondsSince1970 { violated("\(name) has another instant") }
        }
        if (object["isUpgraded"] as? NSNumber)?.boolValue != payload.isUpgraded { violated("isUpgraded has another value") }
    }

    /// Whether the document contains an unescaped byte order mark. Foundation drops one at the start of each run of characters
    /// between escapes; RFC 8259 has no such exception and the strict reader keeps it, so their texts differ.
    static func hasByteOrderMark(_ json: [UInt8]) -> Bool {
        json.indices.contains { json[$0...].starts(with: [0xEF, 0xBB, 0xBF]) }
    }

    /// Whether both readers read the same value. Numbers with a fraction or an exponent are only known to be numbers.
    static func same(_ value: JSONValue, _ other: Any) -> Bool {
        if value.isNull { return other is NSNull }
        if let bool = value.bool { return (other as? NSNumber)?.boolValue == bool }
        if let text = value.string {
            return (other as? String).map { $0.unicodeScalars.elementsEqual(text.unicodeScalars) } == true
        }
        if let integer = value.int64 { return (other as? NSNumber)?.int64Value == integer }
        if let array = value.array {
            guard let others = other as? [Any], others.count == array.count else { return false }
            return zip(array, others).allSatisfy { same($0, $1) }
        }
        if let object = value.object {
            // Foundation's dictionary treats canonically equivalent names as one; ours does not.
            guard let others = other as? [String: Any], others.count <= object.count else { return false }
            if others.count < object.count { return true }
            return object.allSatisfy { member in others[member.name].map { same(member.value, $0) } ?? false }
        }
        return other is NSNumber
    }
}
