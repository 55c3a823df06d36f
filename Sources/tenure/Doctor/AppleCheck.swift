import AppStoreGateway
import AppStoreWire
import Backend
import Ledger
import Primitives
import Storage

/// Checks whether Apple can be asked about an app: asks one harmless question in each environment, and says what to compare
/// where Apple refuses the key. Apple answers 401 without a reason, so the reason is found by exclusion.
struct AppleCheck {
    let app: AppSettings
    let account: AskedAppStore.Account
    let key: AppStoreKey
    let gateway: AppStoreGateway
    /// Whether the server goes by a local App Store's clock, which is nobody else's.
    let clockIsSimulated: Bool

    /// More than this between the clocks and tokens are refused.
    private static let tolerance = Milliseconds.minutes(1)

    private enum Outcome {
        /// Apple took the key.
        case taken
        case refused
        case failed(GatewayFailure)
    }

    func diagnoses() async -> [Diagnosis] {
        var outcomes: [(Environment, Outcome)] = []
        for scope in app.scopes where account.hosts[scope.environment] != nil {
            outcomes.append((scope.environment, await ask(scope.environment)))
        }
        let isTaken = outcomes.contains { if case .taken = $0.1 { true } else { false } }
        return outcomes.map { environment, outcome in
            diagnosis(of: outcome, in: environment, "asking Apple about \(app.id) in \(environment.rawValue)", isTaken)
        }
    }

    /// A transaction that cannot be: whoever may ask hears that it is unknown.
    private func ask(_ environment: Environment) async -> Outcome {
        guard let host = account.hosts[environment] else { return .refused }
        let call: ServerAPICall<TransactionInfoResponse>
        do {
            call = try .getTransactionInfo(transactionId: "1")
        } catch {
            return .refused
        }
        switch await gateway.answer(to: call, as: key, from: host) {
        case .success: return .taken
        case .failure(let failure) where failure.code == "unauthenticated": return .refused
        case .failure(let failure) where failure.scope == .transaction || failure.scope == .request: return .taken
        case .failure(let failure): return .failed(failure)
        }
    }

    private func diagnosis(
        of outcome: Outcome, in environment: Environment, _ subject: String, _ isTakenSomewhere: Bool
    ) -> Diagnosis {
        switch outcome {
        case .taken: return .ok(subject, "Apple takes the key \(key.signingKey.keyId)")
        case .failed(let failure):
            return .problem(
                subject, "\(failure.code): no usable answer from \(host(environment))",
                "see whether this machine reaches it, and `hosts` in apps[].apple.")
        case .refused:
            if !clockIsSimulated, let lead = lead(environment), abs(lead.count) > Self.tolerance.count {
                return .problem(
                    subject,
                    "Apple refuses the key, and this machine's clock is \(words(lead)): tokens of another time are refused.",
                    "set the clock, and keep it right with NTP.")
            }
            if isTakenSomewhere {
                return .warning(
                    subject, "Apple refuses a key there that it takes in the other environment.",
                    "Apple's Production refuses keys of apps that were never released; after the release this is a problem.")
            }
            let signing = key.signingKey
            return .problem(
                subject, "Apple refuses the key, and says no more than 401. The clock is right, and the key signs.",
                "compare in this order: keyId \(signing.keyId) with the key's line in App Store Connect (not revoked?); issuerId "
                    + "\(signing.issuerId) with the line above the list of In-App Purchase keys; bundleId "
                    + "\(app.expected.bundleId); that it is a key for In-App Purchase, made by an Admin or the Account Holder.")
        }
    }

    private func host(_ environment: Environment) -> String { account.hosts[environment]?.baseURL ?? "" }

    private func lead(_ environment: Environment) -> Milliseconds? { gateway.state(ofHostAt: host(environment))?.appleDate?.lead }

    private func words(_ lead: Milliseconds) -> String {
        let seconds = abs(lead.count) / 1000
        return "\(seconds) seconds \(lead.count > 0 ? "ahead of" : "behind") Apple's"
    }
}
