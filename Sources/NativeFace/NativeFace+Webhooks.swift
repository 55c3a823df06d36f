import APIContract
import Backend
import Ledger
import Primitives
import Server

/// Endpoints of webhooks, and what was sent to them.
extension NativeFace {
    func addWebhooks(to router: inout EndpointRouter) {
        router.on(NativeAPI.listWebhookEndpoints, listWebhookEndpoints)
        router.on(NativeAPI.saveWebhookEndpoint, saveWebhookEndpoint)
        router.on(NativeAPI.readWebhookEndpoint) { call in WebhookEndpointBody(try await webhooks.endpoint(name(call))) }
        router.on(NativeAPI.deleteWebhookEndpoint) { call in
            try await webhooks.remove(name(call))
            return NoContent()
        }
        router.on(NativeAPI.pauseWebhookEndpoint) { call in WebhookEndpointBody(try await webhooks.pause(name(call))) }
        router.on(NativeAPI.resumeWebhookEndpoint) { call in WebhookEndpointBody(try await webhooks.resume(name(call))) }
        router.on(NativeAPI.rotateWebhookSecret, rotateWebhookSecret)
        router.on(NativeAPI.testWebhookEndpoint) { call in WebhookAttemptBody(try await webhooks.test(name(call))) }
        router.on(NativeAPI.listWebhookAttempts, listWebhookAttempts)
        router.on(NativeAPI.listParkedEvents, listParkedEvents)
        router.on(NativeAPI.resendEvents, resendEvents)
    }

    private typealias OfEndpoint<Query: QueryParameters, Body: RequestContent> = Call<WebhookPath, Query, Body>

    private func name(_ call: OfEndpoint<some QueryParameters, some RequestContent>) throws -> Backend.EndpointName {
        try backend.endpoint(call.path.endpoint, of: call.app)
    }

    private func listWebhookEndpoints(_ call: OfApp<NoQuery, NoBody>) async throws -> WebhookEndpointsBody {
        WebhookEndpointsBody(items: try await webhooks.endpoints(of: call.app).map { WebhookEndpointBody($0) })
    }

    private func saveWebhookEndpoint(_ call: OfEndpoint<NoQuery, EndpointOrderBody>) async throws -> WebhookEndpointBody {
        let body = call.body
        var order = EndpointOrder(url: body.url)
        (order.description, order.types) = (body.description ?? "", body.types ?? [])
        (order.environments, order.format) = (body.environments, body.format)
        (order.signature, order.since) = (body.signature, body.since)
        order.concurrency = body.concurrency.map { Int($0) }
        order.headers = (body.headers ?? []).map { ParcelHeader($0.name, $0.value) }
        let taken = try backend.settings(of: call.app).environments
        return WebhookEndpointBody(try await webhooks.save(order, as: try name(call), taken: taken))
    }

    private func rotateWebhookSecret(_ call: OfEndpoint<NoQuery, RotationBody>) async throws -> WebhookEndpointBody {
        let overlap = call.body.overlap.map { Milliseconds($0) } ?? DeliveryDesk.longestOverlap
        return WebhookEndpointBody(
            try await webhooks.rotate(try name(call), overlap: overlap, once: call.once { WebhookEndpointBody($0) }))
    }

    private func listWebhookAttempts(
        _ call: OfEndpoint<AttemptsQuery, NoBody>
    ) async throws -> PageBody<WebhookAttemptBody> {
        let (endpoint, query, name) = (NativeAPI.listWebhookAttempts, call.query, try name(call))
        let list = "\(endpoint.operationId)/\(call.path.app)/\(call.path.endpoint)"
        let place = try query.page.after.map { cursor throws(CursorInvalid) in
            guard let place = AttemptPlace(try PageCursor.decode(cursor, of: list)) else { throw CursorInvalid() }
            return place
        }
        let (attempts, end) = try await webhooks.attempts(
            of: name, delivered: query.delivered, after: place ?? .newest, limit: query.page.limit)
        var following = query
        following.page.after = PageCursor.encode(end.text, of: list)
        return PageBody(
            items: attempts.map { WebhookAttemptBody($0) },
            next: attempts.count < query.page.limit ? nil : endpoint.path(call.path, following))
    }

    private func listParkedEvents(_ call: OfEndpoint<ListQuery, NoBody>) async throws -> PageBody<ParkedEventItem> {
        let (endpoint, query, name) = (NativeAPI.listParkedEvents, call.query, try name(call))
        let list = "\(endpoint.operationId)/\(call.path.app)/\(call.path.endpoint)"
        guard let number = Int64(try query.after.map { try PageCursor.decode($0, of: list) } ?? "0") else {
            throw CursorInvalid()
        }
        let parked = try await webhooks.parked(of: name, after: number, limit: query.limit)
        var following = query
        following.after = PageCursor.encode("\(parked.last?.number ?? number)", of: list)
        return PageBody(
            items: parked.map { ParkedEventItem(WebhookEventWords($0.event), parkedAt: $0.parkedAt, outcome: $0.outcome) },
            next: parked.count < query.limit ? nil : endpoint.path(call.path, following))
    }

    private func resendEvents(_ call: OfEndpoint<NoQuery, ResendBody>) async throws -> WebhookEndpointBody {
        let body = call.body
        let events = body.events ?? []
        guard events.count <= ResendBody.mostEvents else {
            throw InvalidBody(member: "events", reason: "names more than \(ResendBody.mostEvents)")
        }
        var orders: [DeliveryDesk.ResendOrder] = events.map { event in
            .event(
                subscription: event.subscription.map { OriginalTransactionID($0) },
                customer: event.customer.map { CustomerID($0) }, event.environment ?? .production, sequence: event.sequence)
        }
        if let range = body.range {
            orders.append(.range(range.environment ?? .production, from: range.from, to: range.to))
        }
        if body.parked == true { orders.append(.parked) }
        guard !orders.isEmpty else { throw InvalidBody(member: nil, reason: "names nothing that is to be sent once more") }
        return WebhookEndpointBody(
            try await webhooks.resend(orders, to: try name(call), once: call.once { WebhookEndpointBody($0) }))
    }
}

extension WebhookEndpointBody {
    fileprivate init(_ saved: DeliveryDesk.Saved) {
        self.init(saved.endpoint)
        if !saved.newSecrets.isEmpty {
            newSecrets = saved.newSecrets.map { NewWebhookSecretItem(kind: $0.kind, text: $0.text) }
        }
    }

    fileprivate init(_ view: EndpointView) {
        self.init(id: view.id, url: view.url, createdAt: view.createdAt, state: view.state.rawValue)
        (description, types, environments) = (view.description, view.types, view.environments)
        (format, signature, concurrency) = (view.format, view.signature, Int64(view.concurrency))
        headers = view.headers.map { WebhookHeaderItem(name: $0.name, value: $0.value) }
        changedBy = view.changedBy
        (stateSince, reason, nextAttemptAt) = (view.stateSince, view.reason, view.nextAttemptAt)
        (waitingSince, waitingSubjects) = (view.waitingSince, Int64(view.waitingSubjects))
        (delivered, failed, deliveredAt) = (view.delivered, view.failed, view.deliveredAt)
        (resends, worker) = (Int64(view.resends), view.worker)
        secrets = view.secrets.map {
            WebhookSecretItem(kind: $0.kind, fingerprint: $0.fingerprint, madeAt: $0.madeAt, endsAt: $0.endsAt)
        }
    }
}

extension WebhookEventWords {
    fileprivate init(_ event: EventRef) {
        self.init(eventId: event.id, type: event.type, environment: event.environment, sequence: event.sequence)
        (subscription, customer) = (event.subscription?.rawValue, event.customer?.rawValue)
        endpoint = event.endpoint
    }
}

extension WebhookAttemptBody {
    fileprivate init(_ view: AttemptView) {
        self.init(
            at: view.at, url: view.url, tookMilliseconds: view.took.count, isResent: view.isResent,
            isDelivered: view.isDelivered)
        (event, status) = (view.event.map { WebhookEventWords($0) }, view.status.map { Int64($0) })
        (failure, words, answer, fingerprints) = (view.failure, view.words, view.answer, view.fingerprints)
    }
}
