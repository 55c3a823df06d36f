/// How strongly an upload shows who bought (0023, 5 and 7).
enum Strength {
    /// (b)
    case prompt
    /// (d)
    case late
}

/// All evidence of who bought one period or made one deferred change; names after merges.
struct Evidence {
    /// (a): the customer that the token names.
    var named: String?
    /// The customer named by a token that Apple repeats in a renewal info about a deferred change: (d), if that is the owner
    /// before.
    var repeated: String?
    /// (b) and (d), each in the order of receipt.
    var prompt: [String] = []
    var late: [String] = []

    var customers: Set<String> { Set([named].compactMap { $0 } + prompt + late) }

    /// Who bought, given the owner before (0023, 6).
    func buyer(after owner: String?) -> String? {
        if let first = named ?? prompt.first { return first }
        if let owner, late.contains(owner) || repeated == owner { return owner }
        return late.first
    }

    /// Whether the best evidence of the buyer is (d).
    var isLate: Bool { named == nil && prompt.isEmpty }
}

/// Finds evidence in all uploads, whatever their place in the order of receipt.
struct EvidenceReader {
    let holding: Holding
    let people: People
    let policies: OraclePolicies

    // MARK: Of a bought period (0023, 5; 0071, 3)

    func evidence(ofPeriod index: Int) -> Evidence {
        let period = holding.periods[index]
        guard period.isBought else { return Evidence() }
        return collected(named: holding.names[period.purchaseToken]) { strength(of: $0, forPeriod: index) }
    }

    func strength(of upload: Upload, forPeriod index: Int) -> Strength? {
        let period = holding.periods[index]
        let policy = policies.policy(at: period.purchaseDate)
        guard period.isBought, upload.shown == index, upload.productId == period.productId, !policy.tokenOnly else {
            return nil
        }
        let isInWindow = upload.at <= period.purchaseDate + policy.purchaseWindow && !period.mayBeRenewal
        switch upload.kind {
        case .restore: return nil
        case .purchase where upload.at <= period.purchaseDate + policy.promptWindow: return .prompt
        case .purchase: return isInWindow ? .late : nil
        case .queue: return isInWindow && (!upload.keepsIntents || hasIntent(upload.customer, for: period)) ? .late : nil
        }
    }

    /// An intent is valid for 30 days (0023, 3).
    private func hasIntent(_ customer: String, for period: OraclePeriod) -> Bool {
        holding.intents.contains {
            people.customer($0.customer) == people.customer(customer) && $0.productId == period.productId
                && $0.madeAt <= period.purchaseDate && period.purchaseDate < $0.madeAt + 30 * day
        }
    }

    // MARK: Of a deferred change (0023, 7)

    func evidence(of appearance: Appearance) -> Evidence {
        let period = holding.periods[appearance.period]
        // Back to the period's own product: a change by nobody.
        let named = appearance.product == period.productId ? nil : holding.names[appearance.token]
        let isNew = !period.repeats(appearance.token, at: appearance.signedDate)
        var evidence = collected(named: isNew ? named : nil) { strength(of: $0, for: appearance) }
        if !isNew, !policy(of: appearance).tokenOnly { evidence.repeated = named.map(people.customer) }
        return evidence
    }

    func strength(of upload: Upload, for appearance: Appearance) -> Strength? {
        let fitting = fittingAppearances(upload)
        guard fitting.contains(appearance), !upload.isDenied, !policy(of: appearance).tokenOnly else { return nil }
        func isPrompt(_ one: Appearance) -> Bool { abs(one.signedDate - upload.at) <= hour }
        if isPrompt(appearance) { return .prompt }
        if fitting.contains(where: isPrompt) { return nil }
        let meant = fitting.last { $0.signedDate <= upload.at } ?? fitting.first
        let end = appearance.fulfilling.map { holding.periods[$0].purchaseDate }
        return meant == appearance && upload.at < end ?? Int64.max ? .late : nil
    }

    /// The appearances, in the period that an upload shows, of the product that it names.
    func fittingAppearances(_ upload: Upload) -> [Appearance] {
        guard upload.kind == .purchase else { return [] }
        return holding.appearances.filter { $0.period == upload.shown && $0.product == upload.productId }
    }

    /// The version in force when the fulfilling period is bought; without one, when the change was signed.
    func policy(of appearance: Appearance) -> OraclePolicy {
        policies.policy(at: appearance.fulfilling.map { holding.periods[$0].purchaseDate } ?? appearance.signedDate)
    }

    // MARK: Both

    private func collected(named: String?, _ strength: (Upload) -> Strength?) -> Evidence {
        var evidence = Evidence(named: named.map(people.customer))
        for upload in holding.uploads {
            switch strength(upload) {
            case .prompt: evidence.prompt.append(people.customer(upload.customer))
            case .late: evidence.late.append(people.customer(upload.customer))
            case nil: break
            }
        }
        return evidence
    }
}
