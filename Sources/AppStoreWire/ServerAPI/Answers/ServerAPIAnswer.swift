public import Primitives
internal import StrictJSON

/// What an HTTP server answered; not necessarily Apple's.
public struct ServerAPIReply: Sendable, Hashable {
    /// One header field.
    public struct Header: Sendable, Hashable {
        /// The name, in any case.
        public let name: String
        /// The value.
        public let value: String

        /// A header field.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The status, such as 200.
    public let status: Int
    /// The header fields in any order.
    public let headers: [Header]
    /// The whole body; empty: none.
    public let body: [UInt8]

    /// A reply as received from the network.
    public init(status: Int, headers: [Header] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The longest body that is read: 1 MiB. A page of twenty complete notifications takes at most half of it. A client should
    /// stop reading there.
    public static let maximumBodyBytes = 1 << 20

    /// The value of a header field, whatever the case of its name; the first of several; nil: there is none.
    public func header(_ name: String) -> String? {
        let name = name.lowercased()
        return headers.first { $0.name.lowercased() == name }?.value
    }

    /// Whether the media type, if there is one, is JSON's; parameters such as `charset` do not count.
    var mayBeJSON: Bool {
        guard let type = header("Content-Type")?.split(separator: ";", maxSplits: 1).first else { return true }
        let essence = type.lowercased().filter { $0 != " " && $0 != "\t" }
        return essence == "application/json" || (essence.hasPrefix("application/") && essence.hasSuffix("+json"))
    }
}

/// A successful answer.
public struct ServerAPIAnswer<Response: ServerAPIResponse>: Sendable, Hashable {
    /// The answer. It is not signed itself: what matters is inside its compact JWS, which the verifier checks.
    public let response: Response
    /// The body as received, with the fields that are newer than this library.
    public let rawBody: [UInt8]
}

extension ServerAPICall {
    /// Reads a reply.
    ///
    /// An object with an integer `errorCode` is Apple's error whatever the status and the media type are: no answer has such a
    /// field. Otherwise a success is a status of 200 to 299 and a body of the right shape. An empty body is a success only for
    /// calls whose answer has no body.
    public func answer(
        to reply: ServerAPIReply, at now: Timestamp
    ) -> Result<ServerAPIAnswer<Response>, ServerAPIFailure> {
        do throws(Refusal) {
            return .success(ServerAPIAnswer(response: try read(reply), rawBody: reply.body))
        } catch {
            return .failure(ServerAPIFailure(error.reason, to: reply, of: endpoint, at: now))
        }
    }

    private func read(_ reply: ServerAPIReply) throws(Refusal) -> Response {
        guard reply.body.count <= ServerAPIReply.maximumBodyBytes else {
            throw Refusal(reply.status == 401 ? .unauthenticated : .tooLarge)
        }
        let isSuccess = (200...299).contains(reply.status)
        if isSuccess, reply.body.isEmpty, let empty = Response.ofEmptyBody { return empty }
        let root = try root(of: reply)
        if let code = root.object?["errorCode"]?.int64 {
            throw Refusal(.apple(ServerAPIErrorCode(rawValue: code), message: root.object?["errorMessage"]?.string))
        }
        if reply.status == 401 { throw Refusal(.unauthenticated) }
        guard isSuccess else { throw Refusal(.unexpectedShape(field: "errorCode")) }
        guard reply.mayBeJSON else { throw Refusal(.notJSON) }
        do throws(JSONCodingError) {
            return try StrictJSONDecoder().decode(Response.self, from: root)
        } catch {
            throw Refusal(.unexpectedShape(field: error.path))
        }
    }

    private func root(of reply: ServerAPIReply) throws(Refusal) -> JSONValue {
        do throws(JSONError) {
            return try JSONDocument(reply.body, limits: JSONLimits(maximumBytes: ServerAPIReply.maximumBodyBytes)).root
        } catch {
            throw Refusal(reply.status == 401 ? .unauthenticated : .notJSON)
        }
    }
}

/// The class of a failure, while it is being thrown.
private struct Refusal: Error {
    let reason: ServerAPIFailure.Reason

    init(_ reason: ServerAPIFailure.Reason) { self.reason = reason }
}
