import AppStoreWire
import ArtifactInspection
import Backend
import Ledger
import Primitives

/// Fills the models of pages from the use cases. It decides nothing.
struct ConsoleDesk {
    let dependencies: ConsoleDependencies
    /// For whom: what a page may say beside its numbers is a matter of roles too.
    let visitor: ConsoleVisitor
    private var backend: Backend { dependencies.backend }

    init(_ dependencies: ConsoleDependencies, for visitor: ConsoleVisitor) {
        (self.dependencies, self.visitor) = (dependencies, visitor)
    }

    /// Whether a page of the ledger may name customers and their subscriptions.
    func mayNameCustomers(in place: ConsolePlace) -> Bool { visitor.role(in: place.app)?.may(.seeCustomers) ?? false }

    /// - Throws: `BackendError`, ``Trouble``.
    func model(of page: ConsoleRoute.Page, in place: ConsolePlace) async throws -> Sheet {
        switch page {
        case .overview: try await overview(place)
        case .search(let text): try await search(text, in: place)
        // A POST, whose text comes with it.
        case .inspect: throw Trouble.wrongMethod
        case .customer(let id, let view): try await customer(id, view, in: place)
        case .subscription(let id, let instant): try await subscription(id, at: instant, in: place)
        case .records(let id, let records, let before):
            try await subscription(id, at: nil, only: records, before: before, in: place)
        case .fact(let id, let number): try await fact(number, of: id, in: place)
        case .inbox(let last): try await inbox(after: last, in: place)
        case .policy: try await policy(place)
        case .policyVersion(let number): try await policyVersion(number, in: place)
        case .catalogue: try await catalogue(place)
        case .wall(let view): try await wall(view, in: place)
        case .offers: try await offers(place)
        case .operations: try await operations(place)
        case .jobs: try await jobs(place)
        case .verify: try await verify(place)
        }
    }

    // MARK: Search

    private func search(_ text: String?, in place: ConsolePlace) async throws -> Sheet {
        let text = text.map { $0.filter { !$0.isNewline }.trimmed }.flatMap { $0.isEmpty ? nil : $0 }
        guard let text else { return SearchPage.sheet(nil, [], in: place) }
        return SearchPage.sheet(
            text, try await backend.search(text, app: place.app),
            notified: try await backend.environments(keeping: text, app: place.app), in: place)
    }

    /// What was pasted; nothing is kept.
    func inspect(_ text: [UInt8], in place: ConsolePlace) async throws -> Sheet {
        InspectionPage.sheet(await inspected(text, for: try backend.settings(of: place.app)))
    }

    /// As an artifact of this app would be checked when it comes in.
    private func inspected(_ text: [UInt8], for app: AppSettings) async -> Inspected {
        await Inspector(
            verifier: backend.inspectingVerifier, expecting: .init(bundleId: app.expected.bundleId), at: backend.now()
        ).inspect(text: text)
    }

    // MARK: Customer and subscription

    private func customer(
        _ id: CustomerID, _ view: ConsoleRoute.CustomerView, in place: ConsolePlace
    ) async throws -> Sheet {
        let report = try await backend.customer(id, app: place.app, environment: place.environment, at: view.at)
        let changes = try await backend.timeline(of: id, app: place.app, environment: place.environment)
        let now = backend.now()
        let work = try await backend.pendingWork(about: report.states.prefix(Self.mostSubscriptions).map(\.key))
        return CustomerPage(
            report: report, timeline: TimelineItem.all(of: report, changes, until: now),
            future: TimelineItem.future(of: report, work, after: now), view: view,
            offers: try await backend.offerHistory(of: id, app: place.app, environment: place.environment),
            attempts: try await attempts(about: report, in: place), now: now
        ).sheet
    }

    private func attempts(
        about report: Backend.CustomerReport, in place: ConsolePlace
    ) async throws -> [DeliveryDesk.AttemptAtEndpoint]? {
        guard let deliveries = dependencies.deliveries else { return nil }
        return try await deliveries.lastAttempts(
            about: Set(report.states.map(\.key.originalTransactionId)), Set(report.person.customers + [report.customer]),
            app: place.app, environment: place.environment)
    }

    /// Of so many subscriptions the work is read for one page.
    private static let mostSubscriptions = 50

    private func subscription(
        _ id: OriginalTransactionID, at instant: Timestamp?, only records: ConsoleRoute.SubscriptionRecords? = nil,
        before: Int? = nil, in place: ConsolePlace
    ) async throws -> Sheet {
        let key = SubscriptionKey(app: place.app, environment: place.environment, originalTransactionId: id)
        let now = backend.now()
        let report = try await backend.subscription(key, at: instant ?? now)
        var page = SubscriptionPage(
            report: report, facts: try await backend.facts(of: key), now: now, isAsked: instant != nil,
            only: records, before: before)
        if records == nil || records == .audit { page.seals = try await backend.seals(of: key) }
        if records == nil || records == .events, let deliveries = dependencies.deliveries {
            let shown = report.events[SubscriptionPage.shown(of: report.events.count, only: records, before: before)]
            page.receptions =
                if let first = shown.first {
                    try await deliveries.receptions(of: key, from: first.sequence, limit: shown.count)
                } else { [:] }
        }
        return page.sheet
    }

    private func fact(_ number: Int, of id: OriginalTransactionID, in place: ConsolePlace) async throws -> Sheet {
        let key = SubscriptionKey(app: place.app, environment: place.environment, originalTransactionId: id)
        let report = try await backend.facts(of: key)
        guard report.facts.indices.contains(number - 1) else { throw Trouble.unknownFact }
        let item = report.facts[number - 1]
        let content = item.evidence.map { report.evidence[$0] }
        var inspection: Inspected?
        if let content {
            inspection = await inspected(Array(content.content.utf8), for: try backend.settings(of: place.app))
        }
        return FactPage.sheet(item, number: number, of: key, content: content, inspection)
    }
}

extension String {
    /// Without spaces around it, which are copied along.
    fileprivate var trimmed: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
