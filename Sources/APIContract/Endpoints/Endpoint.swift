import Primitives

/// One operation of the API, described once: the server routes by it, clients build their requests by it, and the documents are
/// held against it (docs/decisions/0030).
///
/// What an endpoint takes and gives is in its type, so that neither side can leave a parameter out or read another body.
package struct Endpoint<Path: PathParameters, Query: QueryParameters, Body: RequestContent, Answer: AnswerContent>: Sendable {
    /// Stable; a verb and a noun, such as `readEntitlements`. Generated clients name their functions by it.
    package let operationId: String
    package let tag: EndpointTag
    /// What it does, in one sentence.
    package let summary: String
    package let method: Method
    package let template: PathTemplate<Path>
    package let callers: Callers<Path>
    /// What it can be refused with, beside what every request with such callers, parameters and such a body can
    /// (``EndpointDescription/problems``).
    package let problems: [ProblemKind]
    /// Whether a customer's next request is refused while the one before is still being read (T36).
    package let isOneAtATime: Bool
    /// Whether the same request sent again is answered what it was answered first, where it bears an idempotency key. So it is
    /// for what would do more each time it is done; everything else may be sent again without one.
    package let isKeyed: Bool

    package init(
        _ operationId: String, _ method: Method, _ template: PathTemplate<Path>, callers: Callers<Path>, about: EndpointWords,
        problems: [ProblemKind] = [], traits: Set<EndpointTrait> = []
    ) {
        (tag, summary) = (about.tag, about.summary)
        (isOneAtATime, isKeyed) = (traits.contains(.oneAtATime), traits.contains(.keyed))
        self.operationId = operationId
        self.method = method
        self.template = template
        self.callers = callers
        self.problems = problems
    }

    /// The path of a request, with its query where there is one; everything in it is percent-encoded.
    package func path(_ path: Path, _ query: Query = Query()) -> String {
        let items = query.items
        guard !items.isEmpty else { return template.path(path) }
        let pairs = items.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }
        return "\(template.path(path))?\(pairs.joined(separator: "&"))"
    }
}

/// What an endpoint is for, in words.
package struct EndpointWords: Sendable {
    package let tag: EndpointTag
    package let summary: String

    package init(_ tag: EndpointTag, _ summary: String) {
        self.tag = tag
        self.summary = summary
    }
}

/// What is special about how an endpoint takes requests.
package enum EndpointTrait: Sendable, Hashable {
    /// ``Endpoint/isOneAtATime``.
    case oneAtATime
    /// ``Endpoint/isKeyed``.
    case keyed
}

/// What kind of thing an endpoint is about: the headings of the document.
package enum EndpointTag: String, Sendable, Hashable, CaseIterable {
    case apple = "Apple"
    case purchases = "Purchases"
    case access = "Access"
    case offers = "Offers"
    case customers = "Customers"
    case votes = "Votes"
    case subscriptions = "Subscriptions"
    case signals = "Signals"
    case events = "Events"
    case webhooks = "Webhooks"
    case copies = "Copies"
    case operations = "Operations"
}

/// A method of HTTP that an endpoint answers.
///
/// Source: RFC 9110, section 9.3; RFC 5789 (`PATCH`).
package enum Method: String, Sendable, Hashable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
}
