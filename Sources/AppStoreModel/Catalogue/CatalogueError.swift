package import StrictJSON

/// Why a `.storekit` file cannot be used as a catalogue.
package enum CatalogueError: Error, Equatable, CustomStringConvertible {
    /// Not JSON.
    case json(JSONError)
    /// A member is missing, of the wrong type or of the wrong size.
    case malformed(JSONFieldError)
    /// A key that is not base64.
    case key(path: String)
    /// A price that is not digits with at most three decimals.
    case price(path: String, String)
    /// A period that is not an ISO 8601 period of days, weeks, months or years.
    case period(path: String, String)
    /// A product type or payment mode that we do not know.
    case unknownKind(path: String, String)
    /// A monthly plan of a subscription whose period is not a year.
    case monthlyPlan(path: String)
    /// The file's format is not one of 1 to 5.
    case unsupportedVersion(Int64)
    /// Two products with the same id.
    case duplicateProduct(String)

    package var description: String {
        switch self {
        case .json(let error): "not JSON: \(error)"
        case .malformed(let error): "\(error)"
        case .key(let path): "\(path): not a key in base64"
        case .price(let path, let text): "\(path): \(text) is not a price"
        case .period(let path, let text): "\(path): \(text) is not a period"
        case .unknownKind(let path, let text): "\(path): \(text) is not known"
        case .monthlyPlan(let path): "\(path): only a yearly product can be billed in twelve months"
        case .unsupportedVersion(let major): "format \(major) is not supported"
        case .duplicateProduct(let id): "two products have the id \(id)"
        }
    }
}
