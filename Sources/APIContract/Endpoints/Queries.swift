package import Primitives

/// The parameters in the query of an endpoint.
package protocol QueryParameters: Sendable, Hashable {
    /// Which ones there are. A request with another one, or with one of them twice, is refused: what is misspelt would be
    /// answered as if it were not there. nil: any, and none is read.
    static var names: [String]? { get }

    /// What is meant where nothing is said.
    init()

    /// Reads the parameters of a request.
    ///
    /// - Parameter value: what a request says for a name, decoded; nil where it does not say.
    init(_ value: (String) -> Substring?) throws(ParameterError)

    /// What a request says: only what differs from what is meant where nothing is said.
    var items: [(name: String, value: String)] { get }
}

/// No query.
package struct NoQuery: QueryParameters {
    package static let names: [String]? = []

    package init() {}

    package init(_ value: (String) -> Substring?) throws(ParameterError) {}

    package var items: [(name: String, value: String)] { [] }
}

/// Any query, which is not read: for addresses that others write down, with whatever they need to tell their requests apart.
package struct AnyQuery: QueryParameters {
    package static let names: [String]? = nil

    package init() {}

    package init(_ value: (String) -> Substring?) throws(ParameterError) {}

    package var items: [(name: String, value: String)] { [] }
}

/// `?environment=`
package struct EnvironmentQuery: QueryParameters {
    package static let names: [String]? = ["environment"]

    /// The environment asked about, in Apple's spelling; `Production` where nothing is said.
    package var environment: Environment

    package init() { self.init(environment: .production) }

    package init(environment: Environment) { self.environment = environment }

    package init(_ value: (String) -> Substring?) throws(ParameterError) {
        guard let spelling = value("environment") else {
            environment = .production
            return
        }
        guard let environment = Environment(rawValue: String(spelling)) else {
            throw ParameterError("environment", "must be Production or Sandbox")
        }
        self.environment = environment
    }

    package var items: [(name: String, value: String)] {
        environment == .production ? [] : [("environment", environment.rawValue)]
    }
}

/// `?environment=` and `?at=`
package struct InstantQuery: QueryParameters {
    package static let names: [String]? = ["environment", "at"]

    package var environment: Environment
    /// The instant asked about, in milliseconds since 1970; nil for now.
    package var at: Timestamp?

    package init() { environment = .production }

    package init(environment: Environment = .production, at: Timestamp?) {
        self.environment = environment
        self.at = at
    }

    package init(_ value: (String) -> Substring?) throws(ParameterError) {
        environment = try EnvironmentQuery(value).environment
        at = try Timestamp(parameter: "at", value)
    }

    package var items: [(name: String, value: String)] {
        EnvironmentQuery(environment: environment).items + (at.map { [("at", "\($0.millisecondsSince1970)")] } ?? [])
    }
}

/// `?environment=` and `?subject=`
package struct SubjectQuery: QueryParameters {
    package static let names: [String]? = ["environment", "subject"]

    package var environment: Environment
    /// What it is about; nil: whatever it is about.
    package var subject: String?

    package init() { environment = .production }

    package init(environment: Environment = .production, subject: String?) {
        self.environment = environment
        self.subject = subject
    }

    package init(_ value: (String) -> Substring?) throws(ParameterError) {
        environment = try EnvironmentQuery(value).environment
        subject = value("subject").map { String($0) }
    }

    package var items: [(name: String, value: String)] {
        EnvironmentQuery(environment: environment).items + (subject.map { [("subject", $0)] } ?? [])
    }
}

/// `?minted=`
package struct RegistrationQuery: QueryParameters {
    package static let names: [String]? = ["minted"]

    /// The app's backend made the token for this customer and nobody else, so it counts whenever it is registered (OWN-2).
    package var minted: Bool

    package init() { self.init(minted: false) }

    package init(minted: Bool) { self.minted = minted }

    package init(_ value: (String) -> Substring?) throws(ParameterError) {
        switch value("minted") {
        case nil, "false": minted = false
        case "true": minted = true
        default: throw ParameterError("minted", "must be true or false")
        }
    }

    package var items: [(name: String, value: String)] { minted ? [("minted", "true")] : [] }
}

/// `?environment=`, `?publishedAt=` and `?at=`
package struct ContentQuery: QueryParameters {
    package static let names: [String]? = ["environment", "publishedAt", "at"]

    package var environment: Environment
    /// When the item was published; nil, and so long ago, where nothing is said.
    package var publishedAt: Timestamp?
    package var at: Timestamp?

    package init() { self.init(publishedAt: nil) }

    package init(environment: Environment = .production, publishedAt: Timestamp?, at instant: Timestamp? = nil) {
        self.environment = environment
        self.publishedAt = publishedAt
        at = instant
    }

    package init(_ value: (String) -> Substring?) throws(ParameterError) {
        let asked = try InstantQuery(value)
        (environment, at) = (asked.environment, asked.at)
        publishedAt = try Timestamp(parameter: "publishedAt", value)
    }

    package var items: [(name: String, value: String)] {
        InstantQuery(environment: environment, at: at).items
            + (publishedAt.map { [("publishedAt", "\($0.millisecondsSince1970)")] } ?? [])
    }
}

/// `?q=`
package struct SearchQuery: QueryParameters {
    package static let names: [String]? = ["q"]

    package var text: String

    package init() { text = "" }

    package init(text: String) { self.text = text }

    package init(_ value: (String) -> Substring?) throws(ParameterError) {
        guard let said = value("q"), !said.isEmpty else { throw ParameterError("q", "is missing") }
        text = String(said)
    }

    package var items: [(name: String, value: String)] { [("q", text)] }
}

/// `?environment=` and `?nonce=`
package struct SigningQuery: QueryParameters {
    package static let names: [String]? = ["environment", "nonce"]

    package var environment: Environment
    /// Comes back in what is signed; nil where nothing was said.
    package var nonce: String?

    package init() { self.init(nonce: nil) }

    package init(environment: Environment = .production, nonce: String?) {
        self.environment = environment
        self.nonce = nonce
    }

    package init(_ value: (String) -> Substring?) throws(ParameterError) {
        self.init(environment: try EnvironmentQuery(value).environment, nonce: value("nonce").map { String($0) })
        guard nonce.map({ (1...100).contains($0.count) }) ?? true else {
            throw ParameterError("nonce", "must have 1 to 100 characters")
        }
    }

    package var items: [(name: String, value: String)] {
        EnvironmentQuery(environment: environment).items + (nonce.map { [("nonce", $0)] } ?? [])
    }
}

extension Timestamp {
    /// An instant of a query, in milliseconds since 1970; nil where the query has none.
    init?(parameter name: String, _ value: (String) -> Substring?) throws(ParameterError) {
        guard let text = value(name) else { return nil }
        guard let instant = Int64(text).flatMap({ Timestamp(validating: $0) }) else {
            throw ParameterError(name, "must be milliseconds since 1970, before the year 10000")
        }
        self = instant
    }
}
