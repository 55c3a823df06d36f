/// The app's backend says for which customer a token stands (OWN-2).
package struct TokenRegistration: Sendable, Hashable, Codable {
    package let token: AppAccountToken
    package let customer: CustomerID
    /// The customer has not identified himself yet (OWN-10).
    package let isAnonymous: Bool

    package init(token: AppAccountToken, customer: CustomerID, isAnonymous: Bool = false) {
        self.token = token
        self.customer = customer
        self.isAnonymous = isAnonymous
    }

    private enum CodingKeys: CodingKey {
        case token, customer, isAnonymous
    }

    /// Reads also what was stored before anonymous customers were known.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        token = try container.decode(AppAccountToken.self, forKey: .token)
        customer = try container.decode(CustomerID.self, forKey: .customer)
        isAnonymous = try container.decodeIfPresent(Bool.self, forKey: .isAnonymous) ?? false
    }

    /// What says nothing is not written, so that a registration from before is written as it was.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(token, forKey: .token)
        try container.encode(customer, forKey: .customer)
        if isAnonymous { try container.encode(isAnonymous, forKey: .isAnonymous) }
    }
}
