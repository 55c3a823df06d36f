package import Primitives
package import Storage

/// Says when it is no longer sure that nothing of an app is missing, and when it is again (RECON-7).
package struct SureWatch: Sendable {
    /// In Production, what is older than this is alarmed about. Sandbox has no customers who pay.
    package static let oldest = Milliseconds.minutes(90)
    /// An alarm that lasts is repeated so often.
    package static let repeated = Milliseconds.hours(1)

    private var alarmedAt: [Scope: Timestamp] = [:]

    package init() {}

    package enum Notice: Sendable, Hashable {
        /// Something that Apple told after the instant may be missing.
        case late(Scope, sureUntil: Timestamp)
        /// The alarm is over.
        case sureAgain(Scope, sureUntil: Timestamp)
    }

    /// Whether a plan is one to be alarmed about.
    package static func isLate(_ stored: StoredSweepPlan, at now: Timestamp) -> Bool {
        stored.scope.environment == .production && now.since(stored.plan.sureUntil).count > oldest.count
    }

    /// What is to be said of the plans as they are now.
    package mutating func look(at plans: [StoredSweepPlan], _ now: Timestamp) -> [Notice] {
        plans.compactMap { stored in
            let (scope, alarmed) = (stored.scope, alarmedAt[stored.scope])
            guard Self.isLate(stored, at: now) else {
                alarmedAt[scope] = nil
                return alarmed == nil ? nil : .sureAgain(scope, sureUntil: stored.plan.sureUntil)
            }
            if let alarmed, now.since(alarmed).count < Self.repeated.count { return nil }
            alarmedAt[scope] = now
            return .late(scope, sureUntil: stored.plan.sureUntil)
        }
    }
}
