import Ledger
package import Primitives

extension [Decision] {
    /// Whether whoever shows what these decide on waits for Apple: nobody has anything of it now, and Apple is due to be asked
    /// whether that is so (RECON-6).
    package func waitForApple(at now: Timestamp) -> Bool {
        contains { $0.dueWork.contains { WorkKind($0.action) == .askApple && $0.at <= now } }
            && !contains { $0.state.spans.contains { $0.contains(now) } }
    }
}
