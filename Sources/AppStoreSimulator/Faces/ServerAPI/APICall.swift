internal import AppStoreModel
internal import Primitives
internal import StrictJSON

/// A call of the App Store Server API, with its caller.
struct APICall: Sendable {
    let app: AppNumber
    let environment: Environment
    let method: String
    /// Percent-decoded.
    let path: [String]
    /// In the order of the address; names may repeat.
    let query: [(name: String, value: String)]
    let body: [UInt8]
    /// Whether it sees the store as it was when the fault `stale` was set.
    var isStale = false
    /// Whether it sees purchases and their changes only once they are as old as the store is told to wait.
    var isLate = false

    func values(_ name: String) -> [String] { query.filter { $0.name == name }.map(\.value) }

    func value(_ name: String) -> String? { values(name).first }

    /// The body's object.
    func object() throws(APIError) -> JSONObject {
        let root: JSONObject?
        do throws(JSONError) { root = try JSONDocument(body).root.object } catch { throw .generalBadRequest }
        guard let root else { throw .generalBadRequest }
        return root
    }
}

/// What is answered: a status and, but for some calls, JSON.
struct APIAnswer: Sendable {
    let status: Int
    /// Nil: an empty body.
    let json: [UInt8]?
    /// `Retry-After`: when to retry.
    var retryAt: Timestamp?

    init(status: Int = 200, json: [UInt8]? = nil) {
        self.status = status
        self.json = json
    }

    init(_ members: (inout JSONWriter) throws -> Void) rethrows {
        var json = JSONWriter(reservingCapacity: 4096)
        try json.object(members)
        self.init(json: json.bytes)
    }

    init(_ error: APIError) {
        var json = JSONWriter()
        json.object {
            $0.member("errorCode", error.errorCode)
            $0.member("errorMessage", error.errorMessage)
        }
        self.init(status: error.status, json: json.bytes)
    }
}

/// What a call is about, found in its method and path.
///
/// Source: Apple, App Store Server API, endpoints.
enum APIRoute: Sendable {
    case transaction(String)
    case history(String, isV2: Bool)
    case statuses(String)
    case order(String)
    case refunds(String, isV2: Bool)
    case extend(String)
    case extendAll
    case extensionStatus(product: String, request: String)
    case consumption(String, isV2: Bool)
    case appAccountToken(String)
    case appTransaction(String)
    case finish(String)
    case requestTest
    case testStatus(String)
    case notificationHistory
    case retention(RetentionRoute)

    init?(_ method: String, _ path: [String]) {
        guard path.count >= 3, path[0] == "inApps" else { return nil }
        let rest = Array(path[3...])
        let isV2 = path[1] == "v2"
        switch (method, path[1], path[2], rest.count) {
        case ("GET", "v1", "transactions", 1): self = .transaction(rest[0])
        case ("GET", "v1", "transactions", 2) where rest[0] == "appTransactions": self = .appTransaction(rest[1])
        case ("PUT", _, "transactions", 2) where rest[0] == "consumption": self = .consumption(rest[1], isV2: isV2)
        case ("PUT", "v1", "transactions", 2) where rest[1] == "appAccountToken": self = .appAccountToken(rest[0])
        case ("POST", "v1", "transactions", 2) where rest[1] == "finish": self = .finish(rest[0])
        case ("GET", _, "history", 1): self = .history(rest[0], isV2: isV2)
        case ("GET", "v1", "subscriptions", 1): self = .statuses(rest[0])
        case ("GET", "v1", "lookup", 1): self = .order(rest[0])
        case ("GET", _, "refund", 2) where rest[0] == "lookup": self = .refunds(rest[1], isV2: isV2)
        case ("PUT", "v1", "subscriptions", 2) where rest[0] == "extend": self = .extend(rest[1])
        case ("POST", "v1", "subscriptions", 2) where rest == ["extend", "mass"]: self = .extendAll
        case ("GET", "v1", "subscriptions", 4) where rest[0] == "extend" && rest[1] == "mass":
            self = .extensionStatus(product: rest[2], request: rest[3])
        case ("POST", "v1", "notifications", 1) where rest[0] == "test": self = .requestTest
        case ("GET", "v1", "notifications", 2) where rest[0] == "test": self = .testStatus(rest[1])
        case ("POST", "v1", "notifications", 1) where rest[0] == "history": self = .notificationHistory
        case (_, "v1", "messaging", 1...):
            guard let route = RetentionRoute(method, rest) else { return nil }
            self = .retention(route)
        default: return nil
        }
    }

    /// Whether it lists what happened to a customer's purchases: what Apple may show later than a notification tells it.
    var showsLate: Bool {
        switch self {
        case .history, .statuses, .refunds: true
        case .transaction, .order, .extend, .extendAll, .extensionStatus, .consumption, .appAccountToken, .appTransaction,
            .finish, .requestTest, .testStatus, .notificationHistory, .retention:
            false
        }
    }
}

/// A call about messages to customers who are about to leave.
///
/// Source: Apple, Retention Messaging API, endpoints.
enum RetentionRoute: Sendable {
    case uploadImage(String), deleteImage(String), images
    case uploadMessage(String), deleteMessage(String), messages
    case setDefault(product: String, locale: String)
    case `default`(product: String, locale: String)
    case deleteDefault(product: String, locale: String)
    case setRealtimeURL, realtimeURL, deleteRealtimeURL
    case startTest, testResult(String)

    /// - Parameter path: what follows `messaging`.
    init?(_ method: String, _ path: [String]) {
        switch (method, path[0], path.count) {
        case ("PUT", "image", 2): self = .uploadImage(path[1])
        case ("DELETE", "image", 2): self = .deleteImage(path[1])
        case ("GET", "image", 2) where path[1] == "list": self = .images
        case ("PUT", "message", 2): self = .uploadMessage(path[1])
        case ("DELETE", "message", 2): self = .deleteMessage(path[1])
        case ("GET", "message", 2) where path[1] == "list": self = .messages
        case ("PUT", "default", 3): self = .setDefault(product: path[1], locale: path[2])
        case ("GET", "default", 3): self = .default(product: path[1], locale: path[2])
        case ("DELETE", "default", 3): self = .deleteDefault(product: path[1], locale: path[2])
        case ("PUT", "realtime", 2) where path[1] == "url": self = .setRealtimeURL
        case ("GET", "realtime", 2) where path[1] == "url": self = .realtimeURL
        case ("DELETE", "realtime", 2) where path[1] == "url": self = .deleteRealtimeURL
        case ("POST", "performanceTest", 1): self = .startTest
        case ("GET", "performanceTest", 3) where path[1] == "result": self = .testResult(path[2])
        default: return nil
        }
    }
}
