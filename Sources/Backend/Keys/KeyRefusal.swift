/// Why a key is not made or ended.
package enum KeyRefusal: Error, Sendable, Hashable {
    /// The app has a key of that name, or had one.
    case nameTaken(String)
    /// The app has no key of that name in the database.
    case unknown(String)
    /// The app has so many keys already.
    case tooMany(most: Int)
    /// A member cannot be so.
    case invalid(field: String, reason: String)
}

extension KeyRefusal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .nameTaken(let name): "The app has a key \(name), or had one; a name stands for one key for good."
        case .unknown(let name): "The app has no key \(name) in the database."
        case .tooMany(let most): "An app has at most \(most) keys, those that ended counted too."
        case .invalid(let field, let reason): "\(field) \(reason)."
        }
    }
}
