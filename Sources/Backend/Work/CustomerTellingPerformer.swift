import Ledger
package import Primitives
package import Storage

/// Has the events about a customer say when they may use what, where that is no longer what was told last (ENT-1).
///
/// What a customer may use is made of all their subscriptions, of what was said about them and of the app's products. A renewal
/// locks and reads its own subscription alone, so it asks for this work, and the work looks at the whole (decision 0040).
package struct CustomerTellingPerformer: WorkPerformer {
    private let backend: Backend

    package init(backend: Backend) { self.backend = backend }

    package var kind: WorkKind { .tellCustomer }

    package func perform(_ work: LeasedWork, at now: Timestamp) async throws -> WorkOutcome {
        guard let customer = work.order.customer else { return .abandon(because: "it names no customer") }
        // An app that is no longer configured sends no events; its ledger stays.
        guard let app = backend.apps[customer.scope.app] else { return .abandon(because: "the app is not configured") }
        var request = IngestRequest(app: app, learnedAt: now)
        let body = try StateCoding.decode(TellCustomerBody.self, from: work.order.body)
        request.telling = IngestRequest.Telling(customer: customer, cause: body.because)
        let (asked, settings) = (request, backend.chosen)
        return .done(
            keeping: WorkResult(customers: [customer]) { _, transaction in
                _ = try Ingest.apply([asked], in: transaction, settings)
            })
    }
}
