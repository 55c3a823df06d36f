package import Ledger

/// How the server listens; every limit is stated (T31, T32).
package struct ServerConfiguration: Sendable {
    package var host = "127.0.0.1"
    /// 0 takes any free port.
    package var port = 8080
    /// The longest body that is read, in bytes; Apple's notifications are about 21 KiB.
    package var maximumBodyBytes = 256 * 1024
    /// The bodies of all requests that are read or answered at one time, in bytes.
    package var maximumHeldBodyBytes = 32 * 1024 * 1024
    /// The longest notification V1 that is read where an app takes them, in bytes: it holds a receipt and up to 100 purchases.
    package static let longestNotificationV1 = 1024 * 1024
    /// All header fields of one request, in bytes.
    package var maximumHeaderBytes = 32 * 1024
    /// How many connections are open at once at the most; more wait in the kernel's queue.
    package var maximumConnections = 4096
    /// How many of them one peer may have, by its address (``ConnectionsPerAddress``); 0: any number.
    package var connectionsPerAddress = 512
    /// From the opening of a connection, or the end of the last request, to the end of a request's header, in seconds.
    package var headerTimeoutSeconds: Int64 = 15
    /// From the end of a request's header to the end of its body, in seconds.
    package var bodyTimeoutSeconds: Int64 = 30
    /// How long answers may wait for a peer who does not take them, in seconds.
    package var answerTimeoutSeconds: Int64 = 30
    /// How many requests of one connection may be unanswered at once; a connection with more is
    /// closed.
    package var maximumPipelinedRequests = 64
    /// How many requests with a wrong key one address may make in a minute before it is told to wait; 0: any number.
    package var wrongKeysPerMinute = 60

    package init() {}
}

/// What opens one app's doors. Secrets themselves are not here where a digest will do.
package struct AppCredentials: Sendable {
    package let app: AppID
    /// Stands in the app's binary: proves nothing about who asks, so a customer's token goes with it.
    package let publicKey: String
    /// SHA-256 of the secret server key.
    package let serverKeyDigest: [UInt8]
    /// What the app's backend and this server share to sign customer tokens; nil where the public key may not be used at all.
    package let customerTokenSecret: [UInt8]?
    /// With which keys customer tokens of others are believed; nil where none are.
    package var customerTokenKeys: CustomerTokenKeys?
    package let limits: AppLimits

    package init(
        app: AppID, publicKey: String, serverKeyDigest: [UInt8], customerTokenSecret: [UInt8]?, limits: AppLimits = AppLimits()
    ) {
        self.limits = limits
        self.app = app
        self.publicKey = publicKey
        self.serverKeyDigest = serverKeyDigest
        self.customerTokenSecret = customerTokenSecret
    }
}

/// How many requests the callers of one app may make in a minute, so that none takes the server from the others (T24, T36); 0:
/// any number. Apple's notifications need no key and do not count.
package struct AppLimits: Sendable, Hashable {
    /// With each server key.
    package var serverKeyPerMinute = 0
    /// With each public key, by all customers together.
    package var publicKeyPerMinute = 0
    /// By each customer, with the public key and a customer token.
    package var customerPerMinute = 600

    package init() {}
}
