import Backend
import Ledger
import Primitives

/// P11: of each offer how many were signed, what became of them, and what was given up by them.
struct OffersPage {
    let review: Backend.OfferReview
    /// Whether whoever reads it may see whom an offer was signed for.
    let namesCustomers: Bool
    let now: Timestamp

    /// So many of the offers that were signed last stand on the page.
    static let longest = 30

    var sheet: Sheet {
        var blocks: [Block] = []
        if review.isMore { blocks.append(.notice(OfferWords.onlyTheLast(Int64(Backend.mostReviewedOffers)))) }
        blocks += [
            .part("promotional", OfferWords.promotional, [promotional, .paragraph(OfferWords.signedElsewhere)]),
            .part("introductory", OfferWords.introductory, [introductory]),
            .part("latest", OfferWords.latest, [latest]),
        ]
        return Sheet(OfferWords.title, blocks)
    }

    // MARK: Counted

    private var promotional: Block {
        .table(
            SheetTable(
                "promotional", OfferWords.promotionalAre, empty: OfferWords.noPromotional,
                [
                    .init("offerIdentifier", ColumnWords.offer), .init("productId", ColumnWords.product),
                    .init("isConfigured", OfferWords.configured), .init("issued", OfferWords.issued),
                    .init("signatures", OfferWords.signatures), .init("redeemed", OfferWords.redeemed),
                    .init("waiting", OfferWords.waiting), .init("expired", OfferWords.expired),
                    .init("givenUp", OfferWords.givenUp), .init("lastIssuedAt", OfferWords.last),
                ], review.tallies.compactMap(row)))
    }

    private func row(_ tally: OfferTally) -> [Cell]? {
        guard case .promotional(let offer, let product) = tally.offer else { return nil }
        return [
            .data(offer), .data(product.rawValue),
            tally.isConfigured ? .said("true", AccessWords.yes) : .badge(.warn, "false", AccessWords.no),
            .number(Int64(tally.issued)), .number(tally.signatures), .number(Int64(tally.redeemed)),
            .number(Int64(tally.waiting)), .number(Int64(tally.expired)), Self.givenUp(tally), .optional(tally.last?.issuedAt),
        ]
    }

    private static func givenUp(_ tally: OfferTally) -> Cell {
        var cells = tally.givenUp.sorted { $0.key < $1.key }.map { Cell.money($0.value, $0.key) }
        if tally.unpriced > 0 { cells.append(.said("unknown", OfferWords.unpriced(Int64(tally.unpriced)))) }
        return .list(cells)
    }

    private var introductory: Block {
        .table(
            SheetTable(
                "introductory", OfferWords.introductoryAre, empty: OfferWords.noIntroductory,
                [
                    .init("productId", ColumnWords.product), .init("isAllowed", OfferWords.said),
                    .init("issued", OfferWords.issued), .init("signatures", OfferWords.signatures),
                    .init("lastIssuedAt", OfferWords.last),
                ],
                review.tallies.compactMap { tally in
                    guard case .introductory(let product, let isAllowed) = tally.offer else { return nil }
                    return [
                        .data(product.rawValue), Self.allowed(isAllowed), .number(Int64(tally.issued)),
                        .number(tally.signatures), .optional(tally.last?.issuedAt),
                    ]
                }))
    }

    private static func allowed(_ isAllowed: Bool) -> Cell {
        isAllowed ? .said("true", OfferWords.allowed) : .said("false", OfferWords.withheld)
    }

    // MARK: One by one

    private var latest: Block {
        var columns: [SheetTable.Column] = [
            .init("issuedAt", ColumnWords.when), .init("offer", ColumnWords.offer), .init("productId", ColumnWords.product),
            .init("state", ColumnWords.state), .init("validUntil", OfferWords.validUntil),
            .init("givenUp", OfferWords.givenUp), .init("keyId", ColumnWords.key),
        ]
        if namesCustomers { columns.append(.init("customer", ColumnWords.customer)) }
        return .table(
            SheetTable(
                "latest", namesCustomers ? OfferWords.latestAre : OfferWords.latestWithoutCustomers, empty: OfferWords.noneSigned,
                columns,
                review.latest.prefix(Self.longest).map { view in
                    [
                        .instant(view.issuedAt), Self.offer(view), .data(view.productId.rawValue),
                        Self.state(of: view, at: now), .instant(view.validUntil), Self.givenUp(view), .data(view.keyId),
                    ] + (namesCustomers ? [.customer(view.customer)] : [])
                }))
    }

    static func offer(_ view: Backend.OfferView) -> Cell {
        switch view.content {
        case .promotionalV1(let offer, _), .promotionalV2(let offer): .data(offer)
        case .introductory(let isAllowed): allowed(isAllowed)
        }
    }

    /// Of an introductory offer nobody is told whether it was had by this signature.
    static func state(of view: Backend.OfferView, at now: Timestamp) -> Cell {
        if let redemption = view.redemption {
            return .phrase([.badge(.good, "redeemed", OfferWords.redeemed), .instant(redemption.redeemedDate)])
        }
        return now < view.validUntil
            ? .badge(.calm, "waiting", OfferWords.waiting) : .badge(.calm, "expired", OfferWords.expired)
    }

    static func givenUp(_ view: Backend.OfferView) -> Cell {
        guard let redemption = view.redemption, let amount = redemption.givenUp, let currency = redemption.currency else {
            return .none
        }
        return .money(amount, currency)
    }
}

/// Texts about offers.
enum OfferWords: Words {
    case title, promotional, promotionalAre, noPromotional, signedElsewhere, introductory, introductoryAre, noIntroductory
    case latest, latestAre, latestWithoutCustomers, noneSigned
    case elsewhere, ofCustomer, noneOfCustomer
    case configured, issued, signatures, redeemed, waiting, expired, givenUp, last, said, allowed, withheld, validUntil
    case onlyTheLast(Int64)
    case unpriced(Int64)

    var english: String {
        switch self {
        case .title: "Offers"
        case .promotional: "Promotional offers"
        case .promotionalAre: "Each offer of the configuration and each that was signed, with what became of the signatures"
        case .noPromotional:
            "No promotional offer is configured, and none was signed. offers.promotional in the configuration names those that "
                + "App Store Connect has."
        case .signedElsewhere:
            "Redeemed is what a purchase that arrived shows. Purchases at an offer that another server signed are not counted."
        case .introductory: "Introductory offers"
        case .introductoryAre: "What was signed about whether a customer may have a plan's introductory offer"
        case .noIntroductory: "Nothing was signed about introductory offers: the App Store decides by itself."
        case .latest: "Signed last"
        case .latestAre: "What was signed last, the newest first"
        case .latestWithoutCustomers: "What was signed last, the newest first; your role does not see for whom"
        case .noneSigned: "Nothing was signed. An app's backend or device asks by signPromotionalOffer or signIntroductoryOffer."
        case .elsewhere: "signed elsewhere"
        case .ofCustomer: "Offers that were signed for this customer, and those that their purchases redeemed"
        case .noneOfCustomer: "No offer was signed for this customer, and none of their purchases was made at one."
        case .configured: "Configured"
        case .issued: "Issued"
        case .signatures: "Signatures"
        case .redeemed: "Redeemed"
        case .waiting: "Can still be used"
        case .expired: "Expired"
        case .givenUp: "Price given up"
        case .last: "Last issued"
        case .said: "Said"
        case .allowed: "introductory offer allowed"
        case .withheld: "introductory offer withheld"
        case .validUntil: "Valid until"
        case .onlyTheLast(let count): "More were signed than are counted here: these are the last \(count)."
        case .unpriced(1): "1 of which it is not known"
        case .unpriced(let count): "\(count) of which it is not known"
        }
    }

    var chinese: String {
        switch self {
        case .title: "优惠"
        case .promotional: "促销优惠"
        case .promotionalAre: "配置中的和签名过的每项优惠，以及签名的结果"
        case .noPromotional: "没有配置促销优惠，也没有签名过。配置中的 offers.promotional 列出 App Store Connect 中的促销优惠。"
        case .signedElsewhere: "“已兑换”以收到的购买为准。由其他服务器签名的优惠购买不计入。"
        case .introductory: "推介促销优惠"
        case .introductoryAre: "就顾客可否享受推介促销优惠所作的签名"
        case .noIntroductory: "没有就推介促销优惠作过签名：由 App Store 自行决定。"
        case .latest: "最近签名"
        case .latestAre: "最近的签名，最新的在前"
        case .latestWithoutCustomers: "最近的签名，最新的在前；您的角色看不到顾客"
        case .noneSigned: "没有签名过。App 的后端或设备通过 signPromotionalOffer 或 signIntroductoryOffer 请求签名。"
        case .elsewhere: "由他处签名"
        case .ofCustomer: "为此顾客签名的优惠，以及其购买兑换的优惠"
        case .noneOfCustomer: "没有为此顾客签名过优惠，其购买也未使用优惠。"
        case .configured: "已配置"
        case .issued: "发出"
        case .signatures: "签名次数"
        case .redeemed: "已兑换"
        case .waiting: "仍可使用"
        case .expired: "已过期"
        case .givenUp: "让利金额"
        case .last: "最近发出"
        case .said: "内容"
        case .allowed: "允许推介促销优惠"
        case .withheld: "不允许推介促销优惠"
        case .validUntil: "有效期至"
        case .onlyTheLast(let count): "签名数多于此处的统计：仅统计最近 \(count) 个。"
        case .unpriced(let count): "\(count) 个金额未知"
        }
    }
}
