import AppStoreWire
import Ledger
package import Primitives
package import Storage

/// Answers Apple's questions of what became of a purchase whose refund was asked for: within twelve hours, from what is known,
/// and never without consent (ABUSE-2).
///
/// What was sent is kept, and so is why nothing was. Each question is answered once; where a server dies in between, the answer
/// is sent again.
package struct ConsumptionPerformer: WorkPerformer {
    private let backend: Backend
    private let desk: AppleDesk

    /// So long the app's backend has to say what it knows of the purchase, before it is answered without.
    private static let patience = Milliseconds.hours(1)
    /// So long before the deadline it is decided whatever is missing.
    private static let reserve = Milliseconds.minutes(30)
    /// How often to look whether what is missing was said.
    private static let pause = Milliseconds.minutes(5)

    package init(backend: Backend, desk: AppleDesk) {
        self.backend = backend
        self.desk = desk
    }

    package var kind: WorkKind { .answerConsumptionRequest }

    package func openings(at now: Timestamp) -> [LaneOpening] {
        desk.openings(for: .sendConsumptionInformation, overdue: nil, at: now)
    }

    package func perform(_ work: LeasedWork, at now: Timestamp) async throws -> WorkOutcome {
        guard let app = backend.apps[work.order.scope.app], let consumption = app.apple?.consumption else {
            return .wait(.minutes(30), because: "the app does not ask Apple")
        }
        guard let asked = try ConsumptionCase(work.order) else {
            return .abandon(because: "its body is another kind of work's")
        }
        if try await backend.store.write({ try $0.appleRequest(asked.name) })?.result != nil { return .done() }
        let found = try await backend.evidence(on: asked)
        switch found.answer(to: asked, consumption, at: now) {
        case .refused(let refusal):
            if refusal.mayPass, consumption.consent != .never, now < asked.deadline.adding(Milliseconds(-Self.reserve.count)) {
                return .wait(Self.pause, because: "notSent.\(refusal.code)")
            }
            return end(asked, with: AppleRequest.Result(outcome: "notSent.\(refusal.code)", at: now), content: "", now)
        case .report(let report):
            guard found.note != nil || now >= asked.requestedAt.adding(Self.patience) else {
                return .wait(Self.pause, because: "the app's backend may still say what it knows")
            }
            return try await send(report, asked, at: now)
        }
    }

    // MARK: What came of it

    private func send(_ report: ConsumptionReport, _ asked: ConsumptionCase, at now: Timestamp) async throws -> WorkOutcome {
        let call: ServerAPICall<NoResponseBody>
        do {
            call = try .sendConsumptionInformation(transactionId: asked.transactionId.rawValue, ConsumptionRequest(report))
        } catch {
            return end(asked, with: AppleRequest.Result(outcome: "request.\(error.code.rawValue)", at: now), content: "", now)
        }
        let content = String(decoding: call.body ?? [], as: UTF8.self)
        let request = asked.request(content, at: now)
        let mayBeSent = try await backend.store.write { transaction in
            guard try transaction.appleRequest(asked.name)?.result == nil else { return false }
            try transaction.record(request)
            return true
        }
        // Another server has answered while this one was away.
        guard mayBeSent else { return .done() }
        switch try await desk.ask(call, in: asked.key.scope, .someoneWaits, at: now) {
        case .notAsked(let why): return .back(because: why.rawValue)
        case .failed(let failure) where failure.isFinal:
            return end(asked, with: AppleRequest.Result(outcome: failure.code, at: backend.clock.now()), content: content, now)
        case .failed(let failure): return .retry(because: failure.code)
        case .answered:
            let result = AppleRequest.Result(outcome: AppleRequest.Result.accepted, at: backend.clock.now())
            return end(asked, with: result, content: content, now)
        }
    }

    private func end(
        _ asked: ConsumptionCase, with result: AppleRequest.Result, content: String, _ now: Timestamp
    ) -> WorkOutcome {
        let request = asked.request(content, at: now)
        return .done(
            keeping: WorkResult { _, transaction in
                let kept = try transaction.appleRequest(asked.name)
                guard kept?.result == nil else { return }
                var ended = request
                ended.result = result
                // It was sent, and nobody knows what became of it: what was sent stays.
                if let kept, !kept.content.isEmpty, content.isEmpty {
                    ended = kept
                    let why = result.outcome.split(separator: ".").last ?? ""
                    ended.result = AppleRequest.Result(outcome: "unknown.\(why)", at: result.at)
                }
                try transaction.record(ended)
            })
    }
}

extension AppleRequest {
    /// Whoever asked for it where a rule did.
    static let byRule = "tenure"
}

extension AppleFailure {
    /// Whether the same request will be refused for ever: it is about this very transaction, or wrong in itself.
    var isFinal: Bool { scope == .transaction || scope == .request }
}

extension ConsumptionRequest {
    /// - Parameter report: with consent, as all reports are.
    fileprivate init(_ report: ConsumptionReport) {
        self.init(
            customerConsented: report.customerConsented, consumptionPercentage: report.consumptionPercentage.map { Int64($0) },
            deliveryStatus: ConsumptionDeliveryStatus(rawValue: report.deliveryStatus.rawValue),
            refundPreference: report.refundPreference.map { RefundPreference(rawValue: $0.rawValue) },
            sampleContentProvided: report.sampleContentProvided)
    }
}
