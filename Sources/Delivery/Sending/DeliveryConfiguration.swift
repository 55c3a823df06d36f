package import Primitives

/// How receivers are reached. The defaults are for production.
package struct DeliveryConfiguration: Sendable, Hashable {
    /// How long establishing a connection may take, TLS included.
    package var connectTimeout = Milliseconds.seconds(5)
    /// How long one attempt may take in all, the look-up of the name and the whole answer included.
    package var deadline = Milliseconds.seconds(20)
    /// After how long a name is looked up and checked again. Until then connections go to the addresses that were checked,
    /// whatever the name means elsewhere by now.
    package var recheckAfter = Milliseconds.minutes(1)
    /// How long an unused connection is kept.
    package var idleTimeout = Milliseconds.seconds(30)
    /// How many connections to one endpoint are used at the same time; further parcels wait for one, at most ``connectTimeout``.
    package var connectionsPerEndpoint = 64
    /// For how many endpoints connections are kept. For one more, those of the endpoint that was used longest ago are closed.
    package var endpoints = 256
    /// Certificates that are trusted beside the system's roots: each one certificate in DER, or text with any number in PEM.
    package var additionalRoots: [[UInt8]] = []

    /// The defaults.
    package init() {}
}

/// What keeps a courier from being made.
package enum DeliveryConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The element of ``DeliveryConfiguration/additionalRoots`` at this place, from 0, is not a certificate.
    case rootUnreadable(Int)

    /// One line.
    package var description: String {
        switch self {
        case .rootUnreadable(let place): "additional root \(place + 1) for webhooks is not a certificate in DER or PEM"
        }
    }
}
