/// A request of the Advanced Commerce API that the app passes to StoreKit: not over HTTP, but signed by ``OfferSigner``.
///
/// As JSON it has an `operation` and a `version` beside the request's own fields.
///
/// Source: Apple, Advanced Commerce API, in-app requests.
public enum AdvancedCommerceInAppRequest: Sendable, Hashable {
    /// Sells something once.
    case createOneTimeCharge(AdvancedCommerceOneTimeChargeCreateRequest)
    /// Sells a subscription.
    case createSubscription(AdvancedCommerceSubscriptionCreateRequest)
    /// Changes a subscription.
    case modifySubscription(AdvancedCommerceSubscriptionModifyInAppRequest)
    /// Reactivates a subscription whose auto-renew is off.
    case reactivateSubscription(AdvancedCommerceSubscriptionReactivateInAppRequest)
}

extension AdvancedCommerceInAppRequest: Encodable {
    /// Apple's name for what the request does.
    public var operation: String {
        switch self {
        case .createOneTimeCharge: "CREATE_ONE_TIME_CHARGE"
        case .createSubscription: "CREATE_SUBSCRIPTION"
        case .modifySubscription: "MODIFY_SUBSCRIPTION"
        case .reactivateSubscription: "REACTIVATE_SUBSCRIPTION"
        }
    }

    /// Writes the operation, its version, and the request's own fields into one object.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(operation, forKey: .operation)
        try container.encode("1", forKey: .version)
        switch self {
        case .createOneTimeCharge(let request): try request.encode(to: encoder)
        case .createSubscription(let request): try request.encode(to: encoder)
        case .modifySubscription(let request): try request.encode(to: encoder)
        case .reactivateSubscription(let request): try request.encode(to: encoder)
        }
    }

    private enum CodingKeys: String, CodingKey {
        case operation, version
    }
}

extension AdvancedCommerceInAppRequest: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        switch self {
        case .createOneTimeCharge(let request): try request.check(limits)
        case .createSubscription(let request): try request.check(limits)
        case .modifySubscription(let request): try request.check(limits)
        case .reactivateSubscription(let request): try request.check(limits)
        }
    }
}
