import Foundation

/// Bodies of the legacy interfaces in Apple's published forms, with changes. Foundation writes them; it shares no code with our
/// reader.
enum LegacySample {
    /// An element of `in_app`: keys and forms as in Apple's pages; GNU date confirms that the instants are equal.
    static var inApp: [String: Any] {
        [
            "quantity": "1", "product_id": "com.example.gold.monthly", "transaction_id": "1000000419163891",
            "original_transaction_id": "1000000419163890",
            "purchase_date": "2018-07-18 07:55:15 Etc/GMT", "purchase_date_ms": "1531900515000",
            "purchase_date_pst": "2018-07-18 00:55:15 America/Los_Angeles",
            "original_purchase_date": "2018-07-18 07:55:17 Etc/GMT", "original_purchase_date_ms": "1531900517000",
            "original_purchase_date_pst": "2018-07-18 00:55:17 America/Los_Angeles",
            "expires_date": "2018-07-18 08:55:15 Etc/GMT", "expires_date_ms": "1531904115000",
            "expires_date_pst": "2018-07-18 01:55:15 America/Los_Angeles",
            "web_order_line_item_id": "1000000039541410", "is_trial_period": "true", "is_in_intro_offer_period": "false",
            "cancellation_date": "2018-07-18 08:00:00 Etc/GMT", "cancellation_date_ms": "1531900800000",
            "cancellation_reason": "1", "promotional_offer_id": "spring",
        ]
    }

    /// An element of `latest_receipt_info`, which has more fields.
    static var latest: [String: Any] {
        inApp.merging([
            "subscription_group_identifier": "20624274", "is_upgraded": "true", "in_app_ownership_type": "FAMILY_SHARED",
            "offer_code_ref_name": "autumn", "app_account_token": "7e3fb20b-4cdb-47cc-936d-99d65f608138",
        ]) { $1 }
    }

    static var renewal: [String: Any] {
        [
            "auto_renew_product_id": "com.example.gold.yearly", "product_id": "com.example.gold.monthly",
            "original_transaction_id": "1000000419163890", "auto_renew_status": "1", "expiration_intent": "2",
            "is_in_billing_retry_period": "1", "grace_period_expires_date": "2018-07-18 09:55:15 Etc/GMT",
            "grace_period_expires_date_ms": "1531907715000", "price_consent_status": "0", "price_increase_status": "1",
            "offer_code_ref_name": "winter", "promotional_offer_id": "summer",
        ]
    }

    static var appReceipt: [String: Any] {
        [
            "receipt_type": "ProductionSandbox", "adam_id": 0, "app_item_id": 7, "bundle_id": "com.example.tenure",
            "application_version": "244", "original_application_version": "1.0", "download_id": 500_935_934_584_949_200,
            "version_external_identifier": 9,
            "receipt_creation_date": "2018-07-18 07:55:17 Etc/GMT", "receipt_creation_date_ms": "1531900517000",
            "request_date": "2018-07-18 07:55:46 Etc/GMT", "request_date_ms": "1531900546430",
            "original_purchase_date": "2013-08-01 07:00:00 Etc/GMT", "original_purchase_date_ms": "1375340400000",
            "expiration_date": "2019-07-18 07:55:17 Etc/GMT", "expiration_date_ms": "1563436517000",
            "preorder_date": "2018-07-01 00:00:00 Etc/GMT", "preorder_date_ms": "1530403200000",
            "in_app": [inApp],
        ]
    }

    /// An answer of the iOS 7 style with every field that Apple documents.
    static var answer: [String: Any] {
        [
            "status": 0, "environment": "Sandbox", "receipt": appReceipt, "latest_receipt_info": [latest],
            "pending_renewal_info": [renewal], "latest_receipt": "TUlJ",
        ]
    }

    /// `receipt` of the iOS 6 style; instants with fractions of a second, as in these receipts.
    static var transactionReceipt: [String: Any] {
        [
            "original_purchase_date_pst": "2017-08-29 23:52:45 America/Los_Angeles", "purchase_date_ms": "1504144439749",
            "unique_identifier": "a063c2c321dd885642a5cddd9160e0ad8291d978", "original_transaction_id": "1000000328915948",
            "expires_date": "1504144739749", "transaction_id": "1000000329310742", "quantity": "1",
            "original_purchase_date_ms": "1504075965000", "web_order_line_item_id": "1000000036091900", "bvrs": "1",
            "unique_vendor_identifier": "B78549AC-58D4-4750-8E6F-F4CCE6138A5A",
            "expires_date_formatted_pst": "2017-08-30 18:58:59 America/Los_Angeles", "item_id": "1276511095",
            "expires_date_formatted": "2017-08-31 01:58:59 Etc/GMT", "product_id": "com.example.silver",
            "purchase_date": "2017-08-31 01:53:59 Etc/GMT", "original_purchase_date": "2017-08-30 06:52:45 Etc/GMT",
            "bid": "com.example.old", "purchase_date_pst": "2017-08-30 18:53:59 America/Los_Angeles",
            "is_trial_period": "false", "is_in_intro_offer_period": "true", "app_item_id": "774384491",
            "version_external_identifier": "827233954",
        ]
    }

    /// A subscription of the iOS 6 style that expired.
    static var expired: [String: Any] {
        [
            "status": 21006, "receipt": transactionReceipt, "latest_expired_receipt_info": transactionReceipt,
            "auto_renew_status": 0, "auto_renew_product_id": "com.example.silver", "expiration_intent": "1",
            "is_in_billing_retry_period": "0",
        ]
    }

    /// A notification of version 1 as sent until 10 March 2021, with all fields.
    static var notification: [String: Any] {
        [
            "notification_type": "DID_CHANGE_RENEWAL_STATUS", "environment": "PROD", "password": "b9ae2d1987d24d47",
            "bid": "com.example.tenure", "bvrs": "196", "auto_renew_product_id": "com.example.gold.yearly",
            "auto_renew_adam_id": "1508744966", "auto_renew_status": "false", "original_transaction_id": "1000000419163890",
            "auto_renew_status_change_date": "2018-07-18 08:00:00 Etc/GMT", "auto_renew_status_change_date_ms": "1531900800000",
            "auto_renew_status_change_date_pst": "2018-07-18 01:00:00 America/Los_Angeles", "expiration_intent": 1,
            "deprecation": "Mon, 5 Jun 2023 10:00:00 UTC", "latest_receipt": "TUlJ", "latest_expired_receipt": "TUlK",
            "latest_receipt_info": transactionReceipt, "latest_expired_receipt_info": transactionReceipt,
            "cancellation_date": "2018-07-18 08:00:00 Etc/GMT", "cancellation_date_ms": "1531900800000",
            "web_order_line_item_id": "1000000039541410",
            "unified_receipt": [
                "environment": "Production", "status": 0, "latest_receipt": "TUlL", "latest_receipt_info": [latest],
                "pending_renewal_info": [renewal],
            ] as [String: Any],
        ]
    }

    static func json(_ object: Any) -> [UInt8] {
        do {
            return Array(try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .fragmentsAllowed]))
        } catch {
            return Array("\(error)".utf8)
        }
    }

    /// `object` with the member at `path` replaced; a number in the path is an index, nil removes the member.
    static func changing(_ object: [String: Any], _ path: String..., to value: Any?) -> [String: Any] {
        change(object, path[...], value) as? [String: Any] ?? [:]
    }

    private static func change(_ value: Any, _ path: ArraySlice<String>, _ replacement: Any?) -> Any {
        guard let step = path.first else { return replacement ?? NSNull() }
        if var array = value as? [Any], let index = Int(step), array.indices.contains(index) {
            array[index] = change(array[index], path.dropFirst(), replacement)
            return array
        }
        guard var object = value as? [String: Any] else { return value }
        if path.count == 1 {
            object[step] = replacement
        } else {
            object[step] = change(object[step] ?? [String: Any](), path.dropFirst(), replacement)
        }
        return object
    }
}

/// Reproducible numbers from a seed.
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
