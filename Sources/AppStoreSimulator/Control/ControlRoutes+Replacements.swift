internal import AppStoreModel
internal import HTTPTypes
internal import Hummingbird
internal import Primitives
internal import StrictJSON

/// Subscriptions that come from another one or go on as another one: seats, switches, a charge under a second id; and
/// notifications that come after their time.
extension ControlRoutes {
    func addReplacements(to group: RouterGroup<BasicRequestContext>) {
        group.post("/subscriptions/:id/late-failure") { request, context in
            _ = try await JSONFields(request, members: [])
            return Self.answer(try await simulator.repeatFailure(of: try context.subscription()))
        }
        group.post("/subscriptions/:id/reissue") { request, context in
            _ = try await JSONFields(request, members: [])
            return Self.answer(try await simulator.reissue(try context.subscription()), .created)
        }
        group.post("/subscriptions/:id/switch") { request, context in
            let body = try await JSONFields(request, members: ["productId"])
            let product = StoreProductID(try body.requiredText("productId"))
            let (outcome, transaction) = try await simulator.switchSubscription(try context.subscription(), to: product)
            return Response.json(.created) {
                $0.member("outcome", outcome.rawValue)
                $0.members(of: transaction)
            }
        }
        group.post("/subscriptions/:id/seats") { request, context in
            let body = try await JSONFields(request, members: ["account"])
            let account = AccountID(try body.requiredText("account"))
            return Self.answer(try await simulator.assignSeat(of: try context.subscription(), to: account), .created)
        }
        group.delete("/subscriptions/:id/seats/:account") { _, context in
            Self.answer(try await simulator.revokeSeat(of: try context.subscription(), from: try context.account()))
        }
    }
}
