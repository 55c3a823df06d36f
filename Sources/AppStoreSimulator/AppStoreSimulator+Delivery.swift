/// What is done with notifications at present.
package struct DeliveryReport: Sendable, Hashable {
    package let mode: DeliveryMode
    package let url: String?
    package let held: Int
}

extension AppStoreSimulator {
    package func delivery() -> DeliveryReport {
        DeliveryReport(mode: outbox.mode, url: notificationURL, held: outbox.heldCount)
    }

    /// Changes what is not nil. Leaving hold does not release what is held.
    package func setDelivery(_ mode: DeliveryMode?, url: String? = nil) async throws -> DeliveryReport {
        guard url.map(Self.isNotificationURL) ?? true else { throw SimulatorConfigurationError.notificationURL }
        return try await inTurn {
            if let mode { outbox.mode = mode }
            if let url { notificationURL = url }
            return delivery()
        }
    }

    /// Sends notifications there from now on; nil: nowhere.
    package func setNotificationURL(_ url: String?) async throws {
        guard url.map(Self.isNotificationURL) ?? true else { throw SimulatorConfigurationError.notificationURL }
        try await inTurn { notificationURL = url }
    }

    /// Sends what is held, in that order; returns their UUIDs.
    package func release(_ order: ReleaseOrder) async throws -> [String] {
        try await inTurn {
            let released = outbox.release(order)
            for uuid in released { await send(uuid) }
            return released
        }
    }

    /// The newest notifications, newest first.
    package func notifications(limit: Int) -> [OutboxRecord] { outbox.newest(limit) }

    /// Sends the very same bytes again.
    package func redeliver(_ uuid: String) async throws -> OutboxRecord {
        try await inTurn {
            guard outbox.record(uuid) != nil else { throw SimulatorRefusal.unknownNotification }
            guard notificationURL != nil else { throw SimulatorRefusal.noNotificationURL }
            await send(uuid)
            guard let record = outbox.record(uuid) else { throw SimulatorRefusal.unknownNotification }
            return record
        }
    }
}
