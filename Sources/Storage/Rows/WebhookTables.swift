import Ledger
import Primitives

/// A row of `webhookEndpoint`.
package struct WrittenEndpoint: WrittenRow {
    package static let table = "webhookEndpoint"
    package static let key: Set<Column> = [.app, .id]

    package enum Column: Int, StoredColumn {
        case app, id, createdAt, content, secrets, standing, worker, leasedUntil, fence, format
    }

    private let endpoint: StoredEndpoint
    private let (content, secrets, standing): (String, String, String)

    package init(_ endpoint: StoredEndpoint) throws {
        self.endpoint = endpoint
        content = try StateCoding.encode(endpoint.content)
        secrets = try StateCoding.encode(endpoint.secrets)
        standing = try StateCoding.encode(endpoint.standing)
    }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .app: .text(endpoint.name.app.rawValue)
        case .id: .text(endpoint.name.id)
        case .createdAt: .instant(endpoint.createdAt)
        case .content: .text(content)
        case .secrets: .text(secrets)
        case .standing: .text(standing)
        case .worker: .text(endpoint.lease?.worker)
        case .leasedUntil: .integer(endpoint.lease?.until.millisecondsSince1970)
        case .fence: .integer(endpoint.lease?.fence ?? 0)
        // Beside the content, since the write path asks whether anything is passed on.
        case .format: .text(endpoint.content.format.rawValue)
        }
    }
}

extension StoredEndpoint: ReadRow {
    package typealias Column = WrittenEndpoint.Column

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        let lease = (try row.optionalText(.worker), try row.optionalInstant(.leasedUntil), try row.integer(.fence))
        self.init(
            EndpointName(AppID(try row.text(.app)), try row.text(.id)), createdAt: try row.instant(.createdAt),
            content: try StateCoding.decode(WebhookEndpoint.self, from: try row.text(.content)),
            secrets: try StateCoding.decode([EndpointSecret].self, from: try row.text(.secrets)),
            standing: try StateCoding.decode(DeliveryStanding.self, from: try row.text(.standing)),
            lease: lease.0.flatMap { worker in
                lease.1.map { EndpointLease(worker: worker, until: $0, fence: lease.2) }
            })
    }
}

/// A row of `webhookAttempt`.
package struct WrittenAttempt: WrittenRow {
    package static let table = "webhookAttempt"

    package enum Column: Int, StoredColumn { case app, endpoint, isDelivered, number, at, content }

    private let stored: StoredAttempt
    private let content: String

    package init(_ stored: StoredAttempt) throws {
        self.stored = stored
        content = try StateCoding.encode(stored.attempt)
    }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .app: .text(stored.name.app.rawValue)
        case .endpoint: .text(stored.name.id)
        case .isDelivered: .bool(stored.attempt.isDelivered)
        case .number: .integer(stored.number)
        case .at: .instant(stored.attempt.at)
        case .content: .text(content)
        }
    }
}

extension StoredAttempt: ReadRow {
    package enum Column: Int, StoredColumn { case app, endpoint, number, content }

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        self.init(
            EndpointName(AppID(try row.text(.app)), try row.text(.endpoint)), number: try row.integer(.number),
            try StateCoding.decode(DeliveryAttempt.self, from: try row.text(.content)))
    }
}

/// A row of `webhookParked`.
package struct WrittenParkedEvent: WrittenRow {
    package static let table = "webhookParked"

    package enum Column: Int, StoredColumn { case app, endpoint, number, content }

    private let stored: StoredParkedEvent
    private let content: String

    package init(_ stored: StoredParkedEvent) throws {
        self.stored = stored
        content = try StateCoding.encode(stored.parked)
    }

    package func value(of column: Column) -> StoredValue {
        switch column {
        case .app: .text(stored.name.app.rawValue)
        case .endpoint: .text(stored.name.id)
        case .number: .integer(stored.number)
        case .content: .text(content)
        }
    }
}

extension StoredParkedEvent: ReadRow {
    package typealias Column = WrittenParkedEvent.Column

    package init(_ row: NamedRow<Column, some StoredRow>) throws {
        self.init(
            EndpointName(AppID(try row.text(.app)), try row.text(.endpoint)), number: try row.integer(.number),
            try StateCoding.decode(ParkedEvent.self, from: try row.text(.content)))
    }
}
