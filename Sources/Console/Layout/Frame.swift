import Backend
package import Ledger
package import Primitives

/// What stands around a page, and what a page needs to make its links: who asks, of what, when.
package struct Frame: Sendable {
    package let site: ConsoleSite
    package let visitor: ConsoleVisitor
    package let speech: Speech
    /// The page itself.
    package let route: ConsoleRoute
    package let standing: Standing

    package init(site: ConsoleSite, visitor: ConsoleVisitor, speech: Speech, route: ConsoleRoute, standing: Standing) {
        (self.site, self.visitor, self.speech, self.route, self.standing) = (site, visitor, speech, route, standing)
    }

    /// What is so whatever is asked.
    package struct Standing: Sendable, Hashable {
        /// The server's time as the request came.
        package let now: Timestamp
        /// Whether that is the clock of a local App Store.
        package let isSimulated: Bool
        /// Of Tenure.
        package let version: String
        /// The apps that are served, and their environments; by app.
        package let apps: [ServedApp]

        package init(now: Timestamp, isSimulated: Bool, version: String, apps: [ServedApp]) {
            (self.now, self.isSimulated, self.version, self.apps) = (now, isSimulated, version, apps)
        }
    }

    package struct ServedApp: Sendable, Hashable {
        package let id: AppID
        package let environments: [Environment]

        package init(id: AppID, environments: [Environment]) { (self.id, self.environments) = (id, environments) }
    }

    /// The ledger that the page is about; of a page without one, the first that the visitor has a role for.
    var place: ConsolePlace? { route.place ?? firstPlace }

    /// Where somebody begins who named no app.
    var firstPlace: ConsolePlace? {
        for app in standing.apps where visitor.role(in: app.id) != nil {
            let preferred = app.environments.first { $0 == .production } ?? app.environments.first
            if let preferred { return ConsolePlace(app.id, preferred) }
        }
        return nil
    }

    func say(_ words: some Words) -> Said { speech.say(words) }

    /// A page of the same ledger.
    func here(_ page: ConsoleRoute.Page) -> ConsoleRoute? { place.map { .page($0, page) } }
}

extension HTML {
    /// A link with a text of ours; only the text where the visitor may not follow it.
    mutating func link(_ route: ConsoleRoute?, say words: Said, _ frame: Frame) {
        link(route, frame) { $0.say(words) }
    }

    /// A link with data; only the data where the visitor may not follow it.
    mutating func link(_ route: ConsoleRoute?, data: String, _ frame: Frame) {
        link(route, frame) { $0.data(data) }
    }

    mutating func link(_ route: ConsoleRoute?, _ frame: Frame, content: (inout HTML) -> Void) {
        guard let route, frame.visitor.may(route) else {
            content(&self)
            return
        }
        element(.a, .href(frame.site.address(of: route)), content: content)
    }

    /// An instant with its zone; how long ago or ahead it is, as a title.
    mutating func time(_ instant: Timestamp, _ frame: Frame, seconds: Bool = false) {
        let distance = frame.standing.now.since(instant)
        let words: TimeWords =
            distance.count >= 0
            ? .ago(frame.speech.duration(distance)) : .ahead(frame.speech.duration(Milliseconds(-max(distance.count, -.max))))
        element(.time, .data(.datetime, "\(instant)"), .say(.title, frame.say(words))) {
            $0.say(frame.say(TimeWords.instant(frame.speech.instant(instant, seconds: seconds))))
        }
    }

    /// An instant, or a dash of ours where there is none.
    mutating func time(_ instant: Timestamp?, or words: some Words, _ frame: Frame) {
        if let instant { time(instant, frame) } else { say(frame.say(words)) }
    }

    /// What shows that a form comes from a page of the visitor's session.
    mutating func formToken(_ frame: Frame) {
        guard !frame.visitor.formToken.isEmpty else { return }
        void(.input, .fixed("type", "hidden"), .fixed("name", "form"), .data(.value, frame.visitor.formToken))
    }

    /// The rule's id, as a link to its page.
    mutating func rule(_ id: String, _ frame: Frame) {
        element(.a, .class("rule"), .href(frame.site.address(of: .rule(id)))) { $0.data(id) }
    }

    /// Links to rules with commas between them.
    mutating func rules(_ rules: [Rule], _ frame: Frame) {
        for (index, rule) in rules.enumerated() {
            if index > 0 { fixed(", ") }
            self.rule(rule.rawValue, frame)
        }
    }

    mutating func customer(_ id: CustomerID, _ frame: Frame) {
        link(frame.here(.customer(id, .init())), data: id.rawValue, frame)
    }

    mutating func subscription(_ id: OriginalTransactionID, _ frame: Frame) {
        link(frame.here(.subscription(id, at: nil)), data: id.rawValue, frame)
    }
}
