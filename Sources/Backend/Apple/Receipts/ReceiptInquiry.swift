import AppStoreWire
import Ledger
import Primitives

/// Which host of `/verifyReceipt` is asked next about a receipt, and with which password (RECON-3): a plain value that waits for
/// nothing.
///
/// ```
/// first host ── 21007, 21008 ──▶ the other one, once ── 21007, 21008 ──▶ unsettled
///     └─ 21004 ──▶ the same host with the app's next secret ── the last one: with none ── 21004 ──▶ failed
/// ```
struct ReceiptInquiry: Sendable {
    /// What comes next.
    enum Step: Sendable {
        case ask(VerifyReceiptHost, password: String?)
        case ended(ReceiptVerdict)
    }

    private(set) var step: Step
    private let hosts: [VerifyReceiptHost]
    private let passwords: [String?]
    private var asked: Set<VerifyReceiptHost> = []
    /// How many passwords the host in turn refused.
    private var refused = 0

    /// Apple knows two for an app, its own and the account's; more are of a change of secrets.
    static let mostSecrets = 8

    /// - Parameters:
    ///   - hosts: those that may be asked, the first one first.
    ///   - secrets: of the app, in their order; without a password is asked last, which is right for what is no subscription.
    init(hosts: [VerifyReceiptHost], secrets: [String]) {
        self.hosts = hosts
        passwords = secrets.prefix(Self.mostSecrets).map { $0 } + [nil]
        step = hosts.first.map { .ask($0, password: secrets.first) } ?? .ended(.notAsked(.unavailable, isBegun: false))
    }

    /// Whether anything was asked yet.
    var isBegun: Bool { !asked.isEmpty }

    /// Takes what the host in turn answered.
    mutating func hear(_ outcome: VerifyReceiptOutcome) {
        asked.insert(outcome.host)
        switch outcome.meaning {
        case .answer, .expired: step = .ended(.answered(outcome))
        case .wrongEnvironment(let other):
            guard hosts.contains(other) else {
                step = .ended(.elsewhere(other))
                return
            }
            guard outcome.hostToAsk(havingAsked: asked) != nil else {
                step = .ended(.unsettled(outcome.code))
                return
            }
            refused = 0
            step = .ask(other, password: passwords[0])
        case .wrongSecret:
            refused += 1
            step =
                refused < passwords.count
                ? .ask(outcome.host, password: passwords[refused])
                : .ended(.failed(AppleFailure(.app, code: outcome.code)))
        case .retry: step = .ended(.unsettled(outcome.code))
        case .refused, .notAnAnswer:
            step = .ended(outcome.scope == .transaction ? .refused(outcome.code) : .unsettled(outcome.code))
        }
    }
}

/// What became of asking about a receipt.
enum ReceiptVerdict: Sendable {
    /// It is genuine; the outcome has an answer.
    case answered(VerifyReceiptOutcome)
    /// Apple says that asking again about this receipt is useless; for that, a code such as `receipt.21003`.
    case refused(String)
    /// It is of an environment that the app does not take.
    case elsewhere(VerifyReceiptHost)
    /// Apple looked at it and says nothing about it: a temporary fault, or an account that was not found.
    case unsettled(String)
    /// There is no usable answer; nobody has looked at this receipt.
    case failed(AppleFailure)
    /// It was not asked about to the end.
    ///
    /// - Parameter isBegun: whether anything was.
    case notAsked(FailedQuestion.Unasked, isBegun: Bool)
}

extension VerifyReceiptOutcome {
    /// A stable code, also where another host is to be asked.
    fileprivate var code: String { failureCode ?? "receipt.\(status?.rawValue ?? 0)" }

    /// Whether the password was wrong.
    var refusesSecret: Bool { if case .wrongSecret = meaning { true } else { false } }

    /// The outcome, where Apple said something about the receipt or the password; a failure where it is the host's trouble, the
    /// app's, or one call too many.
    var usable: Result<VerifyReceiptOutcome, AppleFailure> {
        guard let scope, !refusesSecret, scope == .app || scope == .budget || status == nil else { return .success(self) }
        return .failure(AppleFailure(scope, code: code))
    }
}

extension VerifyReceiptHost {
    /// Nil for an environment of which it knows no receipts.
    init?(of environment: Primitives.Environment) {
        guard let host = Self.allCases.first(where: { $0.environment == environment }) else { return nil }
        self = host
    }
}
