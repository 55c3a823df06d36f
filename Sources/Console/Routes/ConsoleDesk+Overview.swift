import Backend
import Ledger
import Primitives

/// The pages about an app and about the server.
extension ConsoleDesk {
    /// Counted up to this: a page says "at least" and not how many of ten million.
    private static let most = 200

    func overview(_ place: ConsolePlace) async throws -> Sheet {
        let backend = dependencies.backend
        let claims = try await backend.waitingClaims(
            app: place.app, environment: place.environment, after: nil, limit: Self.most)
        let proposals = try await backend.proposals(
            app: place.app, environment: place.environment, after: nil, limit: InboxPage.longest)
        let signals = try await backend.signals(
            Backend.SignalFilter(isOpen: true), app: place.app, environment: place.environment, before: nil, limit: Self.most)
        let parked = try await backend.parkedNotifications(app: place.app, environment: place.environment)
        let warnings = try await backend.warnings(app: place.app, environment: place.environment)
        let standing = try await backend.appleStanding(of: place.app, in: place.environment, desk: dependencies.apple)
        let failing = try await endpoints(of: place)?.filter { $0.state == .failing || $0.state == .disabled } ?? []
        let questions = try await backend.consumptionDeadlines(
            app: place.app, environment: place.environment, limit: Self.most)
        let late = standing.backlog.filter { $0.kind != "answerConsumptionRequest" && $0.count > 0 }
        let needs: [OverviewPage.Need] = [
            .init(
                what: .claims, code: "claims", count: claims.claims.count, isMore: claims.last != nil,
                oldest: claims.claims.map(\.weighed.claim.claimedAt).min(), page: .inbox(after: nil)),
            .init(
                what: .consumption, code: "consumptionRequests", count: questions.count, isMore: questions.count == Self.most,
                oldest: questions.map(\.requestedAt).min(), deadline: questions.map(\.deadline).min(), page: .inbox(after: nil)),
            .init(
                what: .endpoints, code: "failingEndpoints", count: failing.count, isMore: false,
                oldest: failing.compactMap(\.stateSince).min(), page: .operations),
            .init(
                what: .deadWork, code: "lateWork", count: late.map(\.count).reduce(0, +), isMore: false,
                oldest: late.compactMap(\.dueSince).min(), page: .operations),
            .init(
                what: .parked, code: "parkedNotifications", count: parked.count,
                isMore: parked.count == Backend.longestParked, oldest: parked.map(\.receivedAt).min(), page: .operations),
            .init(
                what: .proposals, code: "proposals", count: proposals.proposals.count, isMore: proposals.last != nil,
                oldest: nil, page: .inbox(after: nil)),
            .init(
                what: .signals, code: "signals", count: signals.count, isMore: signals.count == Self.most,
                oldest: signals.map(\.firstRaisedAt).min(), page: .inbox(after: nil)),
            .init(
                what: .warnings, code: "unknownWords", count: warnings.count, isMore: false,
                oldest: warnings.map(\.firstSeenAt).min(), page: .operations),
        ]
        return OverviewPage(
            needs: needs, standing: standing,
            count: try await backend.countSubscriptions(app: place.app, environment: place.environment),
            events: try await backend.latestEvents(
                app: place.app, environment: place.environment, limit: OverviewPage.mostEvents),
            heard: try await heard(of: place, standing), namesCustomers: mayNameCustomers(in: place)
        ).sheet
    }

    /// Of every environment of the app, since a server that hears of one only is easily overlooked.
    private func heard(of place: ConsolePlace, _ standing: AppleStanding) async throws -> [OverviewPage.Heard] {
        let (backend, desk) = (dependencies.backend, dependencies.apple)
        var heard: [OverviewPage.Heard] = []
        for environment in try backend.settings(of: place.app).environments {
            let known =
                environment == place.environment
                ? standing : try await backend.appleStanding(of: place.app, in: environment, desk: desk)
            heard.append(.init(environment: environment, last: known.lastNotification))
        }
        return heard
    }

    private func endpoints(of place: ConsolePlace) async throws -> [EndpointView]? {
        guard let deliveries = dependencies.deliveries else { return nil }
        return try await deliveries.endpoints(of: place.app).filter { $0.environments.contains(place.environment) }
    }

    func inbox(after last: String?, in place: ConsolePlace) async throws -> Sheet {
        let backend = dependencies.backend
        let last = last.map { OriginalTransactionID($0) }
        return InboxPage(
            claims: try await backend.waitingClaims(
                app: place.app, environment: place.environment, after: last, limit: InboxPage.longest),
            proposals: try await backend.proposals(
                app: place.app, environment: place.environment, after: last, limit: InboxPage.longest),
            // On the first page only, as what follows: they have an order of their own.
            consumption: last == nil
                ? try await backend.pendingConsumption(
                    app: place.app, environment: place.environment, limit: InboxPage.longest) : nil,
            signals: last == nil
                ? try await backend.signals(
                    Backend.SignalFilter(isOpen: true), app: place.app, environment: place.environment, before: nil,
                    limit: InboxPage.longest) : [],
            now: backend.now()
        ).sheet
    }

    func policy(_ place: ConsolePlace) async throws -> Sheet {
        let backend = dependencies.backend
        let trial = try await backend.jobs(app: place.app).first { $0.kind == "trial" }
        var differences: [WhatIfRow]?
        if mayNameCustomers(in: place) {
            var found: [Backend.JobResult] = []
            if let trial {
                found = try await backend.jobResults(of: trial.id, app: place.app, after: 0, limit: PolicyPage.mostDifferences)
            }
            differences = found.compactMap { result in
                guard case .difference(let row) = result.content, row.environment == place.environment else { return nil }
                return row
            }
        }
        let timeline = try await backend.settingsInForce(of: place.app)
        return PolicyPage(
            policy: timeline.newest.content.policy, history: try await backend.settingsHistory(of: place.app), timeline: timeline,
            trials: try await backend.lastTrials(app: place.app), trial: trial, differences: differences, now: backend.now()
        ).sheet
    }

    func policyVersion(_ number: Int64, in place: ConsolePlace) async throws -> Sheet {
        let backend = dependencies.backend
        let history = try await backend.settingsHistory(of: place.app)
        let timeline = try await backend.settingsInForce(of: place.app)
        guard let version = history.first(where: { $0.number == number }),
            let content = timeline.versions.first(where: { $0.number == number })?.content
        else { throw Trouble.unknownVersion }
        return PolicyVersionPage(
            version: version, content: content, before: timeline.versions.last { $0.number < number }, timeline: timeline,
            history: history, trial: try await backend.lastTrials(app: place.app)[version.digest], now: backend.now()
        ).sheet
    }

    func operations(_ place: ConsolePlace) async throws -> Sheet {
        let backend = dependencies.backend
        return OperationsPage(
            standing: try await backend.appleStanding(of: place.app, in: place.environment, desk: dependencies.apple),
            endpoints: try await endpoints(of: place),
            parked: try await backend.parkedNotifications(app: place.app, environment: place.environment),
            warnings: try await backend.warnings(app: place.app, environment: place.environment),
            authorities: backend.trustedAuthorities,
            server: .init(
                version: dependencies.version, databaseBytes: try await backend.databaseSize(),
                verification: try await backend.jobs(app: place.app).first {
                    $0.kind == "verification" && $0.endedAt != nil && $0.state == "done"
                }, backup: try await backend.lastBackup(),
                machineNow: dependencies.isClockSimulated ? nil : backend.now()), now: backend.now()
        ).sheet
    }

    func jobs(_ place: ConsolePlace) async throws -> Sheet {
        let backend = dependencies.backend
        return JobsPage(
            jobs: try await backend.jobs(app: place.app), exports: try await backend.exports(app: place.app)
        ).sheet
    }

    func verify(_ place: ConsolePlace) async throws -> Sheet {
        let backend = dependencies.backend
        let runs = try await backend.jobs(app: place.app).filter { $0.kind == "verification" }
        var findings: [Backend.JobResult] = []
        if let last = runs.first {
            findings = try await backend.jobResults(of: last.id, app: place.app, after: 0, limit: SubscriptionPage.longest)
        }
        return VerifyPage(runs: runs, findings: findings, namesSubscriptions: mayNameCustomers(in: place)).sheet
    }
}
