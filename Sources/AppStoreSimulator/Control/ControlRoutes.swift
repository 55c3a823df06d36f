internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Primitives
internal import StrictJSON

/// The control API: what the people of the simulated world do, and a look at it.
struct ControlRoutes: Sendable {
    let simulator: AppStoreSimulator

    /// Elements of a list in one answer, unless `limit` asks for fewer or more.
    private static let usualLimit = 200
    private static let longestList = 1000

    func add(to group: RouterGroup<BasicRequestContext>) {
        group.get("/health/live") { _, _ in Response.json { $0.member("status", "live") } }
        addStore(to: group)
        addAccounts(to: group)
        addSubscriptions(to: group)
        addNotifications(to: group)
    }

    private func addStore(to group: RouterGroup<BasicRequestContext>) {
        group.get("/clock") { _, _ in Response.json { $0.members(of: simulator.clockNow()) } }
        group.post("/clock/advance", use: advance)
        group.get("/products") { _, _ in products() }
        group.get("/root.der") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "application/octet-stream"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: simulator.rootDER)))
        }
        group.get("/root") { _, _ in Response.json { $0.member("sha256", hexadecimal(simulator.rootFingerprint)) } }
    }

    private func addAccounts(to group: RouterGroup<BasicRequestContext>) {
        group.post("/accounts") { request, _ in
            let body = try await ControlBody(request, members: ["id"])
            let account = try await simulator.openAccount(try body.text("id"))
            return Response.json(.created) { $0.members(of: account) }
        }
        group.get("/accounts/:account") { _, context in
            let account = try await simulator.account(ID(try context.parameters.require("account")))
            return Response.json { $0.members(of: account) }
        }
        group.post("/accounts/:account/purchases", use: buy)
        group.get("/accounts/:account/transactions") { request, context in
            let list = try await simulator.transactions(
                of: ID(try context.parameters.require("account")), limit: try limit(request))
            return Response.json { $0.members(of: list) }
        }
        group.post("/accounts/:account/restore") { request, context in
            _ = try await ControlBody(request, members: [])
            let list = try await simulator.restore(ID(try context.parameters.require("account")))
            return Response.json { $0.members(of: list) }
        }
    }

    private func addSubscriptions(to group: RouterGroup<BasicRequestContext>) {
        group.get("/subscriptions/:id") { _, context in
            let report = try await simulator.subscription(ID(try context.parameters.require("id")))
            return Response.json { $0.members(of: report) }
        }
        group.post("/subscriptions/:id/auto-renew") { request, context in
            let body = try await ControlBody(request, members: ["enabled"])
            let id = TransactionID(try context.parameters.require("id"))
            let report = try await simulator.setAutoRenew(try body.requiredBool("enabled"), of: id)
            return Response.json { $0.members(of: report) }
        }
        group.post("/subscriptions/:id/payment") { request, context in
            let body = try await ControlBody(request, members: ["fails", "gracePeriodDays"])
            let id = TransactionID(try context.parameters.require("id"))
            let days = try body.integer("gracePeriodDays")
            let payment: StoreSubscription.Payment = try body.requiredBool("fails") ? .fails(gracePeriodDays: days) : .succeeds
            let report = try await simulator.setPayment(payment, of: id)
            return Response.json { $0.members(of: report) }
        }
        group.post("/transactions/:id/refund") { request, context in
            let body = try await ControlBody(request, members: ["percentage", "reason", "requestedByCustomer"])
            let signed = try await simulator.refund(ID(try context.parameters.require("id")), try body.refundOrder())
            return Response.json { $0.members(of: signed) }
        }
        group.post("/transactions/:id/refund/reverse") { request, context in
            _ = try await ControlBody(request, members: [])
            let signed = try await simulator.reverseRefund(ID(try context.parameters.require("id")))
            return Response.json { $0.members(of: signed) }
        }
    }

    private func addNotifications(to group: RouterGroup<BasicRequestContext>) {
        group.get("/delivery") { _, _ in
            let report = await simulator.delivery()
            return Response.json { $0.members(of: report) }
        }
        group.post("/delivery", use: setDelivery)
        group.post("/delivery/release") { request, _ in
            let body = try await ControlBody(request, members: ["order", "seed"])
            let released = try await simulator.release(try body.releaseOrder())
            return Response.json { json in
                json.member("released") { $0.array { list in for uuid in released { list.string(uuid) } } }
            }
        }
        group.get("/notifications") { request, _ in
            let records = await simulator.notifications(limit: try limit(request))
            return Response.json { json in
                json.member("notifications") {
                    $0.array { list in for record in records { list.object { $0.members(of: record) } } }
                }
            }
        }
        group.post("/notifications/:uuid/redeliver") { request, context in
            _ = try await ControlBody(request, members: [])
            let record = try await simulator.redeliver(try context.parameters.require("uuid"))
            return Response.json { $0.members(of: record) }
        }
    }
}

// MARK: - Longer calls

extension ControlRoutes {
    @Sendable private func advance(_ request: Request, _: BasicRequestContext) async throws -> Response {
        let body = try await ControlBody(request, members: ["seconds", "days", "to"])
        let report =
            switch try body.clockTarget() {
            case .duration(let duration): try await simulator.advance(by: duration)
            case .instant(let instant): try await simulator.advance(to: instant)
            }
        return Response.json {
            $0.members(of: report.now)
            $0.member("steps", Int64(report.steps))
            $0.member("isComplete", report.isComplete)
        }
    }

    @Sendable private func buy(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        let body = try await ControlBody(request, members: ["productId", "appAccountToken"])
        let (outcome, transaction) = try await simulator.buy(
            ID(try body.requiredText("productId")), for: ID(try context.parameters.require("account")),
            appAccountToken: try body.text("appAccountToken"))
        return Response.json(.created) {
            $0.member("outcome", outcome.rawValue)
            $0.members(of: transaction)
        }
    }

    @Sendable private func setDelivery(_ request: Request, _: BasicRequestContext) async throws -> Response {
        let body = try await ControlBody(request, members: ["mode", "count", "url"])
        let report = try await simulator.setDelivery(try body.deliveryMode(), url: try body.text("url"))
        return Response.json { $0.members(of: report) }
    }

    private func products() -> Response {
        let catalogue = simulator.configuration.catalogue
        return Response.json { json in
            json.member("storefront", catalogue.storefront.countryCode)
            json.member("products") {
                $0.array { list in
                    for product in catalogue.products {
                        list.object { $0.members(of: product, currency: catalogue.storefront.currency) }
                    }
                }
            }
        }
    }

    private func limit(_ request: Request) throws -> Int {
        guard let text = request.uri.queryParameters["limit"] else { return Self.usualLimit }
        guard let limit = Int(text), (1...Self.longestList).contains(limit) else {
            throw ControlBody.invalid("limit", "1 to 1000")
        }
        return limit
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
