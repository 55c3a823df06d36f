import Primitives

/// `…/signals/{signal}`
package struct SignalPath: AppPathParameters {
    package var app: String
    package var signal: String

    package init(app: String, signal: String) {
        self.app = app
        self.signal = signal
    }

    package init(_ value: (PathParameter<SignalPath>) throws(ParameterError) -> String) throws(ParameterError) {
        app = try value(.app)
        signal = try value(.signal)
    }
}

extension PathParameter<SignalPath> {
    package static var signal: Self { Self("signal") { $0.signal } }
}

/// `?environment=`, `?limit=`, `?after=`, `?state=`, `?signalKind=`, `?customer=` and `?originalTransactionId=`: a page of
/// signals.
package struct SignalsQuery: QueryParameters {
    package static let names: [String]? = [
        "environment", "limit", "after", "state", "signalKind", "customer", "originalTransactionId",
    ]

    package var page: PageQuery
    /// Only those that wait for somebody, or only those that do not; nil: all.
    package var isOpen: Bool?
    /// nil: of every kind.
    package var kind: String?
    /// Only those about this customer.
    package var customer: String?
    /// Only those about this subscription by itself.
    package var originalTransactionId: String?

    package init() { self.init(PageQuery()) }

    package init(_ page: PageQuery, isOpen: Bool? = nil, kind: String? = nil) {
        (self.page, self.isOpen, self.kind) = (page, isOpen, kind)
    }

    package init(_ value: (String) -> Substring?) throws(ParameterError) {
        self.init(try PageQuery(value))
        switch value("state") {
        case nil: isOpen = nil
        case "open": isOpen = true
        case "acknowledged": isOpen = false
        default: throw ParameterError("state", "must be open or acknowledged")
        }
        kind = value("signalKind").map { String($0) }
        guard kind.map(SignalWords.kinds.contains) ?? true else {
            throw ParameterError("signalKind", "must be \(SignalWords.kinds.joined(separator: ", "))")
        }
        customer = value("customer").map { String($0) }
        originalTransactionId = value("originalTransactionId").map { String($0) }
        guard customer == nil || originalTransactionId == nil else {
            throw ParameterError("originalTransactionId", "must not stand beside customer")
        }
    }

    package var items: [(name: String, value: String)] {
        page.items + filter
    }

    /// What is asked for, whatever page of it.
    package var filter: [(name: String, value: String)] {
        let said: [(name: String, value: String?)] = [
            ("state", isOpen.map { $0 ? "open" : "acknowledged" }), ("signalKind", kind), ("customer", customer),
            ("originalTransactionId", originalTransactionId),
        ]
        return said.compactMap { name, value in value.map { (name, $0) } }
    }
}
