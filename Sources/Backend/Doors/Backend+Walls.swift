package import Ledger
package import Primitives
import Storage

/// What to show to a customer, and what the app's backend says of them so that it can be chosen (WALL-1…4, WALL-6).
extension Backend {
    /// What a client says of itself when it asks what to show.
    package struct WallQuestion: Sendable {
        package let customer: CustomerID
        /// As Apple spells it, such as `USA`; nil where it is not said.
        package let storefront: String?
        package let appVersion: String?
        /// What the client shows of the Apple Account that would buy, signed by Apple.
        package let shown: ShownAccount

        package init(customer: CustomerID, storefront: String?, appVersion: String?, shown: ShownAccount) {
            self.customer = customer
            self.storefront = storefront
            self.appVersion = appVersion
            self.shown = shown
        }
    }

    /// What to show, and by which version of the app's settings.
    package struct WallReport: Sendable {
        package let answer: WallAnswer
        /// Of the settings that have the wall (OWN-17).
        package let version: Int64
        /// For people; of products that have one.
        package let displayNames: [Ledger.ProductID: String]
    }

    /// What to show to the customer now. Nothing is kept.
    ///
    /// - Throws: `BackendError` with the refusal where something shown proves nothing.
    package func wall(for question: WallQuestion, app id: AppID, environment: Environment) async throws -> WallReport {
        let app = try settings(of: id)
        try app.checkTakes(environment)
        let key = CustomerKey(Scope(app: id, environment: environment), try Self.checked(question.customer))
        guard question.storefront?.isPlain(upTo: 16) ?? true else {
            throw BackendError.invalidIdentifier(name: "storefront", longest: 16)
        }
        guard question.appVersion?.isPlain(upTo: 64) ?? true else {
            throw BackendError.invalidIdentifier(name: "appVersion", longest: 64)
        }
        var asking = Asking(app, key, showing: question.shown)
        (asking.storefront, asking.appVersion) = (question.storefront, question.appVersion)
        let known = try await situation(of: asking, at: clock.now())
        let timeline = known.timeline
        let listings = timeline.offerings.products
        return WallReport(
            answer: timeline.offerings.wall.answer(
                for: known.situation, catalogue: timeline.catalogue, map: timeline.entitlements),
            version: timeline.newest.number,
            displayNames: Dictionary(
                listings.compactMap { listing in listing.displayName.map { (listing.productId, $0) } }
            ) { first, _ in first })
    }

    // MARK: What is said of a customer

    /// Keeps what the app's backend says of a customer by names; of each name the last one counts. What is the same as before
    /// keeps nothing.
    ///
    /// - Parameter said: by name; nil takes back what was said.
    /// - Returns: all that is said of the customer now.
    /// - Throws: `CustomerRefusal.tooManyAttributes` and keeps none of it.
    package func say(
        _ said: [String: String?], of customer: CustomerID, app id: AppID, environment: Environment
    ) async throws -> [String: String] {
        let app = try settings(of: id)
        try app.checkTakes(environment)
        let key = CustomerKey(Scope(app: id, environment: environment), try Self.named(customer))
        for (name, value) in said {
            guard name.isPlain(upTo: CustomerAttribute.longestName), !name.isEmpty else {
                throw BackendError.invalidIdentifier(name: "attribute", longest: CustomerAttribute.longestName)
            }
            guard value?.isPlain(upTo: CustomerAttribute.longestValue) ?? true else {
                throw BackendError.invalidIdentifier(name: "attribute \(name)", longest: CustomerAttribute.longestValue)
            }
        }
        let known = try await person(of: key)
        var after = known.account.attributes
        for (name, value) in said { after[name] = value }
        guard after.count <= CustomerAttribute.most else {
            throw CustomerRefusal.tooManyAttributes(most: CustomerAttribute.most)
        }
        let now = clock.now()
        var request = IngestRequest(app: app, learnedAt: now)
        request.customerInputs = said.sorted { $0.key < $1.key }.map { name, value in
            // After what was said before, also by a server whose clock is ahead.
            let last = known.account.attribute(name)?.saidAt.adding(Milliseconds(1)) ?? now
            return .init(
                key: known.key, input: .attribute(CustomerAttribute(name: name, value: value, saidAt: max(now, last)))
            ) { $0.attributes[name] != value }
        }
        let decisions = try await ingest(request).customerDecisions
        guard let newest = decisions.compactMap({ $0 }).last?.account else { return known.account.attributes }
        return known.account(with: newest).attributes
    }
}
