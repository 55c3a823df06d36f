internal import AsyncHTTPClient
internal import Primitives
internal import Synchronization

/// The clients of the endpoints that were used last: each connects to one checked address, and is made anew when the endpoint's
/// addresses have changed.
///
/// A client that is taken off the shelf ends what is on its way before it is shut down.
///
/// Source: TELL-4.
final class ClientShelf: Sendable {
    /// A client for one use; it must be given back.
    struct Lease: Sendable {
        let client: HTTPClient
        /// How many addresses the endpoint has.
        let addresses: Int
        fileprivate let url: EndpointURL
        fileprivate let number: Int
    }

    /// Why there is no client.
    enum Refusal: Error, Sendable {
        case address(AddressGuard.Failure)
        /// The shelf was shut down.
        case closed
    }

    private struct Slot {
        let url: EndpointURL
        let client: HTTPClient
        /// The first one is connected to.
        let addresses: [IPAddress]
        var checkedAt: ContinuousClock.Instant
        var users = 0
        var lastUse = 0
    }

    private struct State {
        /// By number; those that are in use though they are not on the shelf any more are here, too.
        var slots: [Int: Slot] = [:]
        var shelf: [EndpointURL: Int] = [:]
        var uses = 0
        var isClosed = false
        /// Of clients that were shut down since; nothing can be done about them, but they are told at the end.
        var failures: [any Error] = []
    }

    private let addresses: AddressGuard
    private let settings: ClientSettings
    private let recheckAfter: Duration
    private let capacity: Int
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    init(
        _ configuration: DeliveryConfiguration, addresses: AddressGuard, now: @escaping @Sendable () -> ContinuousClock.Instant
    ) throws(DeliveryConfigurationError) {
        settings = try ClientSettings(configuration)
        self.addresses = addresses
        recheckAfter = .milliseconds(configuration.recheckAfter.count)
        capacity = max(1, configuration.endpoints)
        self.now = now
    }

    /// How many clients there are.
    var count: Int { state.withLock { $0.slots.count } }

    /// A client for an endpoint, after a look-up of its name where the last one is too old.
    func lease(for url: EndpointURL) async throws(Refusal) -> Lease {
        let present = try state.withLock { state throws(Refusal) in
            if state.isClosed { throw .closed }
            return fresh(url, in: &state)
        }
        if let present { return present }
        let found: [IPAddress]
        do throws(AddressGuard.Failure) {
            found = try await addresses.addresses(for: url)
        } catch {
            throw .address(error)
        }
        let placed = try state.withLock { state throws(Refusal) in
            if state.isClosed { throw .closed }
            return place(found, of: url, in: &state)
        }
        guard let placed else { throw .address(.name(.unknown)) }
        await shutDown(placed.idle)
        return placed.lease
    }

    /// Gives a client back.
    ///
    /// - Parameter isUnreached: nobody was reached at its address, so that the endpoint's next one is tried next.
    func giveBack(_ lease: Lease, isUnreached: Bool) async {
        let idle = state.withLock { state in
            state.slots[lease.number]?.users -= 1
            guard isUnreached, state.shelf[lease.url] == lease.number, let slot = state.slots[lease.number],
                slot.addresses.count > 1
            else { return withoutUnused(in: &state) }
            let turned = Array(slot.addresses.dropFirst()) + slot.addresses.prefix(1)
            _ = add(turned, of: lease.url, checkedAt: slot.checkedAt, to: &state)
            return withoutUnused(in: &state)
        }
        await shutDown(idle)
    }

    /// Ends what is on its way and closes all connections. Calling it twice is safe.
    func shutdown() async throws {
        let clients = state.withLock { state in
            state.isClosed = true
            state.shelf = [:]
            defer { state.slots = [:] }
            return state.slots.values.map(\.client)
        }
        await shutDown(clients)
        let failure = state.withLock { state in
            defer { state.failures = [] }
            return state.failures.first
        }
        if let failure { throw failure }
    }

    // MARK: With the lock held

    private func fresh(_ url: EndpointURL, in state: inout State) -> Lease? {
        guard let number = state.shelf[url], let slot = state.slots[number], now() - slot.checkedAt < recheckAfter else {
            return nil
        }
        return use(number, in: &state)
    }

    /// The lease, and the clients that nobody needs any more; nil where there is no address.
    private func place(_ found: [IPAddress], of url: EndpointURL, in state: inout State) -> (lease: Lease, idle: [HTTPClient])? {
        if let number = state.shelf[url], let slot = state.slots[number], Set(slot.addresses) == Set(found),
            let lease = use(number, in: &state)
        {
            state.slots[number]?.checkedAt = now()
            return (lease, [])
        }
        guard let number = add(found, of: url, checkedAt: now(), to: &state), let lease = use(number, in: &state) else {
            return nil
        }
        return (lease, withoutUnused(in: &state))
    }

    private func use(_ number: Int, in state: inout State) -> Lease? {
        guard var slot = state.slots[number] else { return nil }
        state.uses += 1
        slot.users += 1
        slot.lastUse = state.uses
        state.slots[number] = slot
        return Lease(client: slot.client, addresses: slot.addresses.count, url: slot.url, number: number)
    }

    /// Puts a new client on the shelf, in place of the endpoint's present one.
    private func add(
        _ addresses: [IPAddress], of url: EndpointURL, checkedAt: ContinuousClock.Instant, to state: inout State
    ) -> Int? {
        guard let first = addresses.first else { return nil }
        state.uses += 1
        let number = state.uses
        state.slots[number] = Slot(
            url: url, client: settings.client(for: url, at: first), addresses: addresses, checkedAt: checkedAt, lastUse: number)
        state.shelf[url] = number
        return number
    }

    /// Takes away the slots that are neither used nor on the shelf, and from the shelf the ones that are beyond its capacity.
    private func withoutUnused(in state: inout State) -> [HTTPClient] {
        while state.shelf.count > capacity {
            let oldest = state.shelf.min { state.slots[$0.value]?.lastUse ?? 0 < state.slots[$1.value]?.lastUse ?? 0 }
            guard let oldest else { break }
            state.shelf[oldest.key] = nil
        }
        let unused = state.slots.filter { $0.value.users == 0 && state.shelf[$0.value.url] != $0.key }
        for number in unused.keys { state.slots[number] = nil }
        return unused.values.map(\.client)
    }

    // MARK: Without it

    private func shutDown(_ clients: [HTTPClient]) async {
        for client in clients {
            do {
                try await client.shutdown()
            } catch {
                state.withLock { $0.failures.append(error) }
            }
        }
    }
}
