import Backend
import Ledger
import Primitives

/// The pages about what the app sells: the catalogue, the wall, the offers.
extension ConsoleDesk {
    func catalogue(_ place: ConsolePlace) async throws -> Sheet {
        CataloguePage(
            settings: try await dependencies.backend.settingsInForce(of: place.app),
            asksForCustomers: mayNameCustomers(in: place)
        ).sheet
    }

    func wall(_ view: ConsoleRoute.WallView, in place: ConsolePlace) async throws -> Sheet {
        guard let customer = view.customer else { return WallPage(view: view, report: nil).sheet }
        // What a device shows of its Apple Account is not known here.
        let question = Backend.WallQuestion(
            customer: customer, storefront: view.storefront, appVersion: view.appVersion, shown: .init(transactions: []))
        return WallPage(
            view: view,
            report: try await dependencies.backend.wall(for: question, app: place.app, environment: place.environment)
        ).sheet
    }

    func offers(_ place: ConsolePlace) async throws -> Sheet {
        let backend = dependencies.backend
        return OffersPage(
            review: try await backend.reviewOffers(app: place.app, environment: place.environment),
            namesCustomers: mayNameCustomers(in: place), now: backend.now()
        ).sheet
    }
}
