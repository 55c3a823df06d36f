// A stand-in for Apple's Security where there is none: the calls of the Keychain that the SDK makes. Each declaration names
// Apple's
// page, below https://developer.apple.com/documentation. What has no such page is `PretendKeychain`, with which a test plays it.

/// corefoundation/cfstring
public typealias CFString = String
/// corefoundation/cfdictionary
public typealias CFDictionary = [String: Any]
/// corefoundation/cftyperef
public typealias CFTypeRef = Any
/// kernel/osstatus
public typealias OSStatus = Int32

/// security/secitemcopymatching(_:_:)
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    PretendKeychain.shared.read(query, result)
}

/// security/secitemadd(_:_:)
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    PretendKeychain.shared.add(attributes)
}

/// security/secitemupdate(_:_:)
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
    PretendKeychain.shared.update(query, attributesToUpdate)
}

/// security/errsecsuccess
public let errSecSuccess: OSStatus = 0
/// security/errsecitemnotfound
public let errSecItemNotFound: OSStatus = -25300
/// security/errsecduplicateitem
public let errSecDuplicateItem: OSStatus = -25299
/// security/errsecinteractionnotallowed
public let errSecInteractionNotAllowed: OSStatus = -25308

/// security/ksecclass
public let kSecClass: CFString = "class"
/// security/ksecclassgenericpassword
public let kSecClassGenericPassword: CFString = "genp"
/// security/ksecattrservice
public let kSecAttrService: CFString = "svce"
/// security/ksecattraccount
public let kSecAttrAccount: CFString = "acct"
/// security/ksecattraccessible
public let kSecAttrAccessible: CFString = "pdmn"
/// security/ksecattraccessibleafterfirstunlockthisdeviceonly
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = "cku"
/// security/ksecusedataprotectionkeychain
public let kSecUseDataProtectionKeychain: CFString = "nleg"
/// security/ksecvaluedata
public let kSecValueData: CFString = "v_Data"
/// security/ksecreturndata
public let kSecReturnData: CFString = "r_Data"
/// security/ksecmatchlimit
public let kSecMatchLimit: CFString = "m_Limit"
/// security/ksecmatchlimitone
public let kSecMatchLimitOne: CFString = "m_LimitOne"
