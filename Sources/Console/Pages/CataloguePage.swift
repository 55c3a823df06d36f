import Backend
import Ledger
import Primitives

/// P7: what the app's products give, since when, and how long those last that Apple gives no end.
struct CataloguePage {
    let settings: SettingsTimeline
    /// Whether whoever reads it may ask what a customer would be shown.
    let asksForCustomers: Bool

    var sheet: Sheet {
        let content = settings.newest.content
        var sheet = Sheet(
            CatalogueWords.title,
            [
                .part(
                    "products", CatalogueWords.products,
                    [
                        .table(
                            SheetTable(
                                "products", CatalogueWords.productsAre, empty: CatalogueWords.noProducts,
                                [
                                    .init("productId", ColumnWords.product), .init("entitlements", ColumnWords.entitlement),
                                    .init("validFrom", ColumnWords.validFrom), .init("duration", ColumnWords.duration),
                                ],
                                content.products.map { entry in
                                    [
                                        .data(entry.productId.rawValue), .list(entry.entitlements.map { .data($0.rawValue) }),
                                        entry.validFrom.millisecondsSince1970 <= 0
                                            ? .said("always", PolicyWords.always) : .instant(entry.validFrom),
                                        .optional(content.durations[entry.productId]?.description),
                                    ]
                                }))
                    ]),
                .part(
                    "entitlements", CatalogueWords.entitlements,
                    [
                        .table(
                            SheetTable(
                                "entitlements", CatalogueWords.entitlements, empty: CustomerWords.noEntitlements,
                                [.init("entitlement", ColumnWords.entitlement), .init("addsUp", CatalogueWords.addsUp)],
                                settings.entitlements.entitlements.map { entitlement in
                                    let addsUp = content.policy.balanced.contains(entitlement)
                                    return [
                                        .data(entitlement.rawValue),
                                        addsUp ? .said("true", AccessWords.yes) : .said("false", AccessWords.no),
                                    ]
                                }))
                    ]),
            ])
        sheet.blocks.append(.part("wall", WallWords.wall, wall(content.offerings.wall)))
        if asksForCustomers { sheet.blocks.append(.part("preview", WallWords.preview, [WallPage.form(.init())])) }
        return sheet
    }

    private func wall(_ wall: Wall) -> [Block] {
        [
            .table(
                SheetTable(
                    "cohorts", WallWords.cohortsAre, empty: WallWords.noCohorts,
                    [.init("cohort", WallWords.cohort), .init("offering", WallWords.offering)],
                    wall.cohorts.map { [.data($0.id.rawValue), .data($0.offering.rawValue)] })),
            .table(
                SheetTable(
                    "offerings", WallWords.offeringsAre, empty: WallWords.noOfferings,
                    [.init("offering", WallWords.offering), .init("products", CatalogueWords.products)],
                    wall.offerings.map { [.data($0.id.rawValue), .list($0.products.map { .data($0.rawValue) })] })),
        ]
    }
}

/// Texts of the catalogue.
enum CatalogueWords: Words {
    case title, products, productsAre, noProducts, entitlements, addsUp

    var english: String {
        switch self {
        case .title: "Catalogue"
        case .products: "Products"
        case .productsAre: "What each product gives, and since when"
        case .noProducts: "No product is configured. tenure catalogue import reads those of App Store Connect."
        case .entitlements: "Entitlements"
        case .addsUp: "Time adds up"
        }
    }

    var chinese: String {
        switch self {
        case .title: "商品目录"
        case .products: "商品"
        case .productsAre: "每个商品提供的权限及其起始时间"
        case .noProducts: "没有配置商品。tenure catalogue import 可读取 App Store Connect 中的商品。"
        case .entitlements: "权限"
        case .addsUp: "时间累加"
        }
    }
}
