import Primitives

/// Sends nothing and reaches nobody: of a server that has no endpoints.
private struct ClosedCourier: Courier {
    private static let words = "this server sends no webhooks"

    func check(_ url: String) async throws(AddressRefusal) { throw AddressRefusal(Self.words) }

    func makeSecret(_ kind: SealedSecret.Kind, of owner: String) throws(SecretRefusal) -> FreshSecret { throw .noKey }

    func send(_ parcel: Parcel, to target: ParcelTarget, of owner: String) async -> ParcelOutcome {
        ParcelOutcome(.failed(.addressRefused, words: Self.words), took: Milliseconds(0))
    }
}

extension DeliveryDesk {
    /// Of a server that sends nothing.
    package static func closed(_ backend: Backend) -> DeliveryDesk {
        DeliveryDesk(backend, courier: ClosedCourier(), clock: backend.clock, worker: "none")
    }
}
