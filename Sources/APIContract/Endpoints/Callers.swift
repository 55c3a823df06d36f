package import Primitives

/// Who may call an endpoint, with which scope of their key, and which app and customer its path names. Only a path that names a
/// customer can be open to customers. Where a key is asked for there is a scope: nothing else can be written.
package struct Callers<Path: PathParameters>: Sendable {
    package let kind: CallerKind
    /// What the key must be allowed to do; nil where none is asked for.
    package let scope: KeyScope?
    /// The app of the path; nil where it names none.
    package let app: (@Sendable (Path) -> String)?
    /// The customer of the path; nil where it names none.
    package let customer: (@Sendable (Path) -> String)?

    /// Only for what this file says of each kind.
    fileprivate init(
        _ kind: CallerKind, _ scope: KeyScope?, app: (@Sendable (Path) -> String)? = nil,
        customer: (@Sendable (Path) -> String)? = nil
    ) {
        (self.kind, self.scope, self.app, self.customer) = (kind, scope, app, customer)
    }
}

/// Who may call.
package enum CallerKind: String, Sendable, Hashable, CaseIterable {
    /// Anyone, without a key.
    case anyone
    /// Apple, without a key: the signature is the proof.
    case apple
    /// The customer of the path, with the public key and a customer token, or the app's backend.
    case customer
    /// The app's backend alone, with the secret server key.
    case appBackend
    /// Whoever has the public key, for an id that is still free; or the app's backend.
    case newDevice
}

extension Callers {
    package static var anyone: Self { Self(.anyone, nil) }
}

extension Callers where Path: AppPathParameters {
    package static var apple: Self { Self(.apple, nil, app: { $0.app }) }
    package static func appBackend(_ scope: KeyScope) -> Self { Self(.appBackend, scope, app: { $0.app }) }
}

extension Callers where Path: CustomerPathParameters {
    package static func customer(_ scope: KeyScope) -> Self {
        Self(.customer, scope, app: { $0.app }, customer: { $0.customer })
    }
    package static func newDevice(_ scope: KeyScope) -> Self {
        Self(.newDevice, scope, app: { $0.app }, customer: { $0.customer })
    }
    package static func appBackend(_ scope: KeyScope) -> Self {
        Self(.appBackend, scope, app: { $0.app }, customer: { $0.customer })
    }
}
