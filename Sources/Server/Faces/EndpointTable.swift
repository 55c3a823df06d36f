import APIContract
import HTTPTypes
import Hummingbird
import Primitives

/// Finds the endpoint of an address: a tree of the segments of all path templates. At each place a segment that a template spells
/// out comes before a parameter.
///
/// Hummingbird's own router could find it too. It compares strings by Unicode's rules and copies each parameter into a
/// dictionary, which costs an entitlement read half as much as its database does (docs/decisions/0030).
struct EndpointTable: Sendable {
    /// Answers a request whose address has these parameters.
    typealias Handler = @Sendable (Request, ServerContext, PathSegments) async throws -> Response

    fileprivate struct Entry: Sendable {
        let method: HTTPRequest.Method
        let parameters: [PathSegments.Parameter]
        let times: RouteTimes
        let handler: Handler
    }

    private struct Node: Sendable {
        var literals: [Literal] = []
        /// What follows where any text may stand.
        var parameter: Int?
        var entries: [Entry] = []
    }

    private struct Literal: Sendable {
        let text: [UInt8]
        let node: Int
    }

    /// The first is the root.
    private var nodes = [Node()]

    /// - Parameters:
    ///   - template: the path with the names of its parameters in braces, such as `/api/v1/apps/{app}/warnings`.
    ///   - times: where its requests are timed.
    mutating func add(
        _ method: HTTPRequest.Method, _ template: String, times: RouteTimes, _ handler: @escaping Handler
    ) {
        var node = 0
        var parameters: [PathSegments.Parameter] = []
        for (place, segment) in template.split(separator: "/").enumerated() {
            if segment.hasPrefix("{"), segment.hasSuffix("}") {
                parameters.append(.init(name: String(segment.dropFirst().dropLast()), place: place))
                node = parameterNode(below: node)
            } else {
                node = literalNode(Array(segment.utf8), below: node)
            }
        }
        nodes[node].entries.append(Entry(method: method, parameters: parameters, times: times, handler: handler))
    }

    private mutating func parameterNode(below node: Int) -> Int {
        if let known = nodes[node].parameter { return known }
        nodes.append(Node())
        nodes[node].parameter = nodes.count - 1
        return nodes.count - 1
    }

    private mutating func literalNode(_ text: [UInt8], below node: Int) -> Int {
        if let known = nodes[node].literals.first(where: { $0.text == text }) { return known.node }
        nodes.append(Node())
        nodes[node].literals.append(Literal(text: text, node: nodes.count - 1))
        return nodes.count - 1
    }

    /// What answers the path of a request; nil where no endpoint has it.
    func find(_ request: Request) -> Found? {
        let segments = PathSegments(request.uri.path)
        return find(segments, from: 0, at: 0).map { Found(entries: nodes[$0].entries, segments: segments) }
    }

    /// The endpoints of one path, by their methods.
    struct Found: Sendable {
        fileprivate let entries: [Entry]
        fileprivate let segments: PathSegments

        /// A GET answers HEAD too, without its body.
        ///
        /// - Throws: `MethodNotAllowed` where the path has other methods (RFC 9110, section 15.5.6); what the handler throws.
        func answer(_ request: Request, _ context: ServerContext) async throws -> Response {
            if let entry = entry(for: request.method) { return try await answer(request, context, entry) }
            guard request.method == .head, let get = entry(for: .get) else {
                throw MethodNotAllowed(allowed: entries.flatMap { $0.method == .get ? [.get, .head] : [$0.method] })
            }
            return try await answer(request, context, get).createHeadResponse()
        }

        /// Where requests with the method are timed; nil where the path does not have it.
        func times(of method: HTTPRequest.Method) -> RouteTimes? {
            (entry(for: method) ?? (method == .head ? entry(for: .get) : nil))?.times
        }

        private func entry(for method: HTTPRequest.Method) -> Entry? { entries.first { $0.method == method } }

        private func answer(_ request: Request, _ context: ServerContext, _ entry: Entry) async throws -> Response {
            var segments = segments
            segments.parameters = entry.parameters
            return try await entry.handler(request, context, segments)
        }
    }

    /// As deep as the templates are, whatever a client sends.
    private func find(_ segments: PathSegments, from node: Int, at place: Int) -> Int? {
        guard place < segments.count else { return nodes[node].entries.isEmpty ? nil : node }
        if let literal = nodes[node].literals.first(where: { segments.isEqual(at: place, to: $0.text) }),
            let found = find(segments, from: literal.node, at: place + 1)
        {
            return found
        }
        // Nothing is no identifier.
        guard !segments.isEmpty(at: place) else { return nil }
        return nodes[node].parameter.flatMap { find(segments, from: $0, at: place + 1) }
    }
}

/// The segments of a request's path. What stands between two slashes in a row is a segment too, which no template has: an address
/// whose customer was left out must not be read as another address. One slash at the end is none.
struct PathSegments: Sendable {
    /// A name of the template, and which segment it stands for.
    struct Parameter: Sendable {
        let name: String
        let place: Int
    }

    private let path: [UInt8]
    private let ranges: [Range<Int>]
    /// Of the endpoint that was found.
    fileprivate(set) var parameters: [Parameter] = []

    init(_ path: String) {
        let bytes = Array(path.utf8)
        var ranges: [Range<Int>] = []
        ranges.reserveCapacity(8)
        var start = 0
        for index in bytes.indices where bytes[index] == UInt8(ascii: "/") {
            if index > 0 { ranges.append(start..<index) }
            start = index + 1
        }
        if bytes.count > start { ranges.append(start..<bytes.count) }
        self.path = bytes
        self.ranges = ranges
    }

    var count: Int { ranges.count }

    func isEmpty(at place: Int) -> Bool { ranges[place].isEmpty }

    func isEqual(at place: Int, to text: [UInt8]) -> Bool { path[ranges[place]].elementsEqual(text) }

    /// What stands for a parameter, percent-decoded. Control characters are refused: a text ends for SQLite at its first zero
    /// byte, so that another identifier would be found.
    func value(of name: String) throws(ParameterError) -> String {
        guard let parameter = parameters.first(where: { $0.name == name }),
            let text = PercentEncoding.decode(path[ranges[parameter.place]]),
            text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { throw ParameterError(name, "is not percent-encoded UTF-8 without control characters") }
        return text
    }
}
