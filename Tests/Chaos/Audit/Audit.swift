import LedgerOracle

/// What was lost, what was done twice, and whether the server's state equals the oracle's: compares the clients' journal, the
/// database and the oracle.
struct Audit: Sendable {
    let world: ChaosWorld
    let client: ChaosClient
    let database: Database
    let folder: String

    /// What an audit found.
    struct Findings: Sendable {
        /// Names of messages that were acknowledged and are not in the database.
        var lost: [String] = []
        /// What was done twice.
        var double: [String] = []
        /// The numbers of audit rows and events in the database.
        var rows = (audit: 0, events: 0)
        /// All other faults.
        var wrong: [String] = []

        /// As text, at most this many.
        func words(atMost limit: Int = 12) -> [String] {
            let all = lost.map { "lost: \($0)" } + double.map { "double: \($0)" } + wrong
            return all.prefix(limit) + (all.count > limit ? ["… and \(all.count - limit) more"] : [])
        }
    }

    /// What was acknowledged so far and is missing, or was accepted as new twice. Checked before anything is sent again, because
    /// that would hide a loss.
    func losses(_ journal: JournalContents) async throws -> Findings {
        let contents = try await ServerContents(of: database, folder: folder)
        var findings = Findings()
        let notifications = Set(contents.notifications)
        let facts = Set(contents.facts)
        for message in world.messages {
            guard let acknowledgements = journal.acknowledgements[message.name] else { continue }
            let hasNotification = message.evidence.notificationUUID.map { notifications.contains($0) } ?? true
            if !hasNotification || !message.evidence.facts.allSatisfy({ facts.contains($0) }) {
                findings.lost.append(message.name)
            }
            if acknowledgements.count(where: { $0 == "200 applied" }) > 1 {
                findings.double.append("\(message.name) was taken as new more than once")
            }
        }
        findings.double += contents.faults
        return findings
    }

    /// Everything, once all is acknowledged.
    ///
    /// - Parameter addresses: of the servers; queries about lives go to them in turn.
    func full(_ journal: JournalContents, addresses: [String]) async throws -> Findings {
        var findings = try await losses(journal)
        for message in world.messages where journal.acknowledgements[message.name] == nil {
            findings.wrong.append("\(message.name) was never acknowledged")
        }
        let contents = try await ServerContents(of: database, folder: folder)
        let expected = world.messages.map(\.evidence)
        findings.wrong += surplus("notification", contents.notifications, expected.compactMap(\.notificationUUID))
        findings.wrong += surplus("fact", contents.facts, expected.flatMap(\.facts))
        let events = try EventAudit(contents)
        findings.double += events.double
        for life in world.lives {
            let oracle = Oracle(policy: life.app.policy).answer(to: life.deliveries)
            findings.wrong += events.missing(life, oracle)
        }
        findings.rows = (contents.auditRows, contents.events.count)
        findings.wrong += try await differences(addresses)
        return findings
    }

    private func surplus(_ what: String, _ stored: [String], _ expected: [String]) -> [String] {
        let expected = Set(expected)
        return stored.filter { !expected.contains($0) }.map { "the \(what) \($0) is in the database and was never sent" }
            + (Set(stored).count < expected.count ? ["\(expected.count - Set(stored).count) of each \(what) are missing"] : [])
    }

    private func differences(_ addresses: [String]) async throws -> [String] {
        let lanes = 8
        return try await withThrowingTaskGroup(of: [String].self) { group in
            for lane in 0..<lanes {
                group.addTask {
                    var findings: [String] = []
                    for index in stride(from: lane, to: world.lives.count, by: lanes) {
                        let address = addresses[index % addresses.count]
                        findings += try await LifeAudit(life: world.lives[index], client: client, address: address).findings()
                    }
                    return findings
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }.sorted()
        }
    }
}
