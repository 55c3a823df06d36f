package import StrictJSON

/// Why a `.storekit` file cannot be sold from.
package enum CatalogueError: Error, Equatable, CustomStringConvertible {
    /// Not JSON.
    case json(JSONError)
    /// A member is missing or of the wrong type; the path says which one.
    case malformed(path: String)
    /// A price that is not digits with at most three decimals.
    case price(path: String, String)
    /// A period that is not an ISO 8601 period of days, weeks, months or years.
    case period(path: String, String)
    /// A product type or payment mode that we do not know.
    case unknownKind(path: String, String)
    /// The file's format is not one of 1 to 5.
    case unsupportedVersion(Int64)
    /// Two products with one id.
    case duplicateProduct(String)

    package var description: String {
        switch self {
        case .json(let error): "not JSON: \(error)"
        case .malformed(let path): "\(path) is missing or of the wrong type"
        case .price(let path, let text): "\(path): \(text) is not a price"
        case .period(let path, let text): "\(path): \(text) is not a period"
        case .unknownKind(let path, let text): "\(path): \(text) is not known"
        case .unsupportedVersion(let major): "format \(major) is not supported"
        case .duplicateProduct(let id): "two products have the id \(id)"
        }
    }
}
