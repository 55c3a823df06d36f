internal import StrictJSON

/// Why the Advanced Commerce object of a signed payload could not be read.
///
/// The payload itself remains verified: only this part of it has a shape that this library does not know.
public struct AdvancedCommerceUnreadable: Error, Sendable, Hashable, CustomStringConvertible {
    /// The field that has another type, such as `items[0].price`; empty: the whole object.
    public let field: String

    /// The field in one line, without its value.
    public var description: String { field.isEmpty ? "unreadable" : "\(field): unreadable" }

    fileprivate static func read<Part: Decodable>(_ json: [UInt8]) throws(AdvancedCommerceUnreadable) -> Part {
        do throws(JSONCodingError) {
            return try StrictJSONDecoder().decode(from: json)
        } catch {
            throw AdvancedCommerceUnreadable(field: error.path)
        }
    }
}

extension AdvancedCommerceTransactionInfo {
    /// Reads what ``TransactionPayload/advancedCommerceInfo`` holds.
    ///
    /// - Throws: ``AdvancedCommerceUnreadable``.
    public init(json: [UInt8]) throws(AdvancedCommerceUnreadable) { self = try AdvancedCommerceUnreadable.read(json) }
}

extension AdvancedCommerceRenewalInfo {
    /// Reads what ``RenewalInfoPayload/advancedCommerceInfo`` holds.
    ///
    /// - Throws: ``AdvancedCommerceUnreadable``.
    public init(json: [UInt8]) throws(AdvancedCommerceUnreadable) { self = try AdvancedCommerceUnreadable.read(json) }
}
