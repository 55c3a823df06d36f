package import Ledger
package import Primitives
import Storage

/// A role, and where it is held.
package struct OperatorGrant: Sendable, Hashable {
    /// Nil: every app.
    package let app: AppID?
    package let role: OperatorRole

    package init(app: AppID?, role: OperatorRole) { (self.app, self.role) = (app, role) }

    /// Nil for a role of a newer version of Tenure, which allows nothing here.
    init?(_ stored: StoredOperator.Grant) {
        guard let role = OperatorRole(rawValue: stored.role) else { return nil }
        self.init(app: stored.app, role: role)
    }
}

/// An operator who was let in, as each request has them.
package struct OperatorIdentity: Sendable, Hashable {
    package let name: String
    package let grants: [OperatorGrant]
    /// Of the pages, such as `zh-Hans`; nil: what the browser asks for.
    package let language: String?
    /// Such as `Asia/Shanghai`; nil: UTC.
    package let timeZone: String?
    /// Names the session to people; nobody is let in with it.
    package let sessionId: String
    /// When the second factor was proved last.
    package let provedAt: Timestamp

    init(_ stored: StoredOperator, _ session: StoredOperatorSession) {
        name = stored.name
        grants = stored.grants.compactMap(OperatorGrant.init)
        (language, timeZone) = (stored.language, stored.timeZone)
        (sessionId, provedAt) = (session.id, session.provedAt)
    }

    /// The role in an app: the one that names it, else the one for every app.
    ///
    /// - Parameter app: nil: outside of every app, where only a role for every app counts.
    package func role(in app: AppID?) -> OperatorRole? {
        let named = app.flatMap { app in grants.first { $0.app == app } }
        return (named ?? grants.first { $0.app == nil })?.role
    }

    /// Whether something is allowed; the one question of both a control and its handler.
    ///
    /// - Parameter app: nil for what belongs to no app, such as the operators themselves.
    package func may(_ act: OperatorAct, in app: AppID?) -> Bool {
        if act == .changeOneself { return true }
        return role(in: app)?.may(act) ?? false
    }

    /// Whether the second factor must be proved again before an act that asks for it.
    package func needsProof(at now: Timestamp) -> Bool { now.since(provedAt) >= SessionLimits.proof }
}

/// How long an operator stays let in.
///
/// Source: OWASP ASVS 4.0.3, 3.3.2 (level 2: 12 hours, or 30 minutes without use).
package enum SessionLimits {
    /// Without any use.
    package static let idle = Milliseconds.minutes(30)
    /// From the login on.
    package static let longest = Milliseconds.hours(12)
    /// For so long a proof of the second factor counts for acts that ask for one.
    package static let proof = Milliseconds.minutes(10)
    /// A use is noted so often at the most.
    static let noted = Milliseconds.minutes(1)
    /// For so long it is remembered from where somebody has logged in.
    static let remembered = Milliseconds.days(30)
}

extension StoredOperatorSession {
    /// The first 16 digits of its digest: too few to be let in with, enough to name it.
    var id: String { Hexadecimal.encode(digest.prefix(8)) }

    func isLive(at now: Timestamp) -> Bool {
        endedAt == nil && now.since(seenAt) < SessionLimits.idle && now.since(begunAt) < SessionLimits.longest
    }
}
