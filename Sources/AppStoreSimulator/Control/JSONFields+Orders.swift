internal import AppStoreModel
internal import Primitives
internal import StrictJSON

/// The larger parts of the bodies of calls.
extension JSONFields {
    static let purchaseMembers: Set<String> = [
        "app", "productId", "appAccountToken", "applicationUsername", "quantity", "billingPlanType", "offer", "offerIdentifier",
        "signature", "jws", "besideFailing", "beginsAnew",
    ]

    func purchaseOrder(app: AppNumber, account: AccountID) throws -> PurchaseOrder {
        var order = PurchaseOrder(app: app, account: account, product: ID(try requiredText("productId")))
        order.appAccountToken = try uuid("appAccountToken")
        if let quantity = try integer("quantity") {
            guard let small = Int32(exactly: quantity) else { throw StoreRefusal.invalidQuantity }
            order.quantity = small
        }
        if let word = try text("billingPlanType") {
            guard let plan = StoreBillingPlan(rawValue: word) else {
                throw ControlProblem.invalid("billingPlanType", "BILLED_UPFRONT or MONTHLY")
            }
            order.plan = plan
        }
        order.offer = try chosenOffer()
        order.isBesideFailing = try bool("besideFailing") ?? false
        order.beginsAnew = try bool("beginsAnew") ?? false
        return order
    }

    /// The card of one subscription, and where the end of a billing grace period is signed.
    func subscriptionPayment() throws -> (StoreSubscription.Payment, StoreSubscription.GraceEnd) {
        let days = try integer("gracePeriodDays")
        if let days, !StoreSubscription.acceptedGraceDays.contains(days) { throw StoreRefusal.invalidGracePeriod }
        let graceEnd = try choice("graceEnd", of: StoreSubscription.GraceEnd.self)
        guard days != nil || graceEnd == nil else {
            throw ControlProblem.invalid("gracePeriodDays", "there, 1 to 28, if graceEnd is given")
        }
        return (try requiredBool("fails") ? .fails(gracePeriodDays: days) : .succeeds, graceEnd ?? .signed)
    }

    private func chosenOffer() throws -> PurchaseOrder.ChosenOffer {
        switch try text("offer") {
        case nil, "automatic": .automatic
        case "none": .none
        case "introductory": .introductory
        case "promotional": .promotional(try requiredText("offerIdentifier"))
        case "winBack": .winBack(try requiredText("offerIdentifier"))
        case "code": .code(try requiredText("offerIdentifier"))
        default: throw ControlProblem.invalid("offer", "automatic, none, introductory, promotional, winBack or code")
        }
    }

    /// What the app's server signed; a promotional offer without it is refused.
    func offerProof() throws -> OfferProof? {
        if let jws = try text("jws") { return .jws(jws) }
        let applicationUsername = try text("applicationUsername")
        guard let signature = try fields("signature") else {
            if try ["promotional", "introductory"].contains(text("offer")) { throw StoreRefusal.offerSignatureInvalid }
            return nil
        }
        try signature.refuseMembers(besides: ["keyIdentifier", "nonce", "timestamp", "signature"])
        return .signature(
            OfferSignature(
                keyIdentifier: try signature.requiredText("keyIdentifier"), nonce: try signature.requiredText("nonce"),
                timestamp: try signature.requiredInteger("timestamp"), signature: try signature.requiredText("signature"),
                applicationUsername: applicationUsername))
    }

    // MARK: Faults

    func faults() throws -> [Fault] {
        guard let faults = try list("faults"), faults.count <= FaultPlan.maximumFaults else {
            throw ControlProblem.invalid("faults", "a list of at most \(FaultPlan.maximumFaults)")
        }
        return try faults.map { fault in
            try fault.refuseMembers(besides: Self.faultMembers)
            return try fault.fault()
        }
    }

    private static let faultMembers: Set<String> = [
        "face", "kind", "path", "endpoint", "app", "environment", "from", "until", "times", "perMille", "status", "milliseconds",
    ]

    private func fault() throws -> Fault {
        guard let face = Fault.Face(rawValue: try requiredText("face")) else {
            throw ControlProblem.invalid("face", "serverAPI or verifyReceipt")
        }
        var fault = Fault(face: face, kind: try kind())
        fault.path = try text("path")
        (fault.endpoint, fault.app) = (try endpoint(), try text("app"))
        guard face == .serverAPI || (fault.endpoint == nil && fault.app == nil) else {
            throw ControlProblem.invalid("face", "serverAPI if endpoint or app is given")
        }
        (fault.from, fault.until) = (try instant("from"), try instant("until"))
        if let from = fault.from, let until = fault.until, from >= until {
            throw ControlProblem.invalid("until", "later than from")
        }
        fault.environment = try environment()
        fault.times = try integer("times", in: 1...Int64.max)
        fault.perMille = try integer("perMille", in: 1...1000) ?? 1000
        return fault
    }

    private func kind() throws -> Fault.Kind {
        let kind = try requiredText("kind")
        // Nobody waits for real time that long; the store's clock passes a day at once.
        let longest: Int64 = kind == "slowOnClock" ? 86_400_000 : 120_000
        let milliseconds = try integer("milliseconds", in: 0...longest) ?? 1000
        let status = try integer("status")
        switch kind {
        case "html": return .html
        case "truncated": return .truncated
        case "stale": return .stale
        case "slow": return .slow(Milliseconds(milliseconds))
        case "slowOnClock": return .slowOnClock(Milliseconds(milliseconds))
        case "hang": return .hang
        case "timeout": return .timeout(Milliseconds(milliseconds))
        case "rateLimited": return .rateLimited(Milliseconds(milliseconds))
        case "status":
            guard let status, (400...599).contains(status) else { throw ControlProblem.invalid("status", "400 to 599") }
            return .status(Int(status))
        case "receiptStatus":
            guard let status, (21000...21199).contains(status) else { throw ControlProblem.invalid("status", "21000 to 21199") }
            return .receiptStatus(status)
        default:
            throw ControlProblem.invalid(
                "kind", "html, truncated, stale, slow, slowOnClock, timeout, hang, rateLimited, status or receiptStatus")
        }
    }
}

extension JSONWriter {
    mutating func members(of fault: Fault) {
        member("face", fault.face.rawValue)
        switch fault.kind {
        case .html: member("kind", "html")
        case .truncated: member("kind", "truncated")
        case .stale: member("kind", "stale")
        case .hang: member("kind", "hang")
        case .slow(let time): timed("slow", time)
        case .slowOnClock(let time): timed("slowOnClock", time)
        case .timeout(let time): timed("timeout", time)
        case .rateLimited(let time): timed("rateLimited", time)
        case .status(let status):
            member("kind", "status")
            member("status", Int64(status))
        case .receiptStatus(let status):
            member("kind", "receiptStatus")
            member("status", status)
        }
        optionalMember("path", fault.path)
        optionalMember("endpoint", fault.endpoint?.rawValue)
        optionalMember("app", fault.app)
        optionalMember("environment", fault.environment?.rawValue)
        optionalMember("from", fault.from?.millisecondsSince1970)
        optionalMember("until", fault.until?.millisecondsSince1970)
        optionalMember("times", fault.times)
        member("perMille", fault.perMille)
    }

    private mutating func timed(_ kind: String, _ time: Milliseconds) {
        member("kind", kind)
        member("milliseconds", time.count)
    }
}
