/// One endpoint of the App Store Server API: what is the same in every call of it.
///
/// Source: Apple, App Store Server API, Advanced Commerce API, Retention Messaging API.
public struct ServerAPIEndpoint: Sendable, Hashable {
    /// The HTTP method.
    public enum Method: String, Sendable, Hashable {
        /// Reads.
        case get = "GET"
        /// Performs an action.
        case post = "POST"
        /// Sets.
        case put = "PUT"
        /// Removes.
        case delete = "DELETE"
    }

    /// Apple's name for it, such as `Get Transaction Info`.
    public let name: String
    /// Its HTTP method.
    public let method: Method
    /// The path; segments in braces are filled in by a call, such as `/inApps/v1/transactions/{transactionId}`.
    public let pathTemplate: String
    /// How often it may be called.
    public let rateLimit: ServerAPIRateLimit
    /// The status of a successful answer: 200; for consumption 202.
    public let expectedStatus: Int

    init(
        _ name: String, _ method: Method, _ pathTemplate: String, _ rateLimit: ServerAPIRateLimit, expectedStatus: Int = 200
    ) {
        self.name = name
        self.method = method
        self.pathTemplate = pathTemplate
        self.rateLimit = rateLimit
        self.expectedStatus = expectedStatus
    }

    /// Whether a call changes nothing at Apple's, so that it may simply be made again if its answer was lost. The history of
    /// notifications is read by POST.
    public var isReading: Bool { method == .get || self == .getNotificationHistory }

    /// The path with its segments filled in, in their order.
    func path(_ segments: [String]) throws(ServerAPIRequestError) -> String {
        var rest = segments[...]
        var path = ""
        for part in pathTemplate.split(separator: "/") {
            guard part.first == "{" else {
                path += "/" + part
                continue
            }
            let field = String(part.dropFirst().dropLast())
            guard let segment = rest.popFirst() else { throw ServerAPIRequestError(.empty, field) }
            path += "/" + (try PathSegment.encoded(segment, field: field))
        }
        return path
    }
}
