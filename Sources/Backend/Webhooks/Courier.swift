package import Primitives

/// What one endpoint's receiver is sent: the same bytes at each attempt (I39).
package struct Parcel: Sendable, Hashable {
    /// The `webhook-id`, the same at each attempt; no `.` in it (TELL-1).
    package let id: String
    /// The very bytes that are signed and sent.
    package let body: [UInt8]
    /// `Content-Type` of the body.
    package let contentType: String
    /// Sent beside those of the signature: the endpoint's own, and what a format asks for.
    package let headers: [ParcelHeader]

    package init(id: String, body: [UInt8], contentType: String = "application/json", headers: [ParcelHeader] = []) {
        self.id = id
        self.body = body
        self.contentType = contentType
        self.headers = headers
    }
}

/// A header of a request.
package struct ParcelHeader: Sendable, Hashable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// Where parcels go, and how they are signed.
package struct ParcelTarget: Sendable, Hashable {
    /// Checked at each connection (TELL-4).
    package let url: String
    /// With which each parcel is signed, the newest first; two while an old one and a new one overlap. Empty: not signed, as a
    /// forwarded notification is (TELL-5).
    package let secrets: [SealedSecret]

    package init(url: String, secrets: [SealedSecret]) {
        self.url = url
        self.secrets = secrets
    }
}

/// A secret as it is kept: encrypted with the key of the configuration (T46).
package struct SealedSecret: Sendable, Hashable {
    package let kind: Kind
    /// The first 8 hexadecimal digits of the SHA-256 of the secret's text, by which people see which one they hold.
    package let fingerprint: String
    /// What only a courier with the key can open; text, in a form of its own.
    package let sealed: String

    /// Standard Webhooks' names of signatures; stable, they are stored.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// HMAC-SHA256, `whsec_…`.
        case v1
        /// Ed25519, `whsk_…`; the receiver has `whpk_…`.
        case v1a
    }

    package init(kind: Kind, fingerprint: String, sealed: String) {
        self.kind = kind
        self.fingerprint = fingerprint
        self.sealed = sealed
    }
}

/// A secret that was just made; its text is shown once and never kept.
package struct FreshSecret: Sendable {
    /// What the receiver needs: `whsec_…`, or the public key `whpk_…`.
    package let text: String
    package let sealed: SealedSecret

    package init(text: String, sealed: SealedSecret) {
        self.text = text
        self.sealed = sealed
    }
}

/// What became of one attempt to hand over a parcel.
package struct ParcelOutcome: Sendable, Hashable {
    package let answer: Answer
    /// How long the attempt took, on the machine's clock.
    package let took: Milliseconds

    package enum Answer: Sendable, Hashable {
        /// The receiver answered, within the limits.
        ///
        /// - Parameters:
        ///   - status: of HTTP.
        ///   - retryAfter: how long it asks us to wait, where it says so.
        ///   - beginning: the first 2 KB of the body, as text; what is not UTF-8 is replaced.
        case answered(status: Int, retryAfter: Milliseconds?, beginning: String)
        case failed(ParcelFailure, words: String)
    }

    package init(_ answer: Answer, took: Milliseconds) {
        self.answer = answer
        self.took = took
    }
}

/// Why no answer came. The spellings are stable: they are stored with attempts.
package enum ParcelFailure: String, Sendable, Hashable, CaseIterable {
    /// The address may not be asked (TELL-4).
    case addressRefused
    /// No resolver knows the name.
    case nameUnknown
    /// Nobody listens, or the network does not lead there.
    case connectionFailed
    /// The certificate was not accepted, or TLS failed otherwise.
    case tlsFailed
    /// No complete head of an answer within the time.
    case timedOut
    /// The connection ended before the answer did, or what came was not HTTP.
    case connectionLost
    /// Its secret cannot be opened: the configuration's key is missing or another one.
    case secretUnreadable
}

/// Why an address may not be an endpoint's (TELL-4).
package struct AddressRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence for whoever wrote the address.
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// Why no secret can be made.
package enum SecretRefusal: Error, Sendable, Hashable {
    /// The configuration has no key with which secrets are encrypted.
    case noKey
}

/// Signs parcels and hands them to receivers: the one way out of this server to an address that somebody else chose.
package protocol Courier: Sendable {
    /// Checks an address as it is written, before it is kept: its form, and what its name resolves to now.
    func check(_ url: String) async throws(AddressRefusal)

    /// Makes a secret for an endpoint.
    ///
    /// - Parameters:
    ///   - owner: what the secret is of, such as `app/endpoint`; it can be opened as this one's only.
    func makeSecret(_ kind: SealedSecret.Kind, of owner: String) throws(SecretRefusal) -> FreshSecret

    /// One attempt, signed anew with the machine's time. Returns within the limits, whatever the receiver does.
    ///
    /// - Parameter owner: what the target's secrets are of.
    func send(_ parcel: Parcel, to target: ParcelTarget, of owner: String) async -> ParcelOutcome
}
