import APIContract
import LedgerOracle

/// Lives, apps and everything signed: what a run sends, and what the oracle says.
struct ChaosWorld: Sendable {
    let apps: [ChaosApp]
    let lives: [ChaosLife]
    let signer: ChaosSigner
    /// The notifications of all lives, each once; then each life's line.
    let notifications: [Message]
    let lines: [[Message]]

    /// How much is generated from a seed.
    struct Size: Sendable {
        var notifications = 0
        var uploads = 0
        var lives = 0
        /// How often a notification is sent; each life chooses at random.
        var repeats: ClosedRange<Int64> = 1...2
    }

    /// How long a run may take before the lives' own time matters, in milliseconds.
    static let longestRun: Int64 = 2 * 3_600_000
    private static let appCount = 6

    /// Lives of the seed, one after the other, until there are as many notifications, uploads and lives as requested.
    init(seed: UInt64, now: Int64, size: Size) throws {
        let apps = (0..<Self.appCount).map { number in
            ChaosApp(number: number, policy: Life(seed: seed &+ UInt64(number)).policies.first.asFarAsTheServerHears)
        }
        self.apps = apps
        let signer = try ChaosSigner()
        self.signer = signer
        var lives: [ChaosLife] = []
        var (notifications, lines): ([Message], [[Message]]) = ([], [])
        var (sends, uploads, number) = (0, 0, 0)
        var chance = Chance(seed: seed)
        while sends < size.notifications || uploads < size.uploads || lives.count < size.lives {
            number += 1
            let life = ChaosLife(
                Life(seed: seed &+ UInt64(number)), number: number, app: apps[number % Self.appCount], now: now,
                longestRun: Self.longestRun)
            guard life.isCovered else { continue }
            let sheet = Mailbag(life: life, index: lives.count, signer: signer)
            for message in try sheet.notifications() {
                let times = Int(chance.between(size.repeats.lowerBound, size.repeats.upperBound))
                notifications += Array(repeating: message, count: times)
                sends += times
            }
            let line = try sheet.line()
            uploads += line.count { $0.method == .post }
            lines.append(line)
            lives.append(life)
        }
        self.lives = lives
        self.notifications = notifications.shuffled(using: &chance)
        self.lines = lines
    }

    /// All messages, each once.
    var messages: [Message] {
        var seen: Set<String> = []
        return notifications.filter { seen.insert($0.name).inserted } + lines.flatMap { $0 }
    }
}

extension ChaosLife {
    /// Whether our certificates cover all signing dates.
    fileprivate var isCovered: Bool { statements.allSatisfy { ChaosSigner.covers($0.transaction.signedDate) } }
}

/// The messages of one life.
struct Mailbag {
    let life: ChaosLife
    /// Its place among the lives of the world.
    let index: Int
    let signer: ChaosSigner

    func notifications() throws -> [Message] {
        try life.statements.compactMap { statement in
            guard let notice = statement.notice else { return nil }
            var evidence = Message.Evidence(notificationUUID: "\(life.app.id) \(notice.uuid)")
            evidence.facts = ["notification/\(notice.uuid)"] + keys(of: statement.transaction, statement.renewalInfo)
            evidence.facts = evidence.facts.map { "\(life.app.id) \($0)" }
            return Message(
                name: "life \(life.number) notification \(notice.uuid)", life: index, order: .free, method: .post,
                path: NativeAPI.receiveNotification.path(AppPath(app: life.app.id)),
                body: try signer.notification(notice, statement, of: life.app), evidence: evidence)
        }
    }

    /// Registrations, then claims.
    func line() throws -> [Message] {
        var line = life.registrations.enumerated().map { place, it in
            Message(
                name: "life \(life.number) registration \(it.token)", life: index, order: .inLine(place), method: .put,
                path: NativeAPI.registerAppAccountToken.path(
                    AppAccountTokenPath(app: life.app.id, customer: it.customer, token: it.token))
                    + "?minted=true",
                body: [], evidence: .init())
        }
        for claim in life.claims { line.append(try upload(claim, place: line.count)) }
        return line
    }

    private func upload(_ claim: OracleClaim, place: Int) throws -> Message {
        // A statement that no notification delivers comes complete with the claim that shows it.
        let statement = life.statements.first { $0.transaction == claim.shown }
        let renewalInfo = statement?.notice == nil ? statement?.renewalInfo : nil
        let body = UploadBody(
            kind: claim.kind.spelling, signedTransactionInfo: try signer.transaction(claim.shown, of: life.app),
            productId: claim.productId, signedRenewalInfo: try renewalInfo.map(signer.renewalInfo), intents: claim.keepsIntents)
        return Message(
            name: "life \(life.number) \(claim.id)", life: index, order: .inLine(place), method: .post,
            path: NativeAPI.uploadTransaction.path(CustomerPath(app: life.app.id, customer: claim.customer)), body: body.json,
            evidence: .init(facts: keys(of: claim.shown, renewalInfo).map { "\(life.app.id) \($0)" }))
    }

    private func keys(of transaction: OracleTransaction, _ renewalInfo: OracleRenewalInfo?) -> [String] {
        ["transaction/\(transaction.transactionId)/\(transaction.signedDate)"]
            + (renewalInfo.map { ["renewal/\($0.originalTransactionId)/\($0.signedDate)"] } ?? [])
    }
}

extension OracleClaimKind {
    fileprivate var spelling: String {
        switch self {
        case .purchase: "purchase"
        case .queue: "queue"
        case .restore: "restore"
        }
    }
}
