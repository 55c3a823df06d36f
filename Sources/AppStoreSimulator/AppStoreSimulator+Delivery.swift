package import AppStoreModel
package import Primitives

/// How notifications are delivered at present.
package struct DeliveryReport: Sendable, Hashable {
    package let mode: DeliveryMode
    package let url: String?
    package let version: NotificationVersion
    package let held: Int
}

/// A notification, what was signed, and its delivery.
package struct NotificationReport: Sendable {
    package let record: OutboxRecord
    package let bundleId: String
    package let signedPayload: String
}

extension AppStoreSimulator {
    /// The delivery settings of an app in an environment; where none is named, the first app and the default environment.
    package func delivery(of app: AppNumber? = nil, in environment: Environment? = nil) throws -> DeliveryReport {
        let target = targets[try endpoint(app, environment)]
        return DeliveryReport(mode: outbox.mode, url: target?.url, version: target?.version ?? .v2, held: outbox.heldCount)
    }

    private func endpoint(_ app: AppNumber?, _ environment: Environment?) throws -> AppEnvironment {
        AppEnvironment(app: try app ?? self.app(nil), environment: environment ?? configuration.environment)
    }

    /// Where notifications are sent from now on.
    package enum NotificationURL: Sendable, Hashable {
        case unchanged
        /// They are only stored.
        case nowhere
        case address(String)
    }

    /// Changes the settings that are given. Leaving the mode `hold` does not release what is held.
    package func setDelivery(
        _ mode: DeliveryMode?, of app: AppNumber? = nil, in environment: Environment? = nil,
        url: NotificationURL = .unchanged, version: NotificationVersion? = nil
    ) async throws -> DeliveryReport {
        if case .address(let url) = url, !Self.isNotificationURL(url) { throw SimulatorConfigurationError.notificationURL }
        let endpoint = try endpoint(app, environment)
        return try await inTurn {
            if let mode { outbox.mode = mode }
            var target = targets[endpoint] ?? NotificationTarget(url: nil, version: .v2)
            switch url {
            case .unchanged: break
            case .nowhere: target.url = nil
            case .address(let url): target.url = url
            }
            if let version { target.version = version }
            targets[endpoint] = target
            return try delivery(of: endpoint.app, in: endpoint.environment)
        }
    }

    /// Sends the first app's notifications to this address from now on; nil: nowhere.
    package func setNotificationURL(_ url: String?) async throws {
        guard url.map(Self.isNotificationURL) ?? true else { throw SimulatorConfigurationError.notificationURL }
        let endpoint = try endpoint(nil, nil)
        try await inTurn { targets[endpoint] = NotificationTarget(url: url, version: targets[endpoint]?.version ?? .v2) }
    }

    /// Sends the held notifications in the given order; returns their UUIDs.
    package func release(_ order: ReleaseOrder) async throws -> [CompactUUID] {
        try await inTurn {
            let released = outbox.release(order)
            for uuid in released { try await sendAgain(uuid) }
            return released
        }
    }

    /// How many are stored.
    package var notificationCount: Int { outbox.count }

    /// The newest notifications, newest first.
    package func notifications(limit: Int) throws -> [NotificationReport] { try outbox.newest(limit).map(report) }

    private func report(_ record: OutboxRecord) throws -> NotificationReport {
        NotificationReport(
            record: record, bundleId: store[record.notification.subject.app].bundleId,
            signedPayload: try printer.signedAgain(record.notification, record.signatures, in: store))
    }

    /// Sends the very same bytes again.
    package func redeliver(_ uuid: CompactUUID) async throws -> NotificationReport {
        try await inTurn {
            guard let record = outbox.record(uuid) else { throw SimulatorRefusal.unknownNotification }
            let endpoint = AppEnvironment(app: record.notification.subject.app, environment: record.notification.environment)
            guard targets[endpoint]?.url != nil else { throw SimulatorRefusal.noNotificationURL }
            try await sendAgain(uuid)
            guard let record = outbox.record(uuid) else { throw SimulatorRefusal.unknownNotification }
            return try report(record)
        }
    }
}
