import Ledger
import Storage

/// Makes of an event what one endpoint's receiver is sent; the same bytes each time (I39).
struct ParcelPacker: Sendable {
    private let types: EventTypes
    private let headers: [ParcelHeader]

    /// - Parameter types: in place of those that the endpoint wants.
    init(_ content: WebhookEndpoint, types: [String]? = nil) {
        self.types = EventTypes(types ?? content.types)
        headers = content.parcelHeaders
    }

    /// The event as its parcel names it, and the parcel; nil where the endpoint does not want it.
    ///
    /// - Throws: `StorageError` with `corrupt` where the text is no event.
    func pack(_ event: LoggedEvent) throws -> PackedEvent? {
        let envelope = try EventEnvelope(event)
        guard types.contain(envelope.type) else { return nil }
        let sent = SentEvent(
            id: envelope.id, type: envelope.type, subject: SubjectName(event.subject), sequence: event.sequence)
        return PackedEvent(
            place: event.place, event: sent,
            parcel: Parcel(id: envelope.id, body: Array(envelope.body.utf8), headers: headers))
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
