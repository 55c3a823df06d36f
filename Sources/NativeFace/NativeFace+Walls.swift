import APIContract
import Backend
import Ledger
import Primitives
import Server

/// What to show to a customer, and what is said of them (WALL-1).
extension NativeFace {
    func addWalls(to router: inout EndpointRouter) {
        router.on(NativeAPI.askWall, askWall)
        router.on(NativeAPI.changeAttributes, changeAttributes)
    }

    private func askWall(_ call: OfCustomer<EnvironmentQuery, WallQuestionBody>) async throws -> WallBody {
        WallBody(
            try await backend.wall(
                for: .init(
                    customer: call.customer, storefront: call.body.storefront, appVersion: call.body.appVersion,
                    shown: .init(call.body.shown)),
                app: call.app, environment: call.query.environment))
    }

    private func changeAttributes(_ call: OfCustomer<EnvironmentQuery, AttributesBody>) async throws -> AttributesBody {
        var said: [String: String?] = [:]
        for attribute in call.body.attributes {
            guard said.updateValue(attribute.value, forKey: attribute.name) == nil else {
                throw InvalidBody(member: "attributes", reason: "names \(attribute.name) twice")
            }
        }
        let kept = try await backend.say(said, of: call.customer, app: call.app, environment: call.query.environment)
        return AttributesBody(kept)
    }
}

extension AttributesBody {
    /// By name.
    init(_ attributes: [String: String]) {
        self.init(attributes.sorted { $0.key < $1.key }.map { Attribute(name: $0.key, value: $0.value) })
    }
}

extension WallBody {
    init(_ report: Backend.WallReport) {
        let answer = report.answer
        self.init(at: answer.at, settingsVersion: report.version, manageLink: Self.appleManages)
        cohort = answer.cohort?.rawValue
        offering = answer.offering?.rawValue
        links = answer.links.map {
            Links(privacyPolicy: $0.privacyPolicy, terms: $0.terms, questions: $0.questions)
        }
        products = answer.products.map { Product($0, displayName: report.displayNames[$0.productId]) }
        manage = answer.manage.map(\.rawValue)
        changes = answer.changes.map { Change($0) }
    }

    /// Source: Apple, "Handling subscriptions billing", the link to manage subscriptions.
    private static let appleManages = "https://apps.apple.com/account/subscriptions"
}

extension WallBody.Product {
    fileprivate init(_ offered: OfferedProduct, displayName: String?) {
        let (word, shown): (String, PlanIntroductoryOffer?) =
            switch offered.introductoryOffer {
            case .none: ("none", nil)
            case .hide: ("hide", nil)
            case .show(let offer): ("show", offer)
            }
        self.init(
            productId: offered.productId.rawValue, subscriptionGroupIdentifier: offered.subscriptionGroupIdentifier,
            level: Int64(offered.level), duration: offered.duration.rawValue, introductoryOffer: word)
        self.displayName = displayName
        introductoryKind = shown?.kind.rawValue
        introductoryLength = shown?.length
    }
}

extension WallBody.Change {
    fileprivate init(_ change: PlanChange) {
        self.init(
            from: change.from.rawValue, to: change.to.rawValue, change: change.kind.rawValue, effect: change.effect.word)
        effectiveAt = change.effect.instant
    }
}

extension PlanChange.Effect {
    var word: String {
        switch self {
        case .atOnce: "atOnce"
        case .atRenewal: "atRenewal"
        }
    }

    /// Of the renewal, where it is known.
    var instant: Timestamp? {
        if case .atRenewal(let instant) = self { instant } else { nil }
    }
}
