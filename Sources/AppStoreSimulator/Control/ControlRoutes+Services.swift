internal import AppStoreModel
internal import Hummingbird
internal import Primitives
internal import StrictJSON

/// How Apple's services behave: faults, limits, keys, what they show late, and the calls that came.
extension ControlRoutes {
    func addServices(to group: RouterGroup<BasicRequestContext>) {
        group.get("/faults") { _, _ in
            let faults = await simulator.presentFaults
            return Response.json { $0.list("faults", faults) { $0.members(of: $1) } }
        }
        group.post("/faults") { request, _ in
            let body = try await JSONFields(request, members: ["faults", "seed"])
            let faults = try body.faults()
            for app in faults.compactMap(\.app) { _ = try await simulator.app(app) }
            await simulator.setFaults(faults, seed: try body.seed())
            return Response.json { $0.list("faults", faults) { $0.members(of: $1) } }
        }
        group.get("/behaviour") { _, _ in
            let present = await simulator.presentBehaviour
            return Response.json { $0.members(of: present) }
        }
        group.post("/behaviour", use: setBehaviour)
        group.get("/limits", use: listLimits)
        group.post("/limits", use: setLimit)
        group.get("/calls", use: listCalls)
        group.post("/calls/forget") { request, _ in
            _ = try await JSONFields(request, members: [])
            await simulator.forgetCalls()
            return Response.json { _ in }
        }
        addKeys(to: group)
    }

    private func addKeys(to group: RouterGroup<BasicRequestContext>) {
        group.get("/keys") { request, _ in
            let (issuer, keys) = await simulator.keys(of: try await app(request))
            return Response.json { json in
                json.nullableMember("issuerId", issuer)
                json.list("keys", keys) { $0.members(of: $1) }
            }
        }
        group.post("/keys") { request, _ in
            let body = try await JSONFields(request, members: ["app", "keyId"])
            let key = try await simulator.addKey(
                try body.requiredText("keyId"), to: try await simulator.app(try body.text("app")))
            return Response.json(.created) { $0.members(of: key) }
        }
        group.post("/keys/:keyId/revocation") { request, context in
            let body = try await JSONFields(request, members: ["app", "enabled"])
            let key = try await simulator.setRevoked(
                try body.requiredBool("enabled"), key: try context.parameters.require("keyId"),
                of: try await simulator.app(try body.text("app")))
            return Response.json { $0.members(of: key) }
        }
    }

    @Sendable private func setBehaviour(_ request: Request, _: BasicRequestContext) async throws -> Response {
        let body = try await JSONFields(request, members: JSONFields.behaviourMembers)
        let lag = try body.seconds("transactionLagSeconds", upTo: ServiceBehaviour.longestLag)
        let (form, change) = (try body.notificationFormChange(), try body.behaviourChange())
        let present = try await simulator.setBehaviour(transactionLag: lag, form: form, change)
        return Response.json { $0.members(of: present) }
    }

    // MARK: Limits and calls

    /// The environment that the query names; the usual one where it names none.
    private func usualEnvironment(_ request: Request) throws -> Primitives.Environment {
        try Self.environment(request) ?? simulator.configuration.environment
    }

    @Sendable private func listLimits(_ request: Request, _: BasicRequestContext) async throws -> Response {
        let environment = try usualEnvironment(request)
        let limits = await simulator.limits(of: try await app(request), in: environment)
        return Response.json { json in
            json.member("environment", environment.rawValue)
            json.list("limits", limits) { $0.members(of: $1) }
        }
    }

    @Sendable private func setLimit(_ request: Request, _: BasicRequestContext) async throws -> Response {
        let body = try await JSONFields(request, members: ["app", "environment", "endpoint", "perHour"])
        guard let endpoint = try body.endpoint() else { throw ControlProblem.invalid("endpoint", "there, an endpoint") }
        let called = CalledEndpoint(
            app: try await simulator.app(try body.text("app")),
            environment: try body.environment() ?? simulator.configuration.environment, endpoint: endpoint)
        let perHour = body.isNull("perHour") ? nil : try body.integer("perHour", in: 0...1_000_000_000)
        guard perHour != nil || body.isNull("perHour") else {
            throw ControlProblem.invalid("perHour", "there, 0 to 1000000000, or null for Apple's")
        }
        let limit = await simulator.setLimit(perHour, of: called)
        return Response.json { $0.members(of: limit) }
    }

    @Sendable private func listCalls(_ request: Request, _: BasicRequestContext) async throws -> Response {
        let environment = try usualEnvironment(request)
        let limit = try limit(request)
        let counts = await simulator.callCounts(of: try await app(request), in: environment)
        return Response.json { json in
            json.member("environment", environment.rawValue)
            json.list("endpoints", counts) { json, counted in
                json.member("endpoint", counted.endpoint.rawValue)
                json.members(of: counted.count, newestHours: limit)
            }
        }
    }
}

extension JSONFields {
    static let behaviourMembers: Set<String> = [
        "retryAfter", "limitClock", "notificationWindow", "paginationTokenSeconds", "deadPaginationTokens",
        "notificationLagSeconds", "transactionLagSeconds", "notificationTransactionId", "partsApartMilliseconds",
    ]

    /// How the body changes what notifications look like.
    func notificationFormChange() throws -> @Sendable (inout NotificationForm) -> Void {
        let transactionId = try choice("notificationTransactionId", of: NotificationForm.TransactionId.self)
        let apart = try integer("partsApartMilliseconds", in: 0...NotificationForm.longestApart.count)
        return { form in
            if let transactionId { form.transactionId = transactionId }
            if let apart { form.partsApart = apart == 0 ? nil : Milliseconds(apart) }
        }
    }

    /// What the body changes; members that it does not have stay as they are.
    func behaviourChange() throws -> @Sendable (inout ServiceBehaviour) -> Void {
        let retryAfter = try choice("retryAfter", of: ServiceBehaviour.RetryAfterForm.self)
        let limitClock = try choice("limitClock", of: ServiceBehaviour.LimitClock.self)
        let window = try choice("notificationWindow", of: ServiceBehaviour.NotificationWindow.self)
        let isEndless = isNull("paginationTokenSeconds")
        let lifetime =
            isEndless ? nil : try seconds("paginationTokenSeconds", upTo: ServiceBehaviour.longestTokenLifetime)
        let dead = try integer("deadPaginationTokens", in: 0...ServiceBehaviour.mostDeadTokens)
        let lag = try seconds("notificationLagSeconds", upTo: ServiceBehaviour.longestLag)
        return { behaviour in
            if let retryAfter { behaviour.retryAfter = retryAfter }
            if let limitClock { behaviour.limitClock = limitClock }
            if let window { behaviour.notificationWindow = window }
            if isEndless { behaviour.paginationTokenLifetime = nil }
            if let lifetime { behaviour.paginationTokenLifetime = lifetime }
            if let dead { behaviour.deadPaginationTokens = dead }
            if let lag { behaviour.notificationLag = lag }
        }
    }

    /// A duration, in a member of whole seconds.
    func seconds(_ name: String, upTo longest: Milliseconds) throws -> Milliseconds? {
        try integer(name, in: 0...longest.count / 1000).map { .seconds($0) }
    }

    /// One of a list of words.
    func choice<Choice: RawRepresentable & CaseIterable>(_ name: String, of _: Choice.Type) throws -> Choice?
    where Choice.RawValue == String {
        guard let text = try text(name) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            throw ControlProblem.invalid(name, "one of: " + Choice.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return choice
    }

    func endpoint() throws -> ServiceEndpoint? { try choice("endpoint", of: ServiceEndpoint.self) }
}

extension JSONWriter {
    fileprivate mutating func members(of report: AppStoreSimulator.BehaviourReport) {
        let (behaviour, form) = (report.behaviour, report.notificationForm)
        member("retryAfter", behaviour.retryAfter.rawValue)
        member("limitClock", behaviour.limitClock.rawValue)
        member("notificationWindow", behaviour.notificationWindow.rawValue)
        nullableMember("paginationTokenSeconds", behaviour.paginationTokenLifetime.map { $0.count / 1000 })
        member("deadPaginationTokens", behaviour.deadPaginationTokens)
        member("notificationLagSeconds", behaviour.notificationLag.count / 1000)
        member("transactionLagSeconds", report.transactionLag.count / 1000)
        member("notificationTransactionId", form.transactionId.rawValue)
        member("partsApartMilliseconds", form.partsApart?.count ?? 0)
    }

    fileprivate mutating func members(of limit: AppStoreSimulator.EndpointLimit) {
        member("endpoint", limit.endpoint.rawValue)
        nullableMember("perHour", limit.perHour)
        member("isChosen", limit.isChosen)
    }

    fileprivate mutating func members(of key: AppStoreSimulator.KeyReport) {
        member("keyId", key.key.id)
        nullableMember("privateKey", key.key.pem)
        if key.isRevoked { member("isRevoked", true) }
    }

    fileprivate mutating func members(of count: CallCount, newestHours: Int) {
        member("calls", count.calls)
        member("earlyCalls", count.earlyCalls)
        list("statuses", count.statuses.sorted { $0.key < $1.key }) { json, answered in
            json.member("status", Int64(answered.key))
            json.member("calls", answered.value)
        }
        if let busiest = count.busiestHour { member("busiestHour") { $0.object { $0.members(of: busiest) } } }
        list("hours", count.hours.suffix(newestHours)) { $0.members(of: $1) }
    }

    private mutating func members(of share: CallCount.Share) {
        member("from", share.from.millisecondsSince1970)
        member("calls", share.calls)
    }
}
