import APIContract
import LedgerOracle
import StrictJSON

/// The end of one life: compares the server's answers with those of the independently written oracle.
struct LifeAudit: Sendable {
    let life: ChaosLife
    let client: ChaosClient
    let address: String
    /// The number of instants that are compared for each customer.
    var instantsAsked = 8

    /// The differences, each with the life and the instant; empty where there are none.
    func findings() async throws -> [String] {
        let oracle = Oracle(policy: life.app.policy).answer(to: life.deliveries)
        var findings: [String] = []
        for subscription in oracle.subscriptions where !subscription.periods.isEmpty {
            findings += try await differences(subscription, oracle)
        }
        for customer in life.customers { findings += try await differences(of: customer, oracle) }
        return findings.map { "life \(life.number) (\(life.app.id)): \($0)" }
    }

    // MARK: Subscriptions

    private func differences(_ subscription: OracleSubscription, _ oracle: OracleAnswer) async throws -> [String] {
        let id = subscription.originalTransactionId
        let path = NativeAPI.readSubscription.path(SubscriptionPath(app: life.app.id, originalTransactionId: id))
        let answer = await client.get("\(path)?at=\(life.quiet.upperBound)", from: address)
        guard case .answered(200, let body, _) = answer, let told = try JSONDocument(body).root.object else {
            return ["\(id): \(answer.words)"]
        }
        var findings = differences(id, "period", subscription.periods.map(words), periods(in: told))
        findings += differences(id, "owner", subscription.steps.map(words), tenures(in: told))
        let owner = subscription.owner(at: life.quiet.upperBound)
        if told["owner"]?.string != owner {
            findings.append("\(id): the owner is \(told["owner"]?.string ?? "nobody"), by the oracle \(owner ?? "nobody")")
        }
        return findings
    }

    private func differences(_ id: String, _ what: String, _ oracle: [String], _ server: [String]) -> [String] {
        guard oracle != server else { return [] }
        let index =
            zip(oracle, server).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(oracle.count, server.count)
        func word(_ list: [String]) -> String { index < list.count ? list[index] : "nothing" }
        return ["\(id) \(what) \(index): oracle \(word(oracle)) · server \(word(server))"]
    }

    private func words(_ period: OraclePeriod) -> String {
        "\(period.productId) \(period.purchaseDate)…\(period.end.map { String($0) } ?? "") \(period.beginning)"
    }

    private func periods(in told: JSONObject) -> [String] {
        (told["periods"]?.array.map(Array.init) ?? []).map { period in
            let end = period.object?["end"]?.int64
            return "\(text(period, "productId")) \(number(period, "purchaseDate"))…\(end.map { String($0) } ?? "") "
                + text(period, "beginning")
        }
    }

    /// A tenure that began while claims were made began with a claim, whose instant only the server knows.
    private func words(_ step: OracleStep) -> String {
        "\(step.customer ?? "nobody") from \(life.quiet.contains(step.from) ? "a claim" : String(step.from))"
    }

    private func tenures(in told: JSONObject) -> [String] {
        (told["tenures"]?.array.map(Array.init) ?? []).map { tenure in
            words(OracleStep(from: number(tenure, "from"), customer: tenure.object?["customer"]?.string))
        }
    }

    private func text(_ value: JSONValue, _ name: String) -> String { value.object?[name]?.string ?? "" }
    private func number(_ value: JSONValue, _ name: String) -> Int64 { value.object?[name]?.int64 ?? -1 }

    // MARK: Customers

    /// Instants at which an answer may change, and the millisecond before each; none while claims were made.
    private func instants(_ oracle: OracleAnswer) -> [Int64] {
        var chance = Chance(seed: UInt64(life.number))
        let all = oracle.boundaries.flatMap { [$0 - 1, $0] }.filter { $0 >= 0 && !life.quiet.contains($0) }
        return all.shuffled(using: &chance).prefix(instantsAsked) + [life.quiet.lowerBound - 1, life.quiet.upperBound]
    }

    private func differences(of customer: String, _ oracle: OracleAnswer) async throws -> [String] {
        let products = Set(OracleProduct.all.map(\.id))
        var findings: [String] = []
        for instant in instants(oracle) {
            let expected = oracle.isActive(
                customer: customer, entitlement: ChaosLife.entitlement, products: products, at: instant)
            let path = NativeAPI.readEntitlements.path(CustomerPath(app: life.app.id, customer: customer))
            let answer = await client.get("\(path)?at=\(instant)", from: address)
            guard case .answered(200, let body, _) = answer, let told = try JSONDocument(body).root.object else {
                findings.append("\(customer) at \(instant): \(answer.words)")
                continue
            }
            guard told["isActive"]?.bool != expected else { continue }
            findings.append("\(customer) at \(instant): oracle \(expected) · server \(!expected)")
        }
        return findings
    }
}
