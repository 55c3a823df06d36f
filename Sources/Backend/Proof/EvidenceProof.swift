import AppStoreWire
import Intake
import Ledger
import Primitives
import Storage

/// Whether the evidence that is kept still proves the facts that are kept (I14): the signatures are verified again, at the
/// instant when they came, and what they say is translated again.
struct EvidenceProof {
    let verifier: AppStoreVerifier
    let app: AppSettings

    /// Reads each document once, whatever it proves, and holds one at a time.
    ///
    /// - Parameter document: the document of a number.
    /// - Throws: what `document` throws, but for one that cannot be read, which is a finding.
    func findings(
        of facts: [StoredContents.KeptFact], key: SubscriptionKey, document: (Int64) async throws -> Evidence
    ) async throws -> [Finding] {
        var findings: [Finding] = []
        // All facts of one document stand in it together.
        let documents = Dictionary(grouping: facts) { $0.evidence }
        for (number, facts) in documents.sorted(by: { ($0.value.first?.fact.key ?? "") < ($1.value.first?.fact.key ?? "") }) {
            guard let number, let receivedAt = facts.first?.receivedAt else {
                findings += facts.filter { !Self.needsNone($0.fact) }.map {
                    Finding(.factUnproven, key, "\($0.fact.key): no evidence")
                }
                continue
            }
            let evidence: Evidence
            do {
                evidence = try await document(number)
            } catch let error as StorageError where error.code == .corrupt {
                findings.append(Finding(.unreadable, key, "document \(number): \(error.reason)"))
                continue
            }
            switch await proven(by: evidence, like: facts.map(\.fact), at: receivedAt) {
            case .failure(let reason):
                let keys = facts.prefix(Self.mostNamed).map(\.fact.key).joined(separator: ", ")
                let others = facts.count - Self.mostNamed
                findings.append(
                    Finding(.factUnproven, key, "\(keys)\(others > 0 ? " and \(others) more" : ""): \(reason.words)"))
            case .success(let proven):
                let proven = Set(proven + proven.flatMap(\.asKeptBefore))
                for fact in facts where !proven.contains(fact.fact) {
                    findings.append(Finding(.factDiffers, key, fact.fact.key))
                }
            }
        }
        return findings
    }

    /// What is wrong with a notification that no kept fact names; nil where its document proves it, and proves no fact.
    func finding(
        of notification: FactlessNotification, document: (Int64) async throws -> Evidence
    ) async throws -> Finding? {
        let row = notification.row
        let evidence: Evidence
        do {
            evidence = try await document(row.evidence)
        } catch let error as StorageError where error.code == .corrupt {
            return Finding(.unreadable, nil, "document \(row.evidence): \(error.reason)")
        }
        let verified = await verifier.notification(evidence.bytes, for: app.expected, at: notification.receivedAt)
        switch verified.map(Intake.translate) {
        case .failure(let refusal): return Finding(.notificationDiffers, nil, "\(row.notificationUUID): \(refusal)")
        case .success(let proven) where proven.notice.notificationUUID != row.notificationUUID:
            return Finding(.notificationDiffers, nil, "\(row.notificationUUID) differs in the list")
        case .success(let proven) where !proven.facts.isEmpty:
            return Finding(.notificationDiffers, nil, "\(row.notificationUUID): its content is not among the facts")
        case .success: return nil
        }
    }

    /// How many facts of one document a finding names.
    private static let mostNamed = 20

    /// What nobody signs: a failed question, and the status in an answer.
    private static func needsNone(_ fact: Fact) -> Bool {
        switch fact {
        case .status, .failedQuestion: true
        case .transaction, .renewal, .notice: false
        }
    }

    private struct Unproven: Error {
        let words: String

        init(_ refusal: some Error) { words = "\(refusal)" }
    }

    private func proven(by evidence: Evidence, like facts: [Fact], at now: Timestamp) async -> Result<[Fact], Unproven> {
        switch evidence.form {
        case .compactJWS: await jws(evidence.bytes, like: facts, at: now)
        case .appReceipt:
            await verifier.appReceipt(evidence.bytes, for: app.expected, at: now).mapError(Unproven.init).map {
                Intake.translate($0).map(\.fact)
            }
        case .transactionReceipt: transactionReceipt(evidence.bytes, at: now)
        // Nobody signed it: our own server fetched it over TLS, and there is nothing in it to verify again (FACT-3).
        case .verifyReceiptAnswer: .success(facts)
        }
    }

    /// What a JWS is, its facts say: a notification has words of its own.
    private func jws(_ bytes: [UInt8], like facts: [Fact], at now: Timestamp) async -> Result<[Fact], Unproven> {
        if facts.contains(where: { if case .notice = $0 { true } else { false } }) {
            return await verifier.notification(bytes, for: app.expected, at: now).mapError(Unproven.init).map {
                Intake.translate($0).facts.map(\.fact)
            }
        }
        if facts.contains(where: { if case .transaction = $0 { true } else { false } }) {
            return await verifier.transaction(bytes, for: app.expected, at: now).mapError(Unproven.init).map {
                [Intake.translate($0).fact]
            }
        }
        return await verifier.renewalInfo(bytes, for: app.expected, at: now).mapError(Unproven.init).map {
            [Intake.words(of: $0)]
        }
    }

    private func transactionReceipt(_ bytes: [UInt8], at now: Timestamp) -> Result<[Fact], Unproven> {
        verifier.transactionReceipt(bytes, for: app.expected, at: now).mapError(Unproven.init).map { receipt in
            if case .fact(let proven) = Intake.translate(receipt) { [proven.fact] } else { [] }
        }
    }
}

extension Fact {
    /// The same as older versions kept it, from the newest of them on: each lacks what the next one came to keep.
    fileprivate var asKeptBefore: [Fact] {
        switch self {
        case .renewal(var fact):
            (fact.renewalPrice, fact.currency) = (nil, nil)
            let withoutPrice = fact
            fact.appAccountToken = nil
            return [.renewal(withoutPrice), .renewal(fact)]
        case .notice(var notice, let id):
            notice.revocation?.revokedSeatQuantity = nil
            let withoutSeats = notice
            notice.revocation = nil
            return [.notice(withoutSeats, about: id), .notice(notice, about: id)]
        case .transaction(var fact):
            fact.revocation?.revokedSeatQuantity = nil
            let withoutSeats = fact
            fact.previousOriginalTransactionId = nil
            let withoutLink = fact
            fact.details.additionalTransactionReason = nil
            return [.transaction(withoutSeats), .transaction(withoutLink), .transaction(fact)]
        case .status, .failedQuestion: return []
        }
    }
}
