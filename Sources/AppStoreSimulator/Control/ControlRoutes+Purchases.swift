internal import AppStoreModel
internal import HTTPTypes
internal import Hummingbird
internal import Primitives
internal import StrictJSON

/// What happens to purchases, and how notifications are delivered.
extension ControlRoutes {
    func addSubscriptions(to group: RouterGroup<BasicRequestContext>) {
        group.get("/subscriptions/:id") { _, context in
            Self.answer(try await simulator.subscription(try context.subscription()))
        }
        group.post("/subscriptions/:id/auto-renew") { request, context in
            let body = try await JSONFields(request, members: ["enabled"])
            return Self.answer(
                try await simulator.setAutoRenew(try body.requiredBool("enabled"), of: try context.subscription()))
        }
        group.post("/subscriptions/:id/payment") { request, context in
            let body = try await JSONFields(request, members: ["fails", "gracePeriodDays", "graceEnd"])
            let (payment, graceEnd) = try body.subscriptionPayment()
            return Self.answer(
                try await simulator.setPayment(payment, graceEnd: graceEnd, of: try context.subscription()))
        }
        group.post("/subscriptions/:id/price-increase") { request, context in
            let body = try await JSONFields(request, members: ["agrees"])
            return Self.answer(
                try await simulator.answerPriceIncrease(try body.requiredBool("agrees"), of: try context.subscription()))
        }
        group.post("/subscriptions/:id/extend") { request, context in
            let body = try await JSONFields(request, members: ["days"])
            return Self.answer(
                try await simulator.extend(try context.subscription(), days: try body.requiredInteger("days")))
        }
        group.post("/subscriptions/:id/silence") { request, context in
            let body = try await JSONFields(request, members: ["enabled", "inHistory"])
            return Self.answer(
                try await simulator.setSilent(
                    try body.requiredBool("enabled"), isToldInHistory: try body.bool("inHistory") ?? false,
                    of: try context.subscription()))
        }
        group.post("/subscriptions/:id/retention", use: askInRealtime)
        addReplacements(to: group)
    }

    static func answer(_ report: SubscriptionReport, _ status: HTTPResponse.Status = .ok) -> Response {
        Response.json(status) { $0.members(of: report) }
    }

    /// Asks the app's server what to show to a customer who is about to leave.
    @Sendable private func askInRealtime(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        let body = try await JSONFields(request, members: ["locale"])
        let showing = try await simulator.askInRealtime(
            about: try context.subscription(), locale: try body.text("locale") ?? "en-US")
        return Response.json { json in
            json.member("isAnswered", showing.answer != nil)
            if let answer = showing.answer {
                json.member("status", Int64(answer.status))
                json.member("body", String(decoding: answer.body, as: UTF8.self))
            }
            json.member("isDefault", showing.isDefault)
            json.optionalMember("problem", showing.problem)
            if let message = showing.message { json.member("message") { $0.object { $0.members(of: message) } } }
        }
    }

    func addTransactions(to group: RouterGroup<BasicRequestContext>) {
        group.get("/transactions/:id") { _, context in
            let signed = try await simulator.transaction(try context.transaction())
            return Response.json { $0.members(of: signed) }
        }
        group.post("/transactions/:id/refund") { request, context in
            let body = try await JSONFields(request, members: ["percentage", "reason", "requestedByCustomer"])
            let signed = try await simulator.refund(try context.transaction(), try body.refundOrder())
            return Response.json { $0.members(of: signed) }
        }
        group.post("/transactions/:id/refund/reverse") { request, context in
            _ = try await JSONFields(request, members: [])
            let signed = try await simulator.reverseRefund(try context.transaction())
            return Response.json { $0.members(of: signed) }
        }
        group.post("/transactions/:id/refund/request") { request, context in
            let body = try await JSONFields(request, members: ["reason"])
            let word = try body.text("reason") ?? RefundRequest.Reason.other.rawValue
            guard let reason = RefundRequest.Reason(rawValue: word) else {
                throw ControlProblem.invalid("reason", RefundRequest.Reason.allCases.map(\.rawValue).joined(separator: ", "))
            }
            let asked = try await simulator.requestRefund(try context.transaction(), reason)
            return Response.json(.created) { $0.members(of: asked) }
        }
        group.post("/transactions/:id/refund/decide") { request, context in
            let body = try await JSONFields(request, members: ["grants"])
            let decided = try await simulator.decideRefund(
                try context.transaction(), grants: try body.requiredBool("grants"))
            return Response.json { $0.members(of: decided) }
        }
        group.post("/transactions/:id/token") { request, context in
            let body = try await JSONFields(request, members: ["appAccountToken"])
            let token = body.isNull("appAccountToken") ? nil : try body.uuid("appAccountToken")
            guard token != nil || body.isNull("appAccountToken") else {
                throw ControlProblem.invalid("appAccountToken", "there, a UUID, or null for none")
            }
            let signed = try await simulator.setSignedToken(token, of: try context.transaction())
            return Response.json { $0.members(of: signed) }
        }
        group.post("/transactions/:id/finish") { request, context in
            _ = try await JSONFields(request, members: [])
            try await simulator.finish(try context.transaction())
            return Response.json { _ in }
        }
        group.get("/transactions/:id/receipt") { _, context in
            let receipt = try await simulator.transactionReceipt(of: try context.transaction())
            return Response.json { $0.member("receipt", receipt) }
        }
    }

    // MARK: Notifications

    func addNotifications(to group: RouterGroup<BasicRequestContext>) {
        group.get("/delivery") { request, _ in
            let report = try await simulator.delivery(of: try await app(request), in: try Self.environment(request))
            return Response.json { $0.members(of: report) }
        }
        group.post("/delivery", use: setDelivery)
        group.post("/delivery/release") { request, _ in
            let body = try await JSONFields(request, members: ["order", "seed"])
            let released = try await simulator.release(try body.releaseOrder())
            return Response.json { json in
                json.member("released") { $0.array { list in for uuid in released { list.string(uuid.description) } } }
            }
        }
        group.get("/notifications") { request, _ in
            let reports = try await simulator.notifications(limit: try limit(request))
            return Response.json { $0.list("notifications", reports) { $0.members(of: $1) } }
        }
        group.post("/notifications/:uuid/redeliver") { request, context in
            _ = try await JSONFields(request, members: [])
            guard let uuid = CompactUUID(try context.parameters.require("uuid")) else {
                throw SimulatorRefusal.unknownNotification
            }
            let report = try await simulator.redeliver(uuid)
            return Response.json { $0.members(of: report) }
        }
    }

    @Sendable private func setDelivery(_ request: Request, _: BasicRequestContext) async throws -> Response {
        let members: Set<String> = ["mode", "count", "seconds", "url", "app", "environment", "version"]
        let body = try await JSONFields(request, members: members)
        let version = try body.text("version").map { text in
            guard let version = NotificationVersion(rawValue: text) else { throw ControlProblem.invalid("version", "v1 or v2") }
            return version
        }
        let url: AppStoreSimulator.NotificationURL =
            body.isNull("url") ? .nowhere : try body.text("url").map { .address($0) } ?? .unchanged
        let report = try await simulator.setDelivery(
            try body.deliveryMode(), of: try await simulator.app(try body.text("app")), in: try body.environment(),
            url: url, version: version)
        return Response.json { $0.members(of: report) }
    }

    /// The environment that the query names; nil where it names none.
    static func environment(_ request: Request) throws -> Primitives.Environment? {
        guard let text = request.uri.queryParameters["environment"] else { return nil }
        return try Primitives.Environment(controlText: String(text))
    }
}
