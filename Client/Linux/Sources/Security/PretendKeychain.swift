import Foundation

/// The Keychain of one app, as a test plays it: nothing of it is Apple's.
public final class PretendKeychain: @unchecked Sendable {
    /// The system has one for the whole process, too.
    public static let shared = PretendKeychain()

    private let lock = NSLock()
    private var items: [[String: Any]] = []
    private var failure: OSStatus?

    /// Forgets everything.
    public func begin() { lock.withLock { (items, failure) = ([], nil) } }

    /// What every call answers; nil: what is asked for.
    public func fail(with status: OSStatus?) { lock.withLock { failure = status } }

    /// What each item says, but for its data.
    public var attributes: [[String: String]] { lock.withLock { items.map { $0.compactMapValues { $0 as? String } } } }

    func read(_ query: [String: Any], _ result: UnsafeMutablePointer<Any?>?) -> OSStatus {
        lock.withLock {
            if let failure { return failure }
            guard let index = index(of: query) else { return errSecItemNotFound }
            if query[kSecReturnData] as? Bool == true { result?.pointee = items[index][kSecValueData] }
            return errSecSuccess
        }
    }

    func add(_ attributes: [String: Any]) -> OSStatus {
        lock.withLock {
            if let failure { return failure }
            guard index(of: attributes) == nil else { return errSecDuplicateItem }
            items.append(attributes)
            return errSecSuccess
        }
    }

    func update(_ query: [String: Any], _ changes: [String: Any]) -> OSStatus {
        lock.withLock {
            if let failure { return failure }
            guard let index = index(of: query) else { return errSecItemNotFound }
            items[index].merge(changes) { $1 }
            return errSecSuccess
        }
    }

    /// Of the item of that class, service and account.
    private func index(of query: [String: Any]) -> Int? {
        items.firstIndex { item in
            [kSecClass, kSecAttrService, kSecAttrAccount].allSatisfy { item[$0] as? String == query[$0] as? String }
        }
    }
}
