import Backend
import Ledger
import Primitives

/// P7: what the wall would show to a customer now, as the app would be answered.
struct WallPage {
    let view: ConsoleRoute.WallView
    /// Nil where nobody was named yet.
    let report: Backend.WallReport?

    var sheet: Sheet {
        var blocks: [Block] = [.paragraph(WallWords.how), Self.form(view)]
        if let report { blocks += answer(report) }
        blocks.append(.link(WallWords.back, .catalogue))
        return Sheet(WallWords.title, blocks)
    }

    static func form(_ view: ConsoleRoute.WallView) -> Block {
        .form(
            SheetForm(
                target: .wall(.init()), isPost: false,
                fields: [
                    .init(name: "customer", label: ColumnWords.customer, kind: .line(view.customer?.rawValue ?? "")),
                    .init(
                        name: "storefront", label: ColumnWords.storefront, hint: WallWords.storefrontHint,
                        kind: .line(view.storefront ?? "")),
                    .init(
                        name: "appVersion", label: WallWords.appVersion, hint: WallWords.appVersionHint,
                        kind: .line(view.appVersion ?? "")),
                ], button: WallWords.ask))
    }

    private func answer(_ report: Backend.WallReport) -> [Block] {
        let answer = report.answer
        var blocks: [Block] = []
        if answer.cohort == nil { blocks.append(.notice(WallWords.noCohort)) }
        blocks += [
            .facts("wall", fields(report)), .part("products", WallWords.products, [products(report)]),
            .part("manage", WallWords.manage, [manage(answer)]), .part("changes", WallWords.changes, [changes(answer)]),
            .paragraph(WallWords.ofThisCustomer),
        ]
        return blocks
    }

    private func fields(_ report: Backend.WallReport) -> [Field] {
        let answer = report.answer
        return [
            Field("customer", ColumnWords.customer, view.customer.map { .customer($0) } ?? .none),
            Field("at", SubscriptionWords.at, .instant(answer.at)),
            Field("cohort", WallWords.cohort, .optional(answer.cohort?.rawValue)),
            Field("offering", WallWords.offering, .optional(answer.offering?.rawValue)),
            Field("version", ColumnWords.version, .number(report.version)),
            Field("privacyPolicy", WallWords.privacyPolicy, .optional(answer.links?.privacyPolicy)),
            Field("terms", WallWords.terms, .optional(answer.links?.terms)),
            Field("questions", WallWords.questions, .optional(answer.links?.questions)),
        ]
    }

    private func products(_ report: Backend.WallReport) -> Block {
        .table(
            SheetTable(
                "products", WallWords.productsAre,
                empty: report.answer.manage.isEmpty ? WallWords.noProducts : WallWords.hasEverything,
                [
                    .init("productId", ColumnWords.product), .init("displayName", ColumnWords.name),
                    .init("subscriptionGroupIdentifier", ColumnWords.group), .init("level", WallWords.level),
                    .init("duration", ColumnWords.duration), .init("introductoryOffer", OfferWords.introductory),
                ],
                report.answer.products.map { product in
                    [
                        .data(product.productId.rawValue), .optional(report.displayNames[product.productId]),
                        .data(product.subscriptionGroupIdentifier), .number(Int64(product.level)),
                        .data(product.duration.rawValue), Self.introductory(product.introductoryOffer),
                    ]
                }))
    }

    private static func introductory(_ display: IntroductoryDisplay) -> Cell {
        switch display {
        case .none: .said("none", WallWords.noIntroductory)
        case .hide: .badge(.warn, "hidden", WallWords.hidden)
        case .show(let offer):
            .phrase([.badge(.good, "shown", WallWords.shown), .data(offer.kind.rawValue), .data(offer.length)])
        }
    }

    private func manage(_ answer: WallAnswer) -> Block {
        .table(
            SheetTable(
                "manage", WallWords.manageAre, empty: WallWords.nothingToManage,
                [.init("originalTransactionId", ColumnWords.subscription), .init("rule", ColumnWords.rule)],
                answer.manage.map { [.subscription($0), .rule("WALL-2")] }))
    }

    private func changes(_ answer: WallAnswer) -> Block {
        .table(
            SheetTable(
                "changes", WallWords.changesAre, empty: WallWords.noChanges,
                [
                    .init("from", ColumnWords.from), .init("to", WallWords.to), .init("kind", ColumnWords.kind),
                    .init("effect", WallWords.effect), .init("at", ColumnWords.when), .init("rule", ColumnWords.rule),
                ],
                answer.changes.map { change in
                    let (effect, instant): (Cell, Cell) =
                        switch change.effect {
                        case .atOnce: (.said("atOnce", WallWords.atOnce), .none)
                        case .atRenewal(let renewal): (.said("atRenewal", WallWords.atRenewal), .optional(renewal))
                        }
                    return [
                        .data(change.from.rawValue), .data(change.to.rawValue),
                        .said(change.kind.rawValue, WallWords.kind(change.kind)), effect, instant, .rule("PER-3"),
                    ]
                }))
    }
}

/// Texts about walls.
enum WallWords: Words {
    case title, how, ask, back, storefrontHint, appVersion, appVersionHint
    case cohort, offering, privacyPolicy, terms, questions, noCohort, ofThisCustomer
    case products, productsAre, noProducts, hasEverything, level, noIntroductory, hidden, shown
    case manage, manageAre, nothingToManage, changes, changesAre, noChanges, to, effect, atOnce, atRenewal
    case kind(PlanChange.Kind)
    case wall, cohortsAre, noCohorts, offeringsAre, noOfferings, preview

    var english: String {
        switch self {
        case .title: "What a customer is shown"
        case .how: "Answers as the app would be answered for this customer now. Nothing is kept but that you looked."
        case .ask: "Show"
        case .back: "To the catalogue"
        case .storefrontHint: "As Apple spells it, such as USA; empty if the device names none."
        case .appVersion: "Version of the app"
        case .appVersionHint: "Such as 3.2; empty if the device names none."
        case .cohort: "Cohort"
        case .offering: "Offering"
        case .privacyPolicy: "Privacy policy"
        case .terms: "Terms of use"
        case .questions: "Questions"
        case .noCohort: "No cohort matches this customer: there is nothing to offer."
        case .ofThisCustomer:
            "A device also shows which Apple Account would buy. If that account had an introductory offer before, the app is "
                + "told to hide it, though this page shows it."
        case .products: "Products for sale"
        case .productsAre: "What the customer may buy without paying twice, in the offering's order"
        case .noProducts: "The offering has nothing to sell."
        case .hasEverything: "The customer has all of the offering already."
        case .level: "Level"
        case .noIntroductory: "none"
        case .hidden: "hidden"
        case .shown: "shown"
        case .manage: "Owned already"
        case .manageAre: "Subscriptions to manage at Apple in place of buying again"
        case .nothingToManage: "The customer has nothing of what the offering would sell."
        case .changes: "Changes of plan"
        case .changesAre: "Changes that the app may offer, with their effect"
        case .noChanges: "None is offered: the customer has no plan of the offering, or the wall leaves changes to Apple."
        case .to: "To"
        case .effect: "Effect"
        case .atOnce: "at once; Apple refunds what is left of the present period"
        case .atRenewal: "with the next renewal"
        case .kind(.upgrade): "upgrade"
        case .kind(.downgrade): "downgrade"
        case .kind(.crossgradeOfSameDuration): "crossgrade of the same duration"
        case .kind(.crossgradeOfOtherDuration): "crossgrade of another duration"
        case .wall: "Wall"
        case .cohortsAre: "In the order in which they are tried; the first that matches decides"
        case .noCohorts: "No cohort is configured, so nobody is offered anything. wall in the configuration names them."
        case .offeringsAre: "Products in the order in which they are shown"
        case .noOfferings: "No offering is configured."
        case .preview: "What a customer is shown"
        }
    }

    var chinese: String {
        switch self {
        case .title: "向顾客展示的内容"
        case .how: "与 App 此刻为该顾客得到的答复相同。除您查看过的记录外，不保存任何内容。"
        case .ask: "查看"
        case .back: "返回商品目录"
        case .storefrontHint: "按 Apple 的写法，如 USA；设备未说明时留空。"
        case .appVersion: "App 版本"
        case .appVersionHint: "如 3.2；设备未说明时留空。"
        case .cohort: "人群"
        case .offering: "供应组合"
        case .privacyPolicy: "隐私政策"
        case .terms: "使用条款"
        case .questions: "咨询"
        case .noCohort: "没有符合该顾客的人群：没有可供应的内容。"
        case .ofThisCustomer: "设备还会出示将要购买的 Apple 账户。若该账户享受过推介促销优惠，即使此处显示，App 也会被告知隐藏。"
        case .products: "可购商品"
        case .productsAre: "顾客不会重复付费即可购买的商品，按供应组合的顺序"
        case .noProducts: "供应组合中没有可售商品。"
        case .hasEverything: "顾客已拥有供应组合中的全部内容。"
        case .level: "级别"
        case .noIntroductory: "无"
        case .hidden: "隐藏"
        case .shown: "显示"
        case .manage: "已拥有"
        case .manageAre: "应在 Apple 处管理而非再次购买的订阅"
        case .nothingToManage: "顾客没有供应组合中的任何内容。"
        case .changes: "更改方案"
        case .changesAre: "App 可提供的更改及其效果"
        case .noChanges: "不提供更改：顾客没有供应组合中的方案，或更改由 Apple 处理。"
        case .to: "改为"
        case .effect: "效果"
        case .atOnce: "立即生效；Apple 退还当前周期的剩余部分"
        case .atRenewal: "下次续订时生效"
        case .kind(.upgrade): "升级"
        case .kind(.downgrade): "降级"
        case .kind(.crossgradeOfSameDuration): "同时长的平级更改"
        case .kind(.crossgradeOfOtherDuration): "不同时长的平级更改"
        case .wall: "付费墙"
        case .cohortsAre: "按尝试的顺序；首个符合者决定"
        case .noCohorts: "没有配置人群，因此不向任何人供应。配置中的 wall 列出人群。"
        case .offeringsAre: "商品按展示顺序"
        case .noOfferings: "没有配置供应组合。"
        case .preview: "向顾客展示的内容"
        }
    }
}
