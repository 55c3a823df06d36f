import Foundation

#if canImport(Security)
    import Security
#endif

/// A few kilobytes that outlast the app itself.
protocol LastingItem: Sendable {
    /// Nil where nothing was written.
    func read() throws -> Data?
    /// When it returns, the bytes outlast the process.
    func write(_ data: Data) throws
}

#if canImport(Security)
    /// One item of the device's Keychain, which no other device gets and no deletion of the app removes.
    ///
    /// Source: Apple, Keychain services, `SecItemCopyMatching`, `SecItemAdd`, `SecItemUpdate`;
    /// `kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly`: to be read since the device was unlocked once after its start, also
    /// while it is locked again, and not part of what moves to another device.
    struct KeychainItem: LastingItem {
        /// Tells the app's items apart from one another.
        let service: String

        private var query: [String: Any] {
            var query: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
                kSecAttrAccount as String: "answers",
            ]
            #if os(macOS)
                // The Keychain that knows kSecAttrAccessible; the older one of macOS does not.
                query[kSecUseDataProtectionKeychain as String] = true
            #endif
            return query
        }

        func read() throws -> Data? {
            var asked = query
            asked[kSecReturnData as String] = true
            asked[kSecMatchLimit as String] = kSecMatchLimitOne
            var found: CFTypeRef?
            switch SecItemCopyMatching(asked as CFDictionary, &found) {
            case errSecSuccess: return found as? Data
            case errSecItemNotFound: return nil
            case let status: throw KeychainFailure(status: status)
            }
        }

        func write(_ data: Data) throws {
            let attributes: [String: Any] = [
                kSecValueData as String: data,
                kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ]
            var status = SecItemUpdate(query as CFDictionary, attributes as CFDictionary)
            if status == errSecItemNotFound {
                status = SecItemAdd(query.merging(attributes) { $1 } as CFDictionary, nil)
            }
            guard status == errSecSuccess else { throw KeychainFailure(status: status) }
        }
    }

    /// The Keychain refused.
    struct KeychainFailure: Error, Sendable, Hashable {
        /// Apple's `OSStatus`, such as -25308 before the device was unlocked, or -34018 where the app has no right to a Keychain.
        let status: Int32
    }
#endif
