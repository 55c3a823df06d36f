import Ledger
import Storage
import Synchronization

/// The versions of what the apps chose, as far as this process knows them. What holds is what the store keeps: each write and
/// each answer asks the store for the newest number, which costs nothing beside what it asks for anyway, and loads what is
/// missing (OWN-17).
package final class SettingsCache: Sendable {
    private let known = Mutex<[AppID: Known]>([:])
    /// The apps whose file came with what an earlier version says, until the newest version says it again.
    private let superseded = Mutex<Set<AppID>>([])

    package init() {}

    private struct Known {
        /// 0 where the store keeps none, so that the file's holds.
        let newest: Int64
        let timeline: SettingsTimeline
    }

    /// What holds for an app.
    ///
    /// - Parameters:
    ///   - newest: the number of its newest version, as the store says; 0 where it keeps none.
    ///   - load: reads all that are kept; called only where this process knows fewer.
    func timeline(
        of app: AppSettings, newest: Int64, load: () throws -> [SettingsVersion]
    ) throws -> SettingsTimeline {
        if let timeline = timeline(of: app, ifKnown: newest) { return timeline }
        return try learn(try load(), of: app)
    }

    /// The same, where it is known.
    func timeline(of app: AppSettings, ifKnown newest: Int64) -> SettingsTimeline? {
        known.withLock { known in
            if let found = known[app.id], found.newest >= newest { return found.timeline }
            guard newest == 0 else { return nil }
            let timeline = SettingsTimeline(app.content)
            known[app.id] = Known(newest: 0, timeline: timeline)
            return timeline
        }
    }

    /// Takes what the store keeps; what is newer already stays.
    func learn(_ kept: [SettingsVersion], of app: AppSettings) throws -> SettingsTimeline {
        let timeline = try SettingsTimeline(kept)
        return known.withLock { known in
            let newest = timeline?.newest.number ?? 0
            if let found = known[app.id], found.newest >= newest { return found.timeline }
            let learned = Known(newest: newest, timeline: timeline ?? SettingsTimeline(app.content))
            known[app.id] = learned
            return learned.timeline
        }
    }

    // MARK: Superseded files

    func note(_ app: AppID, isSuperseded: Bool) {
        superseded.withLock { superseded in
            if isSuperseded { superseded.insert(app) } else { superseded.remove(app) }
        }
    }

    var supersededApps: [AppID] { superseded.withLock { $0.sorted() } }
}
