import Ledger
import Storage

/// Makes of an event what one endpoint's receiver is sent; the same bytes each time (I39).
struct ParcelPacker: Sendable {
    private let endpoint: EndpointName
    private let types: EventTypes
    private let headers: [ParcelHeader]
    /// Nil: what Apple posted is passed on as it is.
    private let writer: (any ParcelWriter)?

    /// - Parameter types: in place of those that the endpoint wants.
    init(_ endpoint: StoredEndpoint, store: any Store, types: [String]? = nil) {
        self.endpoint = endpoint.name
        self.types = EventTypes(types ?? endpoint.content.types)
        headers = endpoint.content.parcelHeaders
        switch endpoint.content.format {
        case .tenure: writer = EnvelopeWriter()
        case .raw: writer = nil
        case .revenuecat: writer = RevenueCatWriter(store)
        }
    }

    /// The parcels of an event, in the order in which they are sent; none where the endpoint does not want it, or its format has
    /// no word for it.
    ///
    /// - Throws: `StorageError` with `corrupt` where the text is no event.
    func pack(_ event: LoggedEvent) async throws -> [PackedEvent] {
        guard let writer else { return [try passingOn(event)] }
        // What is told of an endpoint is told to the others.
        if case .endpoint(let key) = event.subject, key.id == endpoint.id { return [] }
        let envelope = try EventEnvelope(event)
        guard types.contain(envelope.type) else { return [] }
        return try await writer.write(envelope, of: event).map { written in
            let sent = SentEvent(
                id: written.id, type: envelope.type, subject: SubjectName(event.subject), sequence: event.sequence)
            return PackedEvent(
                place: event.place, event: sent,
                parcel: Parcel(id: written.id, body: Array(written.body.utf8), headers: headers))
        }
    }

    /// Apple's very bytes, and a word that they were passed on, so that nobody passes them on in a circle (TELL-5).
    private func passingOn(_ copy: LoggedEvent) throws -> PackedEvent {
        let content = try copy.copiedContent
        let sent = SentEvent(
            id: "ntf_\(copy.place.transaction)_\(copy.place.row)", type: "apple.notification", subject: SubjectName(copy.subject),
            sequence: copy.sequence)
        let mark = ParcelHeader(PostedNotification.forwardedHeader, "1")
        return PackedEvent(
            place: copy.place, event: sent,
            parcel: Parcel(
                id: sent.id, body: Array(content.body.utf8), contentType: content.contentType, headers: headers + [mark]))
    }
}

/// Writes events in one format.
protocol ParcelWriter: Sendable {
    /// - Returns: none, one or more bodies, in the order in which they are sent.
    func write(_ envelope: EventEnvelope, of event: LoggedEvent) async throws -> [WrittenParcel]
}

/// A body, and its `webhook-id`: the event's own, and for a second body of the same event `_2` behind it.
struct WrittenParcel: Sendable, Hashable {
    let id: String
    let body: String
}

/// The event as the log has it.
struct EnvelopeWriter: ParcelWriter {
    func write(_ envelope: EventEnvelope, of event: LoggedEvent) -> [WrittenParcel] {
        [WrittenParcel(id: envelope.id, body: envelope.body)]
    }
}

/// An event that is to be sent.
struct PackedEvent: Sendable {
    let place: LogPlace
    let event: SentEvent
    let parcel: Parcel
}

extension WebhookEndpoint {
    var parcelHeaders: [ParcelHeader] { headers.sorted { $0.key < $1.key }.map { ParcelHeader($0.key, $0.value) } }
}
