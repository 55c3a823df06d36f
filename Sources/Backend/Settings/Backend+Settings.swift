package import Ledger
package import Primitives
package import Storage

/// Versions of what apps chose: applying them, by serving and by command, and saying how that stands (OWN-17).
extension Backend {
    /// Under which name what a file says is applied.
    package static let servingActor = "serve"

    /// Applies what the file says of each app, where it is new; to be called before anything is served. Safe to call twice, and
    /// by several servers at once.
    ///
    /// - Throws: `SettingsRefusal` where a new content is to hold from an instant that is past; `BackendError.store`.
    package func adoptSettings() async throws -> [AppID: SettingsStanding] {
        var standings: [AppID: SettingsStanding] = [:]
        let now = clock.now()
        for app in apps.values {
            let standing = try await translatingStorageErrors {
                try await store.write { try Self.adopt(app, at: now, in: $0) }
            }
            if case .superseded = standing { chosen.note(app.id, isSuperseded: true) }
            standings[app.id] = standing
        }
        return standings
    }

    private static func adopt(
        _ app: AppSettings, at now: Timestamp, in transaction: any StoreTransaction
    ) throws -> SettingsStanding {
        let kept = try transaction.lockSettings(of: app.id)
        guard let timeline = try SettingsTimeline(kept) else {
            return try keep(Next(content: app.content, from: now, now: now, actor: servingActor), of: app, kept, in: transaction)
        }
        if let standing = standing(of: app.content, in: timeline) { return standing }
        if let from = app.validFrom, from < now {
            throw SettingsRefusal(
                """
                The file's settings of \(app.id) are new and have a validFrom that is past, \(from). Remove validFrom to apply \
                them from now on, or try them with `tenure what-if --from` and apply them with `tenure policy apply --from`.
                """)
        }
        let next = Next(content: app.content, from: app.validFrom ?? now, now: now, actor: servingActor)
        return try keep(next, of: app, kept, in: transaction)
    }

    /// Nil where no version says it.
    private static func standing(of content: SettingsContent, in timeline: SettingsTimeline) -> SettingsStanding? {
        let newest = timeline.newest
        if newest.content == content { return .inForce(number: newest.number) }
        return timeline.versions.last { $0.content == content }.map {
            .superseded(number: $0.number, newest: newest.number)
        }
    }

    private struct Next {
        let content: SettingsContent
        let from: Timestamp
        let now: Timestamp
        let actor: String
    }

    /// Keeps the next version, and asks for what it makes of the subscriptions that are there.
    private static func keep(
        _ next: Next, of app: AppSettings, _ kept: [SettingsVersion], in transaction: any StoreTransaction
    ) throws -> SettingsStanding {
        let number = (kept.last?.number ?? 0) + 1
        let version = try SettingsVersion(
            next.content, of: app.id, number: number,
            adopted: .init(from: next.from, appliedAt: next.now, by: next.actor))
        try transaction.keep(version)
        let before = try SettingsTimeline(kept)
        let after = try SettingsTimeline(kept + [version])
        // A change of products alone changes no decision, but when somebody may use what (ENT-2).
        let changes = before.map { $0.policies != after?.policies || $0.entitlements != after?.entitlements } ?? false
        if changes {
            let body = try SettingsProgress(version: number).json
            try transaction.order(
                app.scopes.map { scope in
                    WorkOrder(
                        scope: scope, subject: "", key: "settings", kind: .applySettings, body: body, dueAt: next.now)
                })
        }
        // After the work, which whoever does it locks first too.
        if before != nil { try begin(version, of: app, isDone: !changes, in: transaction) }
        if let before, let after, before.signals != after.signals {
            // Something else is a signal of everything that is there (ABUSE-1).
            let instant = next.now.adding(SignalReview.pause)
            try transaction.order(app.scopes.map { WorkOrder(.everything, in: $0, at: instant) })
        }
        return .applied(number: number, validFrom: next.from)
    }

    /// So many versions of which nothing follows may come while one is worked through.
    private static let mostWithoutWork: Int64 = 256

    /// Keeps the job of working a version through, which takes the place of the one before.
    ///
    /// - Parameter isDone: whether nothing follows from it for what is there.
    private static func begin(
        _ version: SettingsVersion, of app: AppSettings, isDone: Bool, in transaction: any StoreTransaction
    ) throws {
        // The work of the last one that had any is replaced, and versions of which nothing followed may have come since.
        let earlier = isDone ? 0..<0 : max(1, version.number - mostWithoutWork)..<version.number
        for number in earlier.reversed() {
            guard var before = try transaction.lockJob(.application(of: number, app.id)), before.state == .running else {
                continue
            }
            before.end(.canceled, at: version.appliedAt, because: "version \(version.number) is worked through in its place")
            try transaction.save(before)
            break
        }
        var job = StoredJob(
            .application(of: version.number, app.id), kind: JobKind.application.rawValue, request: "{}",
            progress: try ApplicationProgress(version: version.number, app.scopes).json, startedAt: version.appliedAt)
        if isDone { job.end(.done, at: version.appliedAt) }
        try transaction.save(job)
    }

    /// Applies a version because an operator says so.
    ///
    /// - Throws: `SettingsRefusal` where it reaches back and the code does not fit, where an earlier version says the same and
    ///   `again` is not given, and where the instant is to come; `BackendError.unknownApp`, `BackendError.store`.
    package func apply(_ order: SettingsOrder) async throws -> SettingsStanding {
        let app = try settings(of: order.app)
        let now = clock.now()
        return try await translatingStorageErrors {
            try await store.write { transaction in
                let kept = try transaction.lockSettings(of: app.id)
                let timeline = try SettingsTimeline(kept)
                // The content that is in force, from an earlier instant, is a change.
                if let timeline, let standing = Self.standing(of: order.content, in: timeline) {
                    if case .inForce = standing, order.from == nil { return standing }
                    if case .superseded(let number, _) = standing, !order.again {
                        throw SettingsRefusal(
                            "Version \(number) has the same content. Use --again to apply it again, as a new version.")
                    }
                }
                try Self.check(order, newest: timeline?.newest.number ?? 0, at: now)
                let next = Next(content: order.content, from: order.from ?? now, now: now, actor: order.actor)
                return try Self.keep(next, of: app, kept, in: transaction)
            }
        }
    }

    private static func check(_ order: SettingsOrder, newest: Int64, at now: Timestamp) throws {
        guard let from = order.from else { return }
        guard from <= now else {
            throw SettingsRefusal("--from is in the future; set apps[].validFrom in the file instead.")
        }
        let code = try ConfirmationCode.of(order.content, app: order.app, newest: newest, from: from)
        guard order.code == code else {
            throw SettingsRefusal(
                """
                It changes the past from \(from) on and needs --confirm with the code that `tenure what-if` prints for exactly \
                this change: run it with the same --config, --app and --from, read its list, and apply it before any other \
                version.
                """)
        }
    }

    /// The versions of an app, by number.
    package func settingsVersions(of id: AppID) async throws -> [SettingsVersion] {
        let app = try settings(of: id)
        return try await translatingStorageErrors { try await store.settings(of: app.id) }
    }

    /// A version of what an app chose, as it was applied.
    package struct AppliedSettings: Sendable, Hashable {
        package let number: Int64
        /// Nil of the first, which always held.
        package let validFrom: Timestamp?
        package let appliedAt: Timestamp
        package let actor: String
        /// SHA-256 of the document, in hexadecimal.
        package let digest: String
        /// JSON.
        package let document: String
    }

    /// The same, for whoever wants to read them.
    package func settingsHistory(of id: AppID) async throws -> [AppliedSettings] {
        try await settingsVersions(of: id).map { version in
            AppliedSettings(
                number: version.number, validFrom: version.number == 1 ? nil : version.validFrom, appliedAt: version.appliedAt,
                actor: version.actor, digest: version.digest, document: version.document)
        }
    }

    /// How far the newest version is worked through, where it is not done.
    package func settingsProgress(of id: AppID) async throws -> [(environment: Environment, progress: SettingsProgress)] {
        let app = try settings(of: id)
        return try await translatingStorageErrors {
            var found: [(environment: Environment, progress: SettingsProgress)] = []
            for scope in app.scopes {
                let work = try await store.work(about: SubscriptionKey(scope, OriginalTransactionID("")))
                for order in work.map(\.order) where order.kind == .applySettings {
                    found.append((scope.environment, try SettingsProgress(json: order.body)))
                }
            }
            return found
        }
    }

    /// The settings of an app that hold now, for answers.
    func timeline(of app: AppSettings, newest: Int64) async throws -> SettingsTimeline {
        if let timeline = chosen.timeline(of: app, ifKnown: newest) { return timeline }
        let kept = try await translatingStorageErrors { try await store.settings(of: app.id) }
        return try chosen.learn(kept, of: app)
    }

    /// Throws where this server came with what an earlier version says, and no newer one says it since.
    func checkSettings() async throws {
        for id in chosen.supersededApps {
            guard let app = apps[id],
                let timeline = try await translatingStorageErrors({ try SettingsTimeline(await store.settings(of: id)) })
            else { continue }
            guard case .superseded(let number, let newest) = Self.standing(of: app.content, in: timeline) else {
                chosen.note(id, isSuperseded: false)
                continue
            }
            throw BackendError.settingsSuperseded(app: id, number: number, newest: newest)
        }
    }
}
