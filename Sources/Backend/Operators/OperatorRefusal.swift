/// Why an operator is not made, not let in, or not served. None says more to a stranger than the stranger knows.
package enum OperatorRefusal: Error, Sendable, Hashable {
    /// A member cannot be so.
    case invalid(field: String, reason: String)
    /// Somebody has the name, or had it: it stands for one person for good.
    case nameTaken(String)
    /// Nobody has the name.
    case unknown(String)
    /// The operator was ended.
    case ended(String)
    /// There are so many operators already, those that ended counted.
    case tooMany(most: Int)
    /// The link was used, is too old, or never was one.
    case linkNotGood
    /// The password has too few characters.
    case passwordTooShort(least: Int)
    /// The password has too many characters.
    case passwordTooLong(most: Int)
    /// The password is one of those that are tried first.
    case passwordTooCommon
    /// No such name, another password, or another code: which of them is not said.
    case loginRefused
    /// The code is not the present one, was used already, or is no recovery code; or the present password is another one.
    case proofRefused
    /// Too many failed before, from the address or with the name; then the right ones are taken as always.
    case tooSoon(seconds: Int64)
    /// Too many log in at this moment.
    case overloaded
    /// The configuration has no key with which secrets are kept.
    case secretKeyMissing
    /// The operator's secret was kept with another key than the configuration has.
    case secretUnreadable
    /// There is no such session, or it has ended.
    case sessionOver
    /// The second factor must be proved again for this.
    case proofNeeded
}

extension OperatorRefusal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .invalid(let field, let reason): "\(field) \(reason)."
        case .nameTaken(let name): "\(name) is an operator's name, or was; a name stands for one person for good."
        case .unknown(let name): "There is no operator \(name)."
        case .ended(let name): "The operator \(name) was ended."
        case .tooMany(let most): "There are at most \(most) operators, those that ended counted too."
        case .linkNotGood: "The link was used, or is too old. Ask for another one."
        case .passwordTooShort(let least): "A password has at least \(least) characters."
        case .passwordTooLong(let most): "A password has at most \(most) characters."
        case .passwordTooCommon: "This password is among those that are tried first: choose another one."
        case .loginRefused: "The name, the password or the code is not right."
        case .proofRefused: "That is not right. A code can be used once."
        case .tooSoon(let seconds): "Too many logins failed. Try again in \(seconds) seconds."
        case .overloaded: "Too many log in at this moment. Try again in some seconds."
        case .secretKeyMissing:
            "webhooks.secretKeys is missing in the configuration: with its key the secrets of operators are kept too."
        case .secretUnreadable: "The configuration does not have the key with which the operator's secret was kept."
        case .sessionOver: "The session has ended."
        case .proofNeeded: "Show your second factor again."
        }
    }
}
