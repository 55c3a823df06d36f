import APIContract
import Backend
import Ledger
import Primitives
import Server

/// What the law gives customers: everything that is kept of them, and erasure.
extension NativeFace {
    func addPrivacy(to router: inout EndpointRouter) {
        router.on(NativeAPI.exportCustomer, exportCustomer)
        router.on(NativeAPI.readCustomerPage, readCustomerPage)
        router.on(NativeAPI.eraseCustomer, eraseCustomer)
    }

    private func exportCustomer(_ call: OfCustomer<NoQuery, NoBody>) async throws -> CustomerExportBody {
        let exports = try await backend.export(of: call.customer, app: call.app)
        return CustomerExportBody(
            customer: call.customer.rawValue, at: call.now,
            environments: exports.map { export in
                CustomerExportBody.Part(
                    environment: export.environment, customer: CustomerBody(export.report, environment: export.environment),
                    timeline: export.timeline.map { TimelineBody.Item($0) },
                    purchases: export.purchases.map {
                        .init(originalTransactionId: $0.subscription.rawValue, facts: FactsBody($0.facts))
                    },
                    offers: OfferHistoryBody(export.offers))
            })
    }

    private func readCustomerPage(_ call: OfCustomer<NoQuery, NoBody>) async throws -> ReadablePage {
        try ReadablePage("What is kept of \(call.customer)", of: try await exportCustomer(call))
    }

    private func eraseCustomer(_ call: Call<CustomerIdPath, NoQuery, ErasureOrderBody>) async throws -> ErasureBody {
        let ballot = try Backend.Ballot(id: call.path.id, actor: call.body.actor, reason: call.body.reason, at: call.now)
        let report = try await backend.erase(call.customer, by: ballot, app: call.app)
        return ErasureBody(
            id: call.path.id, pseudonyms: report.pseudonyms.map(\.rawValue), erasedAt: report.erasedAt,
            subscriptions: Int64(report.subscriptions), isLeftInFiles: report.isLeftInFiles)
    }
}
