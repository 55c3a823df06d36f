import AppStoreWire
import Ledger
import Primitives
import Storage

/// A receipt that Apple is asked about.
struct ReceiptQuestion: Sendable {
    let app: AppID
    /// In base64.
    let receipt: String
    /// Those that may be asked, the first one first: Production, where nobody knows whose it is.
    let hosts: [VerifyReceiptHost]
    let urgency: AskingUrgency

    /// Where an app's trouble with a host is noted.
    func place(at host: VerifyReceiptHost) -> AppleDesk.Place {
        AppleDesk.Place(scope: Scope(app: app, environment: host.environment), way: .receipt)
    }
}

extension AppleDesk {
    /// Asks `/verifyReceipt` until it is known what a receipt is, or that it cannot be known now (RECON-3): at most two calls,
    /// and one more for each shared secret that is wrong. Each counts against the budget of its host's environment.
    ///
    /// - Throws: `StorageError` where a budget cannot be read.
    func ask(_ question: ReceiptQuestion, at now: Timestamp) async throws -> ReceiptVerdict {
        var inquiry = ReceiptInquiry(hosts: question.hosts, secrets: secrets(of: question.app))
        var admitted: Set<VerifyReceiptHost> = []
        while true {
            switch inquiry.step {
            case .ended(.failed(let failure)):
                // No secret is right: the app's trouble, which one call in a while shows to be over.
                if let host = question.hosts.last(where: admitted.contains) {
                    let place = question.place(at: host)
                    note(failure, of: BudgetedCall.verifyReceipt, in: place.scope, at: now)
                    noteTrouble(failure, at: place, now)
                }
                return .failed(failure)
            case .ended(let verdict): return verdict
            case .ask(let host, let password):
                if admitted.insert(host).inserted,
                    !admit(question.place(at: host), of: BudgetedCall.verifyReceipt, at: now)
                {
                    return .notAsked(.unavailable, isBegun: inquiry.isBegun)
                }
                let request: VerifyReceiptRequest
                do {
                    request = try VerifyReceiptRequest(receiptData: question.receipt, password: password)
                } catch {
                    return .refused("request.\(error.code)")
                }
                switch try await call(request, host, question, at: now) {
                case .answered(let outcome): inquiry.hear(outcome)
                case .failed(let failure): return .failed(failure)
                case .notAsked(let why): return .notAsked(why, isBegun: inquiry.isBegun)
                }
            }
        }
    }
}

extension AppSettings {
    /// The ledgers of which receipts are asked about.
    var receiptScopes: [Scope] { receiptHosts.map { Scope(app: id, environment: $0.environment) } }
}
