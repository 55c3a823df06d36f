internal import AppStoreModel
internal import Primitives

/// Which chain signs from now on.
package enum Signing: String, Sendable, Hashable, CaseIterable {
    /// The present leaf under our root.
    case right
    /// A chain of Apple's shape under a root that nobody trusts.
    case wrongChain
    /// A new leaf under our root, as when Apple renews its own.
    case newLeaf
    /// A leaf under our root whose validity ended before now: everything is signed after its end.
    case endedLeaf
    /// A leaf under our root whose validity ends an hour from now: what it signs until then is signed in time, and is read later.
    case endingLeaf
}

/// What the faces ask the simulator before they answer.
extension AppStoreSimulator {
    /// Sets what goes wrong from now on, in place of the faults set before.
    package func setFaults(_ faults: [Fault], seed: UInt64) {
        self.faults.set(faults, seed: seed, store: store)
    }

    package var presentFaults: [Fault] { faults.faults }

    package func setSigning(_ signing: Signing) throws {
        switch signing {
        case .right: try setImpostor(false)
        case .wrongChain: try setImpostor(true)
        case .newLeaf:
            try setImpostor(false)
            try renewLeaf()
        case .endedLeaf: try signWithLeaf(validUntil: store.now.adding(.seconds(-1)))
        case .endingLeaf: try signWithLeaf(validUntil: store.now.adding(.hours(1)))
        }
    }

    /// The app whose key signed the call's token; nil where there is none.
    func bundleId(authorizedBy header: String?) -> String? {
        APIToken(authorization: header, keyring: keyring, times: [store.now, configuration.outsideTime()])?.bundleId
    }
}
