/// Who may call an endpoint, and which app and customer its path names. Only a path that names a customer can be open to
/// customers.
package struct Callers<Path: PathParameters>: Sendable {
    package let kind: CallerKind
    /// The app of the path; nil where it names none.
    package let app: (@Sendable (Path) -> String)?
    /// The customer of the path; nil where it names none.
    package let customer: (@Sendable (Path) -> String)?
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
    package static var anyone: Self { Self(kind: .anyone, app: nil, customer: nil) }
}

extension Callers where Path: AppPathParameters {
    package static var apple: Self { Self(kind: .apple, app: { $0.app }, customer: nil) }
    package static var appBackend: Self { Self(kind: .appBackend, app: { $0.app }, customer: nil) }
}

extension Callers where Path: CustomerPathParameters {
    package static var customer: Self { Self(kind: .customer, app: { $0.app }, customer: { $0.customer }) }
    package static var newDevice: Self { Self(kind: .newDevice, app: { $0.app }, customer: { $0.customer }) }
    package static var appBackend: Self { Self(kind: .appBackend, app: { $0.app }, customer: { $0.customer }) }
}
