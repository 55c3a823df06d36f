internal import AppStoreModel
internal import HTTPTypes
internal import Hummingbird
internal import Primitives
internal import StrictJSON

/// What customers do.
extension ControlRoutes {
    func addAccounts(to group: RouterGroup<BasicRequestContext>) {
        group.get("/accounts") { request, _ in
            let start = try Self.integer("from", in: 0...Int.max, request) ?? 0
            let accounts = try await simulator.accounts(from: start, limit: try limit(request))
            return Response.json { $0.list("accounts", accounts) { $0.members(of: $1) } }
        }
        group.post("/accounts") { request, _ in
            let body = try await JSONFields(request, members: ["id", "environment", "storefront"])
            let account = try await simulator.openAccount(
                try body.text("id"), in: try body.environment(), country: try body.text("storefront"))
            return Response.json(.created) { $0.members(of: account) }
        }
        group.get("/accounts/:account") { _, context in
            let account = try await simulator.account(try context.account())
            return Response.json { $0.members(of: account) }
        }
        group.post("/accounts/:account/payment") { request, context in
            let body = try await JSONFields(request, members: ["fails"])
            let account = try await simulator.setPayment(
                try body.requiredBool("fails") ? .fails : .succeeds, of: try context.account())
            return Response.json { $0.members(of: account) }
        }
        group.post("/accounts/:account/storefront") { request, context in
            let body = try await JSONFields(request, members: ["storefront"])
            let account = try await simulator.changeStorefront(
                of: try context.account(), to: try body.requiredText("storefront"))
            return Response.json { $0.members(of: account) }
        }
        group.post("/accounts/:account/address") { request, context in
            _ = try await JSONFields(request, members: [])
            let account = try await simulator.changeAddress(of: try context.account())
            return Response.json { $0.members(of: account) }
        }
        group.post("/accounts/:account/purchases", use: buy)
        group.post("/accounts/:account/redeem", use: redeem)
        group.get("/accounts/:account/transactions") { request, context in
            let list = try await simulator.transactions(
                of: try context.account(), app: try await app(request), limit: try limit(request))
            return Response.json { $0.members(of: list) }
        }
        group.post("/accounts/:account/restore") { request, context in
            let body = try await JSONFields(request, members: ["app"])
            let list = try await simulator.restore(
                try await simulator.app(try body.text("app")), for: try context.account())
            return Response.json { $0.members(of: list) }
        }
        group.get("/accounts/:account/receipt", use: receipt)
        group.post("/accounts/:account/receipt/lose") { request, context in
            _ = try await JSONFields(request, members: [])
            try await simulator.loseReceipt(of: try context.account())
            return Response.json { _ in }
        }
        group.post("/accounts/:account/rescind-consent") { request, context in
            let body = try await JSONFields(request, members: ["app"])
            try await simulator.rescindConsent(
                to: try await simulator.app(try body.text("app")), for: try context.account())
            return Response.json { _ in }
        }
    }

    @Sendable private func buy(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        let body = try await JSONFields(request, members: JSONFields.purchaseMembers)
        let app = try await simulator.app(try body.text("app"))
        let order = try body.purchaseOrder(app: app, account: try context.account())
        let (outcome, transaction) = try await simulator.buy(order, proof: try body.offerProof())
        return Response.json(.created) {
            $0.member("outcome", outcome.rawValue)
            $0.members(of: transaction)
        }
    }

    @Sendable private func redeem(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        let body = try await JSONFields(request, members: ["app", "code", "appAccountToken"])
        let (outcome, transaction) = try await simulator.redeem(
            code: try body.requiredText("code"), app: try await simulator.app(try body.text("app")),
            account: try context.account(), appAccountToken: try body.uuid("appAccountToken"))
        return Response.json(.created) {
            $0.member("outcome", outcome.rawValue)
            $0.members(of: transaction)
        }
    }

    /// The app receipt, in base64 as an app sends it; for a device, if one is named.
    @Sendable private func receipt(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        let account = try await simulator.account(try context.account()).account
        guard await simulator.hasReceipt(account.id) else { throw SimulatorRefusal.receiptLost }
        var device = CompactUUID(bytes: [])
        if let name = request.uri.queryParameters["device"] {
            device = try await simulator.device(DeviceID(String(name))).device.identifierForVendor
        }
        let receipt = try await simulator.appReceipt(of: try await app(request), for: account.number, device: device)
        return Response.json { $0.member("receipt", StrictBase64.encodePadded(receipt)) }
    }

    func addFamiliesAndDevices(to group: RouterGroup<BasicRequestContext>) {
        group.post("/families") { request, _ in
            let body = try await JSONFields(request, members: ["id", "organizer"])
            let family = try await simulator.openFamily(
                try body.requiredText("id"), organizer: AccountID(try body.requiredText("organizer")))
            return try await Self.answer(simulator, family.id, .created)
        }
        group.get("/families/:family") { _, context in try await Self.answer(simulator, try context.family()) }
        group.post("/families/:family/members") { request, context in
            let body = try await JSONFields(request, members: ["account"])
            try await simulator.join(try context.family(), AccountID(try body.requiredText("account")))
            return try await Self.answer(simulator, try context.family())
        }
        group.delete("/families/:family/members/:account") { _, context in
            try await simulator.leave(try context.family(), try context.account())
            return Response.json { _ in }
        }
        group.post("/families/:family/sharing") { request, context in
            let body = try await JSONFields(request, members: ["enabled"])
            try await simulator.setSharing(try body.requiredBool("enabled"), of: try context.family())
            return try await Self.answer(simulator, try context.family())
        }
        group.post("/devices") { request, _ in
            let body = try await JSONFields(request, members: ["id", "account"])
            let device = try await simulator.addDevice(try body.text("id"), for: try body.accountOrNobody())
            return try await Self.answer(simulator, device.id, .created)
        }
        group.get("/devices/:device") { _, context in try await Self.answer(simulator, try context.device()) }
        group.post("/devices/:device/account") { request, context in
            let body = try await JSONFields(request, members: ["account"])
            let device = try await simulator.signIn(try context.device(), as: try body.accountOrNobody())
            return try await Self.answer(simulator, device.id)
        }
        group.get("/devices/:device/queue") { request, context in
            let queue = try await simulator.unfinished(on: try context.device(), limit: try limit(request))
            return Response.json { $0.members(of: queue) }
        }
        group.get("/devices/:device/appTransaction") { request, context in
            let signed = try await simulator.appTransaction(of: try await app(request), on: try context.device())
            return Response.json { $0.member("signedAppTransaction", signed) }
        }
    }

    private static func answer(
        _ simulator: AppStoreSimulator, _ id: FamilyID, _ status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        let (family, members) = try await simulator.family(id)
        return Response.json(status) { $0.members(of: family, members) }
    }

    private static func answer(
        _ simulator: AppStoreSimulator, _ id: DeviceID, _ status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        let (device, account) = try await simulator.device(id)
        return Response.json(status) { $0.members(of: device, account) }
    }
}

extension JSONFields {
    /// An Apple Account; nil where it is null or absent.
    fileprivate func accountOrNobody() throws -> AccountID? {
        isNull("account") ? nil : try text("account").map { AccountID($0) }
    }
}

extension BasicRequestContext {
    func account() throws -> AccountID { AccountID(try parameters.require("account")) }
    func family() throws -> FamilyID { FamilyID(try parameters.require("family")) }
    /// A product id may contain any character.
    func product() throws -> StoreProductID { StoreProductID(PercentEncoding.read(try parameters.require("product"))) }
    func device() throws -> DeviceID { DeviceID(try parameters.require("device")) }

    /// The id in the address; one that does not have the form of Apple's ids is unknown.
    func subscription() throws -> TransactionNumber {
        guard let id = TransactionNumber(try parameters.require("id")) else { throw StoreRefusal.unknownSubscription }
        return id
    }

    func transaction() throws -> TransactionNumber {
        guard let id = TransactionNumber(try parameters.require("id")) else { throw StoreRefusal.unknownTransaction }
        return id
    }
}
