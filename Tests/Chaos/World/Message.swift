/// One request that the server must acknowledge, however often it has to be sent.
struct Message: Sendable {
    /// Whether it may be sent at any time, or only after its predecessors of the same life are acknowledged.
    enum Order: Sendable {
        case free
        /// The place in its life's line: registrations, then claims.
        case inLine(Int)
    }

    /// The life and the part of it: `life 12 notification 00000000-…`.
    let name: String
    let life: Int
    let order: Order
    let method: Method
    let path: String
    let body: [UInt8]
    /// What must be stored once it is acknowledged.
    let evidence: Evidence

    enum Method: String, Sendable { case post = "POST", put = "PUT" }

    /// What the store contains when a message is acknowledged, by the names of decision 0003.
    struct Evidence: Sendable {
        /// Nil for uploads and registrations.
        var notificationUUID: String?
        /// `app factKey`.
        var facts: [String] = []
    }

    /// Statuses that acknowledge: every final answer of the server. 409 is a decision too: the claim is refused.
    func isAcknowledged(by status: Int) -> Bool {
        switch order {
        case .free: status == 200
        case .inLine: status == 200 || status == 202 || status == 204 || status == 409
        }
    }
}
