package import Ledger
package import Primitives
import Storage

/// Content that opens through an entitlement (ENT-8), and licences to updates (LIC-1…5).
extension Backend {
    /// What a customer asks of one item.
    package struct ContentRequest: Sendable, Hashable {
        package let customer: CustomerID
        package let kind: ContentKindID
        package let content: ContentID
        /// When the item was published, as the app's backend says.
        package let publishedAt: Timestamp

        package init(customer: CustomerID, kind: ContentKindID, content: ContentID, publishedAt: Timestamp) {
            self.customer = customer
            self.kind = kind
            self.content = content
            self.publishedAt = publishedAt
        }

        fileprivate var item: ContentItem { ContentItem(id: content, kind: kind, publishedAt: publishedAt) }
    }

    /// Whether the customer may use the item at the instant, and by what right or why not.
    package func use(
        of request: ContentRequest, app id: AppID, environment: Environment, at instant: Timestamp?
    ) async throws -> ContentUse {
        let place = try await contentPlace(request, id, environment)
        return place.access(place.known.account.unlocks).use(of: request.item, at: instant ?? clock.now())
    }

    /// Unlocks an item for the customer, as far as the kind's ration goes. Unlocking it again changes nothing.
    package func unlock(
        _ request: ContentRequest, app id: AppID, environment: Environment
    ) async throws -> ContentUnlockAnswer {
        let place = try await contentPlace(request, id, environment)
        let now = clock.now()
        guard request.content.rawValue.isPlain(upTo: 200), !request.content.rawValue.isEmpty else {
            throw BackendError.invalidIdentifier(name: "content", longest: 200)
        }
        let before = place.access(place.known.account.unlocks).unlock(request.item, at: now)
        guard case .allowed = before else { return before }
        var ingested = IngestRequest(app: place.app, learnedAt: now)
        let unlock = ContentUnlock(
            customer: place.known.key.customer, content: request.content, kind: request.kind, unlockedAt: now)
        ingested.customerInputs = [
            .init(key: place.known.key, input: .unlock(unlock)) { account in
                // Asked once more with what others unlocked meanwhile: two requests must not share the last one of a ration.
                if case .allowed = place.access(account.unlocks).unlock(request.item, at: now) { true } else { false }
            }
        ]
        guard let decision = try await ingest(ingested).customerDecisions.first ?? nil else {
            return place.access(try await person(of: place.known.key).account.unlocks).unlock(request.item, at: now)
        }
        let unlocks = place.known.account(with: decision.account).unlocks.filter { kept in
            kept.kind != unlock.kind || kept.content != unlock.content || kept.unlockedAt != unlock.unlockedAt
        }
        return place.access(unlocks).unlock(request.item, at: now)
    }

    private struct ContentPlace: Sendable {
        let app: AppSettings
        let known: KnownPerson
        let kind: ContentKind
        let spans: [AccessSpan]

        func access(_ unlocks: [ContentUnlock]) -> ContentAccess {
            ContentAccess(of: known.customer, to: kind, spans: spans, unlocks: unlocks)
        }
    }

    private func contentPlace(
        _ request: ContentRequest, _ id: AppID, _ environment: Environment
    ) async throws -> ContentPlace {
        let app = try settings(of: id)
        try app.checkTakes(environment)
        let key = CustomerKey(Scope(app: id, environment: environment), try Self.checked(request.customer))
        let timeline = try chosen.learn(try await settingsVersions(of: id), of: app)
        guard let kind = timeline.offerings.contentKind(request.kind) else {
            throw CustomerRefusal.unknownContentKind(request.kind.rawValue)
        }
        let known = try await person(of: key)
        let spans = try await states(of: known).flatMap { $0.spans(of: known.customer) }.flatMap {
            timeline.entitlements.parts(of: $0, giving: kind.entitlement)
        }
        return ContentPlace(app: app, known: known, kind: kind, spans: spans)
    }

    // MARK: Licences

    /// A customer's licences to updates at an instant, and the features that they cover.
    package struct LicenceReport: Sendable {
        package let at: Timestamp
        package let licences: [Licence]
        /// Up to where the customer has updates; nil without a licence.
        package let end: Timestamp?
        package let isPaidAppHolder: Bool
        /// Each feature that the app has released by then, and whether the customer may use it.
        package let features: [(feature: Feature, licence: Licence?)]
        package let appPurchases: [ShownAppPurchase]
    }

    /// What the customer may use of what the app has released, and why (LIC-1…4).
    package func licences(
        of customer: CustomerID, app id: AppID, environment: Environment, at instant: Timestamp?
    ) async throws -> LicenceReport {
        let app = try settings(of: id)
        try app.checkTakes(environment)
        let key = CustomerKey(Scope(app: id, environment: environment), try Self.checked(customer))
        let offerings = try chosen.learn(try await settingsVersions(of: id), of: app).offerings
        let known = try await person(of: key)
        return LicenceReport(of: known.person, states: try await states(of: known), offerings, at: instant ?? clock.now())
    }
}

extension Backend.LicenceReport {
    init(of person: Person, states: [Ledger.SubscriptionState], _ offerings: AppOfferings, at instant: Timestamp) {
        let all = CustomerLicences(of: person, states: states, policy: offerings.licences)
        at = instant
        licences = all.licences
        end = all.end(at: instant)
        isPaidAppHolder = all.isPaidAppHolder
        features = offerings.features.features.filter { $0.releaseDate <= instant }.map { feature in
            (feature, all.mayUse(feature, at: instant) ? all.furthest(at: instant) : nil)
        }
        appPurchases = person.account.appPurchases
    }
}
