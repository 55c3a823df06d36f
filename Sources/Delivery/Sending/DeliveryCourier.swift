internal import AsyncHTTPClient
package import Backend
internal import NIOCore
internal import NIOHTTP1
package import Primitives

/// Signs parcels and hands them to receivers over HTTP, each attempt within limits of time and size.
///
/// It follows no redirection, uses no proxy, unpacks nothing, and connects only to addresses that ``AddressGuard`` has checked.
/// It repeats nothing by itself, but tries the next address of a name where nobody was reached at one.
///
/// Source: TELL-1, TELL-4; T40, T46, T48; Standard Webhooks 1.0.
package final class DeliveryCourier: Courier {
    /// How many addresses of a name are tried in one attempt.
    static let triedAddresses = 3

    private let deadline: Milliseconds
    private let secrets: SecretBox
    private let addresses: AddressGuard
    private let clock: any TimeSource
    private let shelf: ClientShelf
    private let pause: @Sendable (Milliseconds) async throws -> Void

    /// How many clients are kept, for tests.
    var clients: Int { shelf.count }

    /// A courier; ``shutdown()`` must be called before it is released.
    ///
    /// - Parameters:
    ///   - configuration: limits and roots.
    ///   - secrets: with the keys of the configuration; without one nothing can be signed.
    ///   - addresses: which addresses may be connected to; its resolver is shut down with the courier.
    ///   - clock: the machine's time, never a simulated one: receivers compare it with theirs.
    ///   - steadyClock: by which names are looked up again; it never goes back.
    ///   - pause: returns after a duration, or throws when it is cancelled: the deadline of an attempt.
    /// - Throws: ``DeliveryConfigurationError``.
    package init(
        _ configuration: DeliveryConfiguration = DeliveryConfiguration(), secrets: SecretBox, addresses: AddressGuard,
        clock: any TimeSource, steadyClock: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now },
        pause: @escaping @Sendable (Milliseconds) async throws -> Void = {
            try await Task.sleep(for: .milliseconds($0.count))
        }
    ) throws(DeliveryConfigurationError) {
        shelf = try ClientShelf(configuration, addresses: addresses, now: steadyClock)
        deadline = configuration.deadline
        self.secrets = secrets
        self.addresses = addresses
        self.clock = clock
        self.pause = pause
    }

    /// Ends what is on its way and closes all connections. Calling it twice is safe.
    package func shutdown() async throws {
        await addresses.shutdown()
        try await shelf.shutdown()
    }

    /// Runs something that uses the courier, and shuts it down however that ends.
    package func closing<Value>(_ body: () async throws -> Value) async throws -> Value {
        let value: Value
        do {
            value = try await body()
        } catch {
            try await shutdown()
            throw error
        }
        try await shutdown()
        return value
    }

    // MARK: Before anything is sent

    /// As ``Courier/check(_:)``.
    package func check(_ url: String) async throws(AddressRefusal) {
        let form = try addresses.form(of: url)
        do throws(AddressGuard.Failure) {
            _ = try await addresses.addresses(for: form)
        } catch {
            throw AddressRefusal(error.words)
        }
    }

    /// As ``Courier/makeSecret(_:of:)``.
    package func makeSecret(_ kind: SealedSecret.Kind, of owner: String) throws(SecretRefusal) -> FreshSecret {
        try secrets.makeSecret(kind, of: owner)
    }

    // MARK: Sending

    /// As ``Courier/send(_:to:of:)``.
    package func send(_ parcel: Parcel, to target: ParcelTarget, of owner: String) async -> ParcelOutcome {
        let began = ContinuousClock.now
        let answer: ParcelOutcome.Answer
        do {
            let url = try addresses.form(of: target.url)
            let signatures = try signatures(of: parcel, target.secrets, owner)
            answer = await inTime { await self.answer(to: parcel, signatures, at: url) }
        } catch let refusal as AddressRefusal {
            answer = .failed(.addressRefused, words: refusal.description)
        } catch let error as SecretBoxError {
            answer = .failed(.secretUnreadable, words: error.description)
        } catch {
            answer = .failed(.secretUnreadable, words: "the parcel could not be signed")
        }
        let (seconds, attoseconds) = began.duration(to: .now).components
        return ParcelOutcome(answer, took: Milliseconds(seconds * 1000 + attoseconds / 1_000_000_000_000_000))
    }

    private func signatures(of parcel: Parcel, _ sealed: [SealedSecret], _ owner: String) throws -> [ParcelHeader] {
        if sealed.isEmpty { return [] }
        let opened = try sealed.map { try secrets.open($0, of: owner) }
        return try StandardWebhooks.headers(id: parcel.id, at: clock.now(), body: parcel.body, secrets: opened)
    }

    /// The answer, or that none came within the deadline. An answer whose body had not ended by then counts.
    private func inTime(_ body: @escaping @Sendable () async -> ParcelOutcome.Answer) async -> ParcelOutcome.Answer {
        await withTaskGroup(of: ParcelOutcome.Answer?.self) { group in
            group.addTask { await body() }
            group.addTask { await self.waitForDeadline() }
            let first = await group.next() ?? nil
            group.cancelAll()
            if let first { return first }
            let late = await group.next() ?? nil
            if let late, case .answered = late { return late }
            return Task.isCancelled ? .failed(.connectionLost, words: "the attempt was cancelled") : Self.timedOut
        }
    }

    private static let timedOut = ParcelOutcome.Answer.failed(.timedOut, words: "no answer came in time")

    /// Nil when the deadline is over, and when the task was cancelled before.
    private func waitForDeadline() async -> ParcelOutcome.Answer? {
        do {
            try await pause(deadline)
        } catch {
            return nil
        }
        return nil
    }

    private func answer(to parcel: Parcel, _ signatures: [ParcelHeader], at url: EndpointURL) async -> ParcelOutcome.Answer {
        let request = Self.request(parcel, signatures, url)
        var tried = 0
        while true {
            let lease: ClientShelf.Lease
            do throws(ClientShelf.Refusal) {
                lease = try await shelf.lease(for: url)
            } catch {
                return error.answer
            }
            let answer = await ParcelExchange.answer(to: request, by: lease.client, timeout: deadline, now: clock.now)
            tried += 1
            var isUnreached = false
            if case .failed(.connectionFailed, _) = answer { isUnreached = true }
            await shelf.giveBack(lease, isUnreached: isUnreached)
            guard isUnreached, tried < min(lease.addresses, Self.triedAddresses), !Task.isCancelled else { return answer }
        }
    }

    private static func request(_ parcel: Parcel, _ signatures: [ParcelHeader], _ url: EndpointURL) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: url.text)
        request.method = .POST
        request.headers.add(name: "User-Agent", value: "Tenure")
        request.headers.add(name: "Content-Type", value: parcel.contentType)
        for header in parcel.headers where header.refusal == nil { request.headers.add(name: header.name, value: header.value) }
        for header in signatures { request.headers.add(name: header.name, value: header.value) }
        request.body = .bytes(ByteBuffer(bytes: parcel.body))
        return request
    }
}

extension AddressGuard.Failure {
    /// A sentence.
    fileprivate var words: String {
        switch self {
        case .refused(let refusal): refusal.description
        case .name(.unknown): "the name of the host has no address"
        case .name(.noAnswer): "the name of the host was not resolved in time"
        }
    }
}

extension ClientShelf.Refusal {
    fileprivate var answer: ParcelOutcome.Answer {
        switch self {
        case .address(let failure):
            switch failure {
            case .refused: .failed(.addressRefused, words: failure.words)
            case .name: .failed(.nameUnknown, words: failure.words)
            }
        case .closed: .failed(.connectionLost, words: "the attempt was cancelled")
        }
    }
}
