package import Ledger
package import Primitives

/// A person who uses the console, as it is kept (docs/decisions/0059). A name is never another person's, since the audit names
/// operators; nothing of it is deleted.
package struct StoredOperator: Sendable, Hashable {
    /// What is kept of how somebody proves who they are. Replaced as a whole when a link is used to its end.
    package struct Factors: Sendable, Hashable, Codable {
        /// The hash with its parameters and its salt, as text.
        package var passwordHash: String
        /// The secret of the time-based codes, encrypted with the key of the configuration.
        package var codeSecret: String
        /// The step of the last code that was accepted; nil before the first.
        package var lastStep: Int64?
        /// SHA-256 of each recovery code that was not used yet.
        package var recoveryCodes: [[UInt8]]

        package init(passwordHash: String, codeSecret: String, lastStep: Int64?, recoveryCodes: [[UInt8]]) {
            (self.passwordHash, self.codeSecret) = (passwordHash, codeSecret)
            (self.lastStep, self.recoveryCodes) = (lastStep, recoveryCodes)
        }
    }

    /// What the operator may do, and where.
    package struct Grant: Sendable, Hashable, Codable {
        /// Nil: every app.
        package let app: AppID?
        /// The spelling of a role; those of a newer version of Tenure allow nothing here.
        package let role: String

        package init(app: AppID?, role: String) { (self.app, self.role) = (app, role) }
    }

    package let name: String
    package var grants: [Grant]
    /// Nil until a link was used to its end.
    package var factors: Factors?
    /// Of the pages, such as `en`; nil: what the browser asks for.
    package var language: String?
    /// In which instants are shown, such as `Asia/Shanghai`; nil: UTC.
    package var timeZone: String?
    package let madeAt: Timestamp
    package let madeBy: String
    /// From then on nothing is opened; nil: without end.
    package var endedAt: Timestamp?
    package var endedBy: String?

    package init(name: String, grants: [Grant], madeAt: Timestamp, madeBy: String) {
        (self.name, self.grants) = (name, grants)
        (self.madeAt, self.madeBy) = (madeAt, madeBy)
    }
}

/// A link that is good once: with it an operator chooses password and second factor, or gets back in who lost them.
package struct StoredOperatorLink: Sendable, Hashable {
    /// SHA-256 of the token in the link.
    package let digest: [UInt8]
    package let name: String
    package let endsAt: Timestamp
    package var usedAt: Timestamp?
    /// What the operator has chosen and not yet confirmed with a code; nil in a link that nothing was chosen with.
    package let chosen: Chosen?

    /// What becomes an operator's own once a code is shown that belongs to it.
    package struct Chosen: Sendable, Hashable, Codable {
        /// Nil: the password stays.
        package let passwordHash: String?
        /// Encrypted with the key of the configuration.
        package let codeSecret: String

        package init(passwordHash: String?, codeSecret: String) {
            (self.passwordHash, self.codeSecret) = (passwordHash, codeSecret)
        }
    }

    package init(digest: [UInt8], name: String, endsAt: Timestamp, chosen: Chosen? = nil) {
        (self.digest, self.name, self.endsAt, self.chosen) = (digest, name, endsAt, chosen)
    }

    package func isGood(at instant: Timestamp) -> Bool { usedAt == nil && instant < endsAt }
}

/// A session of an operator: one browser, from login to its end.
package struct StoredOperatorSession: Sendable, Hashable {
    /// SHA-256 of the token that the browser keeps.
    package let digest: [UInt8]
    package let name: String
    /// When the operator logged in; a session that takes this one's place keeps it.
    package let begunAt: Timestamp
    /// Kept to the minute.
    package var seenAt: Timestamp
    /// When the second factor was proved last.
    package var provedAt: Timestamp
    package let address: String
    package let userAgent: String
    package var endedAt: Timestamp?

    package init(digest: [UInt8], name: String, begunAt: Timestamp, provedAt: Timestamp, from client: Client) {
        (self.digest, self.name, self.begunAt) = (digest, name, begunAt)
        (seenAt, self.provedAt) = (provedAt, provedAt)
        (address, userAgent) = (client.address, client.userAgent)
    }

    /// From where a session is used.
    package struct Client: Sendable, Hashable {
        let address: String
        let userAgent: String

        package init(address: String, userAgent: String) { (self.address, self.userAgent) = (address, userAgent) }
    }
}

/// How often a login failed for one name, or from one address, since it last succeeded.
package struct LoginFailures: Sendable, Hashable {
    /// `name/…` or `address/…`.
    package let subject: String
    package var count: Int64
    /// Of the last attempt.
    package var lastAt: Timestamp

    package init(of subject: String, count: Int64, lastAt: Timestamp) {
        (self.subject, self.count, self.lastAt) = (subject, count, lastAt)
    }
}
