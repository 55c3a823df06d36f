/// A group whose purchases a customer may use. The fields are of Apple's release notes; not confirmed against an answer.
///
/// Source: Apple, App Store Server API 1.22, `GroupEntry`.
public struct GroupEntry: Codable, Sendable, Hashable {
    /// The group.
    public var groupId: String?
    /// The kind of group, such as `ORGANIZATION`.
    public var groupType: String?
    /// What the customer is in it.
    public var roles: [GroupRole]?

    /// Every field as Apple names it; nil leaves it out.
    public init(groupId: String? = nil, groupType: String? = nil, roles: [GroupRole]? = nil) {
        self.groupId = groupId
        self.groupType = groupType
        self.roles = roles
    }
}

/// What a customer is in a group, for one product. Not confirmed against an answer.
///
/// Source: Apple, App Store Server API 1.22, `roles` of `GroupEntry`.
public struct GroupRole: Codable, Sendable, Hashable {
    /// The product.
    public var productId: String?
    /// The role, such as `ADMIN`.
    public var role: String?

    /// Every field as Apple names it; nil leaves it out.
    public init(productId: String? = nil, role: String? = nil) {
        self.productId = productId
        self.role = role
    }
}

/// One member of a group. Not confirmed against an answer.
///
/// Source: Apple, App Store Server API 1.22, Get Group.
public struct GroupMember: Codable, Sendable, Hashable {
    /// The member's download of the app.
    public var appTransactionId: String?

    /// Every field as Apple names it; nil leaves it out.
    public init(appTransactionId: String? = nil) {
        self.appTransactionId = appTransactionId
    }
}

/// The seats of a purchase of several. Not confirmed against an answer.
///
/// Source: Apple, App Store Server API 1.23, Get Seat Info.
public struct SeatInfoResponse: Codable, Sendable, Hashable {
    /// How many there are.
    public var totalSeatCount: Int64
    /// How many are free.
    public var availableSeatCount: Int64
    /// The claims on the others.
    public var assignedSeatClaimIds: [String]?

    /// Every field as Apple names it; nil leaves it out.
    public init(totalSeatCount: Int64, availableSeatCount: Int64, assignedSeatClaimIds: [String]? = nil) {
        self.totalSeatCount = totalSeatCount
        self.availableSeatCount = availableSeatCount
        self.assignedSeatClaimIds = assignedSeatClaimIds
    }
}

/// Who gets a seat. Not confirmed against Apple's server.
///
/// Source: Apple, App Store Server API 1.23, Claim Seat.
public struct ClaimSeatRequest: Codable, Sendable, Hashable {
    /// Names the request; Apple treats a known identifier as the same claim.
    public var requestIdentifier: String
    /// The download of the app by the customer who gets the seat.
    public var appTransactionId: String

    /// Every field as Apple names it.
    public init(requestIdentifier: String, appTransactionId: String) {
        self.requestIdentifier = requestIdentifier
        self.appTransactionId = appTransactionId
    }
}

/// The claim. Not confirmed against an answer.
///
/// Source: Apple, App Store Server API 1.23, Claim Seat.
public struct ClaimSeatResponse: Codable, Sendable, Hashable {
    /// The identifier with which the seat is released.
    public var seatClaimId: String

    /// Every field as Apple names it.
    public init(seatClaimId: String) {
        self.seatClaimId = seatClaimId
    }
}
