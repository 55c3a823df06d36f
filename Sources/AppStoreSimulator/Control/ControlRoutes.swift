internal import AppStoreModel
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Primitives
internal import StrictJSON

/// The control API: what the people of the simulated world do, and queries about it.
struct ControlRoutes: Sendable {
    let simulator: AppStoreSimulator

    /// The number of elements of a list in one answer, unless `limit` asks for fewer or more.
    private static let usualLimit = 200
    private static let longestList = 1000

    func add(to group: RouterGroup<BasicRequestContext>) {
        group.get("/health/live") { _, _ in Response.json { $0.member("status", "live") } }
        ControlDocument.add(to: group)
        addClock(to: group)
        addApps(to: group)
        addAccounts(to: group)
        addFamiliesAndDevices(to: group)
        addSubscriptions(to: group)
        addTransactions(to: group)
        addNotifications(to: group)
        addServices(to: group)
        addRetention(to: group)
        addState(to: group)
    }

    // MARK: The clock and what is signed

    private func addClock(to group: RouterGroup<BasicRequestContext>) {
        group.get("/clock") { _, _ in
            let rate = await simulator.clockRate
            return Response.json { json in
                json.members(of: simulator.clockNow())
                json.members(of: rate)
            }
        }
        group.post("/clock") { request, _ in
            let body = try await JSONFields(request, members: ["rate"])
            guard let factor = try body.integer("rate", in: 0...AppStoreSimulator.rates.upperBound) else {
                throw ControlProblem.invalid("rate", "there, an integer")
            }
            try await simulator.setClockRate(factor == 0 ? .stands : .factor(factor))
            return Response.json { $0.member("rate", factor) }
        }
        group.post("/clock/advance", use: advance)
        group.get("/root.der") { _, _ in Self.certificate(simulator.rootDER) }
        group.get("/root") { _, _ in Response.json { $0.member("sha256", simulator.rootFingerprintText) } }
        group.get("/receipts/root.der") { _, _ in Self.certificate(try await simulator.receiptRootDER()) }
        group.get("/receipts/old-issuer.der") { _, _ in Self.certificate(try await simulator.transactionReceiptIssuerDER()) }
        group.post("/signing") { request, _ in
            let body = try await JSONFields(request, members: ["signing"])
            guard let signing = Signing(rawValue: try body.requiredText("signing")) else {
                throw ControlProblem.invalid("signing", Signing.allCases.map(\.rawValue).joined(separator: ", "))
            }
            try await simulator.setSigning(signing)
            return Response.json { $0.member("signing", signing.rawValue) }
        }
    }

    @Sendable private func advance(_ request: Request, _: BasicRequestContext) async throws -> Response {
        let body = try await JSONFields(request, members: ["seconds", "days", "to"])
        let report =
            switch try body.clockTarget() {
            case .duration(let duration): try await simulator.advance(by: duration)
            case .instant(let instant): try await simulator.advance(to: instant)
            case .next: try await simulator.advanceToNext()
            }
        return Response.json {
            $0.members(of: report.now)
            $0.member("steps", Int64(report.steps))
            $0.member("isComplete", report.isComplete)
        }
    }

    // MARK: Apps

    private func addApps(to group: RouterGroup<BasicRequestContext>) {
        group.get("/apps") { _, _ in
            let apps = await simulator.store.apps
            return Response.json { json in
                json.list("apps", apps) { json, app in
                    json.member("bundleId", app.bundleId)
                    json.member("appAppleId", app.appAppleId)
                    json.members(of: app.terms)
                }
            }
        }
        group.get("/products") { request, _ in
            let app = await simulator.store[try await app(request)]
            let storefront = app.catalogue.settings.storefront
            return Response.json { json in
                json.member("bundleId", app.bundleId)
                json.member("storefront", storefront.countryCode)
                json.list("products", app.catalogue.products) { $0.members(of: $1, in: app, currency: storefront.currency) }
            }
        }
        group.post("/products/:product/price") { request, context in
            let body = try await JSONFields(request, members: ["app", "price", "needsConsent"])
            try await simulator.raisePrice(
                of: try context.product(), in: try await simulator.app(try body.text("app")),
                to: Milliunits(try body.requiredInteger("price")), needsConsent: try body.requiredBool("needsConsent"))
            return Response.json { _ in }
        }
        group.post("/products/:product/sale") { request, context in
            let body = try await JSONFields(request, members: ["app", "isForSale"])
            try await simulator.setForSale(
                try body.requiredBool("isForSale"), try context.product(),
                in: try await simulator.app(try body.text("app")))
            return Response.json { _ in }
        }
        group.post("/terms", use: setTerms)
        group.post("/external-purchases", use: externalPurchase)
    }

    @Sendable private func externalPurchase(_ request: Request, _: BasicRequestContext) async throws -> Response {
        let body = try await JSONFields(request, members: ["app", "environment", "event"])
        let events: [String: StoreNotification.Event] = [
            "created": .externalPurchaseCreated, "reminder": .externalPurchaseReminder,
            "unreported": .externalPurchaseUnreported,
        ]
        guard let event = events[try body.requiredText("event")] else {
            throw ControlProblem.invalid("event", "created, reminder or unreported")
        }
        try await simulator.externalPurchase(
            event, in: try await simulator.app(try body.text("app")), try body.environment())
        return Response.json { _ in }
    }

    @Sendable private func setTerms(_ request: Request, _: BasicRequestContext) async throws -> Response {
        let members: Set<String> = [
            "app", "billingGracePeriodDays", "earlyChargeHours", "sandboxMonthMinutes", "tokenOfPlanChange",
        ]
        let body = try await JSONFields(request, members: members)
        let (grace, early) = (try body.integer("billingGracePeriodDays"), try body.integer("earlyChargeHours"))
        let (minutes, token) = (try body.integer("sandboxMonthMinutes"), try body.tokenOfPlanChange())
        let terms = try await simulator.setTerms(try await simulator.app(try body.text("app"))) { terms in
            if let grace { terms.billingGracePeriodDays = grace == 0 ? nil : grace }
            if let early { terms.earlyCharge = .hours(early) }
            if let minutes { terms.sandboxRate = minutes == 0 ? .realTime : .monthly(minutes: minutes) }
            if let token { terms.tokenOfPlanChange = token }
        }
        return Response.json { $0.members(of: terms) }
    }

    // MARK: Together

    /// The app that the query names, by its bundle id.
    func app(_ request: Request) async throws -> AppNumber {
        try await simulator.app(request.uri.queryParameters["app"].map(String.init))
    }

    func limit(_ request: Request) throws -> Int {
        try Self.integer("limit", in: 1...Self.longestList, request) ?? Self.usualLimit
    }

    /// A number in the query, digits only; nil where it is absent.
    static func integer(_ name: String, in range: ClosedRange<Int>, _ request: Request) throws -> Int? {
        guard let text = request.uri.queryParameters[name[...]] else { return nil }
        guard text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains), let number = Int(text),
            range.contains(number)
        else { throw ControlProblem.invalid(name, "\(range.lowerBound) to \(range.upperBound)") }
        return number
    }

    /// A certificate, in DER.
    ///
    /// Source: RFC 2585, section 4.1.
    private static func certificate(_ bytes: [UInt8]) -> Response {
        Response(
            status: .ok, headers: [.contentType: "application/pkix-cert"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
