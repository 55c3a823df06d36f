public import Foundation

#if canImport(CryptoKit)
    import CryptoKit
#else
    import Crypto
#endif

extension Tenure {
    /// What an app says once.
    public struct Configuration: Sendable {
        /// The server's address, with the prefix in front of `/api/v1` if it has one.
        public var server: URL
        /// The app's id in the server's configuration.
        public var app: String
        /// The app's public key: it is part of the app, and proves nothing.
        public var publicKey: String
        /// The App Store of this device: `StoreKitStore` of `TenureStoreKit`, or one of a test's own.
        public var store: any DeviceStore
        /// A folder of this app's own, such as one in Application Support.
        public var folder: URL
        /// With which keys signed answers are verified (ENT-10).
        public var answerKeys = AnswerKeys.none
        /// Whether nothing is active without a signed answer that is valid still, also within its window: then a refund while the
        /// device is offline ends access when that is not valid any more, three days after it was signed unless the server says
        /// otherwise. Where the server signs none nobody has access.
        public var signedOnly = false
        /// Asks the app's backend for a token of the customer, who is logged in there. Never asked for an anonymous customer.
        public var customerToken: @Sendable (_ customer: String) async throws -> String
        /// Where the customer and the last answers are kept; unless said, files in ``folder``, and on Apple's platforms another
        /// copy of the last answers in the device's Keychain, which deleting the app does not remove. Who wants none of that says
        /// ``FileKeep`` here.
        public var keep: any Keep
        /// How the server is asked.
        public var transport: any ServerTransport
        /// The device's clocks; those of the system unless said.
        public var clock: any DeviceClock = SystemClock()
        /// Where random bits come from; the system's generator unless said.
        public var chance: any Chance = SystemChance()
        /// Waits for so many milliseconds.
        public var sleep: @Sendable (Int64) async throws -> Void = { try await Task.sleep(nanoseconds: UInt64($0) * 1_000_000) }

        var files: any FileOperations = SystemFiles()

        /// With a transport of the app's own; without one it is `URLSession`.
        ///
        /// - Throws: where the folder cannot be made.
        public init(
            server: URL, app: String, publicKey: String, store: any DeviceStore, folder: URL, transport: any ServerTransport,
            customerToken: @escaping @Sendable (_ customer: String) async throws -> String = { _ in throw NoTokens() }
        ) throws {
            (self.server, self.app, self.publicKey, self.transport) = (server, app, publicKey, transport)
            (self.store, self.folder, self.customerToken) = (store, folder, customerToken)
            let files = try FileKeep(folder.appendingPathComponent("state"))
            #if canImport(Security)
                keep = LastingKeep(files, and: KeychainItem(service: "tenure-client.\(app)"))
            #else
                keep = files
            #endif
        }

        /// The app has no customers who log in.
        public struct NoTokens: Error {
            /// There is nothing to say of it.
            public init() {}
        }

        func folder(_ name: String) throws -> Folder { try Folder(folder.appendingPathComponent(name), files) }
    }
}

/// SHA-256, for names of files.
enum Digest {
    static func hexadecimal(of text: String) -> String {
        hexadecimal(Array(SHA256.hash(data: Data(text.utf8))))
    }

    /// Random bytes as text.
    static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}
