package import Ledger
package import Primitives
import Storage

/// Whose something will be, before anything signed is known of it (OWN-18).
extension Backend {
    /// A reservation, and the subscription whose book it stands in; nil while nothing signed is known of what was reserved.
    package struct ReservationResult: Sendable {
        package let reservation: Reservation
        package let key: SubscriptionKey?
    }

    /// What was reserved and is not known yet.
    package struct WaitingReservation: Sendable, Hashable {
        /// Apple's id of a transaction, or of a subscription.
        package let transactionId: TransactionID
        package let reservation: Reservation
    }

    /// A page of them, by transaction and id.
    package struct WaitingReservationPage: Sendable {
        package let reservations: [WaitingReservation]
        /// Where it ends; nil where there are no more.
        package let last: Place?

        package struct Place: Sendable, Hashable {
            package let transactionId: TransactionID
            package let id: ID<ReservationEvidence>

            package init(_ transactionId: TransactionID, _ id: ID<ReservationEvidence>) {
                (self.transactionId, self.id) = (transactionId, id)
            }
        }
    }

    /// Reserves a subscription. Reserving it again for the same customer is safe.
    ///
    /// - Throws: `CustomerRefusal.idTaken`.
    package func reserve(_ key: SubscriptionKey, for customer: CustomerID, id: String) async throws -> Reservation {
        let subscription = key.originalTransactionId.rawValue
        try checkAppleId(subscription, name: "originalTransactionId")
        let app = try settings(of: key.app)
        try app.checkTakes(key.environment)
        let reservation = try reservation(for: customer, id: id)
        let stored = try await translatingStorageErrors { try await store.subscription(key) }
        if let known = stored?.history.reservations.first(where: { $0.id == reservation.id }) {
            guard known.customer == customer else { throw CustomerRefusal.idTaken(id) }
            return known
        }
        if stored?.state.periods.isEmpty ?? true {
            // Listed until something signed is known.
            try await wait(for: PendingReservation(key.scope, TransactionID(subscription), reservation))
        }
        try await note(reservation, on: key, app, settled: [])
        return reservation
    }

    /// Reserves the subscription that a transaction is of, which need not be known yet. Reserving it again for the same customer
    /// is safe.
    ///
    /// - Throws: `CustomerRefusal.idTaken`.
    package func reserve(
        _ transactionId: TransactionID, for customer: CustomerID, id: String, app name: AppID, environment: Environment
    ) async throws -> ReservationResult {
        try checkAppleId(transactionId.rawValue, name: "transactionId")
        let app = try settings(of: name)
        try app.checkTakes(environment)
        let scope = Scope(app: name, environment: environment)
        var pending = PendingReservation(scope, transactionId, try reservation(for: customer, id: id))
        if let key = try await subscription(having: pending) {
            return ReservationResult(reservation: try await reserve(key, for: customer, id: id), key: key)
        }
        if try await self.pending(pending) == nil { try await wait(for: pending) }
        // Whoever reserved first under the id has it; nil where it was found and settled meanwhile.
        if let known = try await self.pending(pending) {
            guard known.reservation.customer == customer else { throw CustomerRefusal.idTaken(id) }
            pending = known
        }
        // Whatever brings the transaction now finds what waits; what brought it before is committed by now, and is seen here.
        guard let key = try await subscription(having: pending) else {
            return ReservationResult(reservation: pending.reservation, key: nil)
        }
        try await note(pending.reservation, on: key, app, settled: [pending])
        return ReservationResult(reservation: pending.reservation, key: key)
    }

    /// What was reserved and is not known yet; at most `limit` after one.
    package func waitingReservations(
        app id: AppID, environment: Environment, after place: WaitingReservationPage.Place?, limit: Int
    ) async throws -> WaitingReservationPage {
        try settings(of: id).checkTakes(environment)
        let page = try await translatingStorageErrors {
            try await store.pendingReservations(
                in: Scope(app: id, environment: environment), after: place.map { .init($0.transactionId, $0.id) }, limit: limit)
        }
        return WaitingReservationPage(
            reservations: page.map { WaitingReservation(transactionId: $0.transactionId, reservation: $0.reservation) },
            last: page.count < limit ? nil : page.last.map { .init($0.transactionId, $0.reservation.id) })
    }

    private func checkAppleId(_ id: String, name: String) throws {
        guard id.isPlain(upTo: 64), !id.isEmpty else { throw BackendError.invalidIdentifier(name: name, longest: 64) }
    }

    private func reservation(for customer: CustomerID, id: String) throws -> Reservation {
        let now = clock.now()
        return Reservation(
            id: .init(try Ballot(id: id, at: now).id.rawValue), customer: try Self.named(customer), reservedAt: now)
    }

    /// Keeps it for whatever tells of the transaction later. While it is written nothing else of the app is: a transaction that
    /// brings what is reserved has ended before, or begins after.
    private func wait(for pending: PendingReservation) async throws {
        try await translatingStorageErrors {
            try await store.write { write in
                _ = try write.lockSettings(of: pending.scope.app)
                try write.keep(pending)
            }
        }
    }

    private func pending(_ pending: PendingReservation) async throws -> PendingReservation? {
        let page = try await translatingStorageErrors {
            try await store.pendingReservations(
                in: pending.scope, after: .init(pending.transactionId, .init("")), limit: Self.mostReservationsOfOne)
        }
        return page.first { $0.place == pending.place }
    }

    /// How many reservations of one transaction are looked at.
    private static let mostReservationsOfOne = 1000

    private func subscription(having pending: PendingReservation) async throws -> SubscriptionKey? {
        try await translatingStorageErrors {
            let named = SubscriptionKey(pending.scope, OriginalTransactionID(pending.transactionId.rawValue))
            if try await store.subscription(named)?.state.periods.isEmpty == false { return named }
            return try await store.subscriptions(having: pending.transactionId, app: pending.scope.app).first {
                $0.scope == pending.scope
            }
        }
    }

    private func note(
        _ reservation: Reservation, on key: SubscriptionKey, _ app: AppSettings, settled: [PendingReservation]
    ) async throws {
        var request = IngestRequest(app: app, learnedAt: reservation.reservedAt)
        request.subscriptionInputs = [.init(key: key, input: .reservation(reservation))]
        request.settled = settled
        _ = try await ingest(request)
    }
}
