package import Primitives

/// `?environment=`, `?limit=` and `?after=`: a page of a list.
package struct PageQuery: QueryParameters {
    package static let names: [String]? = ["environment", "limit", "after"]

    /// How long a page is at the most.
    package static let longest = 1000
    /// How long it is unless said.
    package static let usual = 200

    package var environment: Environment
    /// How many items the page has at the most, 1 to ``longest``.
    package var limit: Int
    /// What the page before named; nil for the first page.
    package var after: String?

    package init() { self.init(after: nil) }

    package init(environment: Environment = .production, limit: Int = Self.usual, after: String?) {
        self.environment = environment
        self.limit = limit
        self.after = after
    }

    package init(_ value: (String) -> Substring?) throws(ParameterError) {
        self.init(environment: try EnvironmentQuery(value).environment, after: value("after").map { String($0) })
        guard let text = value("limit") else { return }
        guard let limit = Int(text), (1...Self.longest).contains(limit) else {
            throw ParameterError("limit", "must be 1 to \(Self.longest)")
        }
        self.limit = limit
    }

    package var items: [(name: String, value: String)] {
        EnvironmentQuery(environment: environment).items + (limit == Self.usual ? [] : [("limit", "\(limit)")])
            + (after.map { [("after", $0)] } ?? [])
    }
}

/// `?environment=` and `?after=`: everything from a place on.
package struct ExportQuery: QueryParameters {
    package static let names: [String]? = ["environment", "after"]

    package var environment: Environment
    /// How far an export was that broke off; nil for a whole one.
    package var after: String?

    package init() { self.init(after: nil) }

    package init(environment: Environment = .production, after: String?) {
        (self.environment, self.after) = (environment, after)
    }

    package init(_ value: (String) -> Substring?) throws(ParameterError) {
        self.init(environment: try EnvironmentQuery(value).environment, after: value("after").map { String($0) })
    }

    package var items: [(name: String, value: String)] {
        EnvironmentQuery(environment: environment).items + (after.map { [("after", $0)] } ?? [])
    }
}

/// `?environment=`, `?limit=`, `?after=`, `?since=` and `?type=`: a stretch of the log.
package struct EventsQuery: QueryParameters {
    package static let names: [String]? = ["environment", "limit", "after", "since", "type"]

    package var page: PageQuery
    /// Only events of these types, such as `subscription.renewed` or `subscription.*`; empty: all.
    package var types: [String]
    /// Where to begin, where nothing says after what; nil: with the first event.
    package var since: Timestamp?

    package init() { self.init(PageQuery()) }

    package init(_ page: PageQuery, types: [String] = [], since: Timestamp? = nil) {
        (self.page, self.types, self.since) = (page, types, since)
    }

    package init(_ value: (String) -> Substring?) throws(ParameterError) {
        self.init(try PageQuery(value))
        since = try Timestamp(parameter: "since", value)
        guard let text = value("type") else { return }
        types = text.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
        guard types.allSatisfy({ !$0.isEmpty }) else {
            throw ParameterError("type", "must be names such as subscription.renewed or subscription.*, with commas between")
        }
    }

    package var items: [(name: String, value: String)] {
        page.items + (since.map { [("since", "\($0.millisecondsSince1970)")] } ?? [])
            + (types.isEmpty ? [] : [("type", types.joined(separator: ","))])
    }
}

/// `?limit=` and `?after=`: a page of a list that no ledger has of its own.
package struct ListQuery: QueryParameters {
    package static let names: [String]? = ["limit", "after"]

    /// How many items the page has at the most, 1 to ``PageQuery/longest``.
    package var limit: Int
    /// What the page before named; nil for the first page.
    package var after: String?

    package init() { self.init(after: nil) }

    package init(limit: Int = PageQuery.usual, after: String?) {
        self.limit = limit
        self.after = after
    }

    package init(_ value: (String) -> Substring?) throws(ParameterError) {
        let page = try PageQuery { $0 == "environment" ? nil : value($0) }
        self.init(limit: page.limit, after: page.after)
    }

    package var items: [(name: String, value: String)] {
        PageQuery(limit: limit, after: after).items.filter { $0.name != "environment" }
    }
}

/// `?delivered=`, `?limit=` and `?after=`: a page of attempts.
package struct AttemptsQuery: QueryParameters {
    package static let names: [String]? = ["limit", "after", "delivered"]

    package var page: ListQuery
    /// Only those that were taken, or only those that were not; nil: all.
    package var delivered: Bool?

    package init() { self.init(ListQuery()) }

    package init(_ page: ListQuery, delivered: Bool? = nil) { (self.page, self.delivered) = (page, delivered) }

    package init(_ value: (String) -> Substring?) throws(ParameterError) {
        self.init(try ListQuery(value))
        guard let text = value("delivered") else { return }
        guard let delivered = Bool(String(text)) else { throw ParameterError("delivered", "must be true or false") }
        self.delivered = delivered
    }

    package var items: [(name: String, value: String)] {
        page.items + (delivered.map { [("delivered", "\($0)")] } ?? [])
    }
}

/// Where a page ended, as its next page's address says it: letters, digits, `-` and `_` alone, so that nobody encodes it twice.
/// It holds for one operation and one filter, and is refused elsewhere.
package enum PageCursor {
    /// - Parameters:
    ///   - place: the last item's key.
    ///   - list: the operation and its filter.
    package static func encode(_ place: String, of list: String) -> String {
        StrictBase64.encodeURL(Array("\(list)\u{0}\(place)".utf8))
    }

    /// The last item's key.
    ///
    /// - Throws: `CursorInvalid` for what is no cursor of this list.
    package static func decode(_ cursor: String, of list: String) throws(CursorInvalid) -> String {
        guard let bytes = StrictBase64.decodeURL(Array(cursor.utf8)[...]),
            let text = String(validating: bytes, as: UTF8.self)
        else { throw CursorInvalid() }
        let parts = text.split(separator: "\u{0}", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == list else { throw CursorInvalid() }
        return String(parts[1])
    }
}

/// The cursor is none of this list's.
package struct CursorInvalid: Error, Hashable {
    package init() {}
}
