package import Ledger
package import Primitives
package import Storage

extension Backend {
    /// An endpoint of an app, by its id.
    package typealias EndpointName = Storage.EndpointName

    /// - Throws: `BackendError.unknownApp`.
    package func endpoint(_ id: String, of app: AppID) throws -> EndpointName { EndpointName(try settings(of: app).id, id) }
}

/// Endpoints by the hand of people.
extension DeliveryDesk {
    package static let mostEndpoints = 50
    /// How long an old secret signs beside the new one, at the most and unless said.
    package static let longestOverlap = Milliseconds.hours(24)

    /// An endpoint, and the secrets that were made with it.
    package typealias Saved = (endpoint: EndpointView, newSecrets: [NewSecret])

    package func endpoints(of app: AppID) async throws -> [EndpointView] {
        try await translatingStorageErrors {
            var views: [EndpointView] = []
            for stored in try await store.webhookEndpoints(of: app) { views.append(try await view(of: stored)) }
            return views
        }
    }

    /// - Throws: ``WebhookRefusal/unknownEndpoint(_:)``.
    package func endpoint(_ name: EndpointName) async throws -> EndpointView {
        try await translatingStorageErrors {
            guard let stored = try await store.webhookEndpoint(name) else { throw WebhookRefusal.unknownEndpoint(name.id) }
            return try await view(of: stored)
        }
    }

    /// Makes an endpoint, or changes the one that has the id: what it was told stays told. A new one has new secrets.
    ///
    /// - Parameter taken: the app's environments.
    /// - Throws: ``WebhookRefusal``.
    package func save(_ order: EndpointOrder, as name: EndpointName, taken: [Environment]) async throws -> Saved {
        guard Self.isId(name.id) else { throw WebhookRefusal.invalidId }
        let by = ActingKey.signed("appBackend")
        var wanted = try order.content(taken: taken)
        wanted.changedBy = by
        let content = wanted
        do throws(AddressRefusal) {
            try await courier.check(content.url)
        } catch {
            throw WebhookRefusal.addressRefused(error)
        }
        return try await translatingStorageErrors {
            let known = try await store.webhookEndpoints(of: name.app)
            guard known.contains(where: { $0.name == name }) || known.count < Self.mostEndpoints else {
                throw WebhookRefusal.tooManyEndpoints(most: Self.mostEndpoints)
            }
            var begin: [Environment: LogPlace] = [:]
            for environment in content.environments {
                begin[environment] = try await place(of: order.since, name.app, environment, content.format)
            }
            let (places, now) = (begin, clock.now())
            let (stored, made) = try await store.write { transaction in
                let locked = try transaction.lockEndpoint(name)
                // What was told in one format would be told again in the other, under other ids.
                guard locked.map({ $0.content.format == content.format }) ?? true else {
                    throw WebhookRefusal.invalid(field: "format", reason: "stays as the endpoint was made; make another one")
                }
                var endpoint =
                    locked
                    ?? StoredEndpoint(
                        name, createdAt: now, content: content, secrets: [], standing: DeliveryStanding(from: places))
                endpoint.standing.follow(content.environments) { places[$0] ?? .start }
                // Another address deserves another chance.
                if endpoint.content.url != content.url, endpoint.standing.pausedAt == nil { endpoint.standing.resume() }
                endpoint.content = content
                let made = try self.fillSecrets(of: &endpoint, at: now)
                try transaction.save(endpoint)
                try transaction.note(locked == nil ? .madeEndpoint : .changedEndpoint, name, by: by, at: now)
                return (endpoint, made)
            }
            return (try await view(of: stored), made)
        }
    }

    /// - Throws: ``WebhookRefusal/unknownEndpoint(_:)``.
    package func remove(_ name: EndpointName) async throws {
        let (now, by) = (clock.now(), ActingKey.signed("appBackend"))
        try await translatingStorageErrors {
            try await store.write { transaction in
                guard try transaction.lockEndpoint(name) != nil else { throw WebhookRefusal.unknownEndpoint(name.id) }
                try transaction.remove(name)
                try transaction.note(.removedEndpoint, name, by: by, at: now)
            }
        }
    }

    /// Stops sending; what is told meanwhile waits.
    package func pause(_ name: EndpointName) async throws -> EndpointView {
        let now = clock.now()
        return try await change(name, .pausedEndpoint) { $0.standing.pause(at: now) }
    }

    /// Goes on with a paused, failing or disabled endpoint where it was, slowly at first.
    package func resume(_ name: EndpointName) async throws -> EndpointView {
        try await change(name, .resumedEndpoint) { $0.standing.resume() }
    }

    /// Makes new secrets; the old ones sign beside them for a while, so that receivers can change over.
    ///
    /// - Parameter overlap: 0 to ``longestOverlap``.
    /// - Throws: ``WebhookRefusal``; ``AnsweredBefore``.
    package func rotate(
        _ name: EndpointName, overlap: Milliseconds, once: Once<Saved> = .unkeyed
    ) async throws -> Saved {
        guard (0...Self.longestOverlap.count).contains(overlap.count) else {
            throw WebhookRefusal.invalid(field: "overlap", reason: "is from 0 to \(Self.longestOverlap.count) ms: a day")
        }
        let (now, by) = (clock.now(), ActingKey.signed("appBackend"))
        return try await translatingStorageErrors {
            let waitingSince = once.isKeyed ? try await waitingSince(of: name) : nil
            let saved: Saved = try await store.write { transaction in
                try once.perform(in: transaction, at: now) {
                    guard var endpoint = try transaction.lockEndpoint(name) else {
                        throw WebhookRefusal.unknownEndpoint(name.id)
                    }
                    let made = try self.rotateSecrets(of: &endpoint, overlap: overlap, at: now)
                    endpoint.content.changedBy = by
                    try transaction.save(endpoint)
                    try transaction.note(.rotatedSecrets, name, by: by, at: now)
                    return (EndpointView(endpoint, waitingSince: waitingSince, at: now), made)
                }
            }
            return once.isKeyed ? saved : (try await endpoint(name), saved.newSecrets)
        }
    }

    private func rotateSecrets(
        of endpoint: inout StoredEndpoint, overlap: Milliseconds, at now: Timestamp
    ) throws -> [NewSecret] {
        guard endpoint.content.signature != .none else {
            throw WebhookRefusal.invalid(field: "format", reason: "is raw, which is not signed")
        }
        let (end, secrets) = (now.adding(overlap), endpoint.secrets)
        // At most two sign at once: the newest of the old ones, and the new one.
        endpoint.secrets = endpoint.content.signature.kinds.flatMap { kind in
            secrets.filter { $0.kind == kind.rawValue && $0.isLive(at: now) }.prefix(1).map { secret in
                var old = secret
                old.endsAt = min(old.endsAt ?? end, end)
                return old
            }
        }
        return try makeSecrets(endpoint.content.signature.kinds, of: &endpoint, at: now)
    }

    /// Sends a `webhook.test` now, whatever state the endpoint is in, and says what came of it.
    package func test(_ name: EndpointName) async throws -> AttemptView {
        try await translatingStorageErrors {
            guard let endpoint = try await store.webhookEndpoint(name) else { throw WebhookRefusal.unknownEndpoint(name.id) }
            guard endpoint.content.format != .raw else {
                throw WebhookRefusal.invalid(
                    field: "format",
                    reason: "is raw: only what Apple posts is passed on. requestTestNotification asks Apple for one")
            }
            let (now, id) = (clock.now(), Hexadecimal.encode((0..<16).map { _ in UInt8.random(in: .min ... .max) }))
            let parcel = Self.testParcel("evt_test_\(id)", for: endpoint, at: now)
            guard let attempt = await send(parcel, of: nil, to: endpoint, isResent: false) else { throw CancellationError() }
            try await store.write { transaction in
                guard var endpoint = try transaction.lockEndpoint(name) else { return }
                try transaction.keep([attempt].numbered(after: endpoint.standing, of: name))
                endpoint.standing.countTest(isDelivered: attempt.isDelivered)
                try transaction.save(endpoint)
            }
            return AttemptView(attempt)
        }
    }

    /// A test in the endpoint's format.
    private static func testParcel(_ id: String, for endpoint: StoredEndpoint, at now: Timestamp) -> Parcel {
        let (app, content) = (endpoint.name.app, endpoint.content)
        let body: String
        switch content.format {
        // Only what Apple posts is passed on: of raw there is no test.
        case .tenure, .raw:
            let data = EventEnvelope.testData(app: app, endpoint: endpoint.name.id)
            body = EventEnvelope.body(type: "webhook.test", timestamp: "\(now)", data: data)
        case .revenuecat:
            let scope = Scope(app: app, environment: content.environments.first ?? .sandbox)
            body = RevenueCatBody.test(of: scope, at: now).text(id: id)
        }
        return Parcel(id: id, body: Array(body.utf8), headers: content.parcelHeaders)
    }

    // MARK: Together

    func view(of stored: StoredEndpoint) async throws -> EndpointView {
        EndpointView(stored, waitingSince: try await waitingSince(of: stored), at: clock.now())
    }

    /// - Throws: ``WebhookRefusal/unknownEndpoint(_:)``.
    private func waitingSince(of name: EndpointName) async throws -> Timestamp? {
        guard let stored = try await store.webhookEndpoint(name) else { throw WebhookRefusal.unknownEndpoint(name.id) }
        return try await waitingSince(of: stored)
    }

    /// When the oldest was told of what waits for it; nil where nothing waits.
    private func waitingSince(of stored: StoredEndpoint) async throws -> Timestamp? {
        var oldest: Timestamp? = stored.standing.held.lazy.map(\.since).min()
        let feed = EndpointFeed(store, of: stored)
        for (environment, place) in stored.standing.places {
            let next = try await feed.page(of: environment, after: place, limit: 1).events.first
            if let next { oldest = min(oldest ?? next.toldAt, next.toldAt) }
        }
        return oldest
    }

    /// - Parameter act: as it is audited.
    func change(
        _ name: EndpointName, _ act: AuditedAct, once: Once<EndpointView> = .unkeyed,
        _ body: @escaping @Sendable (inout StoredEndpoint) throws -> Void
    ) async throws -> EndpointView {
        let (now, by) = (clock.now(), ActingKey.signed("appBackend"))
        return try await translatingStorageErrors {
            // An answer that is kept must be whole when it is; else what waits is looked at once the change is made.
            let waitingSince = once.isKeyed ? try await waitingSince(of: name) : nil
            let changed = try await store.write { transaction in
                try once.perform(in: transaction, at: now) {
                    guard var endpoint = try transaction.lockEndpoint(name) else {
                        throw WebhookRefusal.unknownEndpoint(name.id)
                    }
                    try body(&endpoint)
                    endpoint.content.changedBy = by
                    try transaction.save(endpoint)
                    try transaction.note(act, name, by: by, at: now)
                    return EndpointView(endpoint, waitingSince: waitingSince, at: now)
                }
            }
            return once.isKeyed ? changed : try await endpoint(name)
        }
    }

    private func place(
        of since: Timestamp?, _ app: AppID, _ environment: Environment, _ format: WebhookEndpoint.Format
    ) async throws -> LogPlace {
        guard let since else { return try await EndpointFeed(store, of: app, format).end(of: environment) }
        return try await store.logPlace(of: Scope(app: app, environment: environment), before: since)
    }

    /// Makes the secrets that its signatures need and it has not, and forgets those that they do not need.
    private func fillSecrets(of endpoint: inout StoredEndpoint, at now: Timestamp) throws -> [NewSecret] {
        let kinds = endpoint.content.signature.kinds
        endpoint.secrets.removeAll { secret in !secret.isLive(at: now) || !kinds.contains { $0.rawValue == secret.kind } }
        let missing = kinds.filter { kind in !endpoint.secrets.contains { $0.kind == kind.rawValue } }
        return try makeSecrets(missing, of: &endpoint, at: now)
    }

    private func makeSecrets(
        _ kinds: [SealedSecret.Kind], of endpoint: inout StoredEndpoint, at now: Timestamp
    ) throws -> [NewSecret] {
        var made: [NewSecret] = []
        for kind in kinds {
            let fresh: FreshSecret
            do throws(SecretRefusal) {
                fresh = try courier.makeSecret(kind, of: endpoint.name.owner)
            } catch {
                switch error {
                case .noKey: throw WebhookRefusal.noSecretKey
                }
            }
            let kept = EndpointSecret(
                kind: kind.rawValue, fingerprint: fresh.sealed.fingerprint, sealed: fresh.sealed.sealed, madeAt: now)
            endpoint.secrets.insert(kept, at: 0)
            made.append(NewSecret(kind: kind.rawValue, text: fresh.text))
        }
        return made
    }

    private static func isId(_ id: String) -> Bool {
        (1...64).contains(id.utf8.count)
            && id.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

extension WebhookEndpoint.Signature {
    /// The kinds of secrets that it needs.
    var kinds: [SealedSecret.Kind] {
        switch self {
        case .v1: [.v1]
        case .v1a: [.v1a]
        case .both: [.v1, .v1a]
        case .none: []
        }
    }
}

extension OperatorTransaction {
    /// Writes what was done to an endpoint into the audit of operators: an endpoint that was removed says no more of itself.
    ///
    /// - Parameter actor: with the key's name behind a slash.
    fileprivate func note(_ act: AuditedAct, _ name: EndpointName, by actor: String, at now: Timestamp) throws {
        var note = OperatorNote(by: actor, at: now, act.rawValue)
        (note.app, note.subject) = (name.app, name.id)
        _ = try append(note)
    }
}
