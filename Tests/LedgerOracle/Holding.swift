/// What a customer shows, or what is reserved for the customer: a claim, or a reservation that counts as one (0023, 4).
struct Upload {
    let id: String
    /// Its place among all acts.
    let place: Int
    let customer: String
    let kind: OracleClaimKind
    /// The index of the period that it shows; `nil`: none.
    let shown: Int?
    let productId: String
    let at: Int64
    let keepsIntents: Bool
    let othersServed: [String]
    /// The first operator's vote about it denies it.
    let isDenied: Bool
}

/// A signed choice of another product for the next renewal (0023, 7).
struct Appearance: Hashable {
    let product: String
    /// The period for which it counts.
    let period: Int
    let signedDate: Int64
    let token: String?
    /// The period that fulfils it.
    var fulfilling: Int?
    /// Whether the same period fulfils a later one.
    var isOvertaken = false
}

/// One subscription with all that is known about it, and what was bound and moved so far.
struct Holding {
    let facts: KnownFacts
    let periods: [OraclePeriod]
    let spans: [OracleSpan]
    /// The subscription that this one continues, and when it switched (PER-14).
    let previous: (id: String, at: Int64)?
    let appearances: [Appearance]
    let names: TokenNames
    let intents: [OracleIntent]
    /// In the order of receipt.
    let uploads: [Upload]

    /// Who made the first claim of possession when there was no owner.
    var firstClaimant: String?
    var transfers: [Transfer] = []

    struct Transfer {
        let at: Int64
        let customer: String
        /// A restore by another customer, which counts for the limit of OWN-11.
        let isRestore: Bool
    }

    init(facts: KnownFacts, periods: [OraclePeriod], spans: [OracleSpan], previous: (id: String, at: Int64)?, known: Known) {
        self.facts = facts
        self.previous = previous
        self.periods = periods
        self.spans = spans
        appearances = Holding.appearances(in: facts.infos, periods)
        names = TokenNames(known.registrations, infos: facts.infos, periods)
        intents = known.intents
        uploads = Holding.uploads(of: facts.originalTransactionId, in: known, periods)
    }

    // MARK: Uploads

    private static func uploads(of id: String, in known: Known, _ periods: [OraclePeriod]) -> [Upload] {
        var seen = Set<String>()
        return known.acts.enumerated().compactMap { place, act in
            guard let upload = upload(act, place, periods, isDenied: known.isDenied(act.id, after: place)),
                act.subscription == id, seen.insert(upload.id).inserted
            else { return nil }
            return upload
        }
    }

    private static func upload(_ act: Known.Act, _ place: Int, _ periods: [OraclePeriod], isDenied: Bool) -> Upload? {
        switch act.delivery {
        case .claim(let it):
            return Upload(
                id: it.id, place: place, customer: it.customer, kind: it.kind,
                shown: periods.firstIndex { $0.versions.contains(it.shown) }, productId: it.productId, at: it.claimedAt,
                keepsIntents: it.keepsIntents, othersServed: it.othersServed, isDenied: isDenied)
        case .reservation(let it):
            guard let first = periods.indices.first else { return nil }
            let shown = periods.lastBought(by: it.reservedAt) ?? first
            return Upload(
                id: it.id, place: place, customer: it.customer, kind: .queue, shown: shown,
                productId: periods[shown].productId, at: it.reservedAt, keepsIntents: false, othersServed: [],
                isDenied: isDenied)
        default: return nil
        }
    }

    // MARK: Deferred changes

    private static func appearances(in infos: [OracleRenewalInfo], _ periods: [OraclePeriod]) -> [Appearance] {
        var found: [Appearance] = []
        for index in periods.indices {
            var before = periods[index].productId
            for info in infos where periods.lastBegun(at: info.signedDate) == index && info.autoRenewStatus != false {
                guard let product = info.autoRenewProductId, product != before else { continue }
                before = product
                // A return to the present product is not a change for which there could be evidence.
                if product == periods[index].productId { continue }
                found.append(
                    Appearance(
                        product: product, period: index, signedDate: info.signedDate, token: info.appAccountToken,
                        fulfilling: fulfilling(product, signedDate: info.signedDate, infos, periods)))
            }
        }
        for index in found.indices {
            guard let fulfilling = found[index].fulfilling else { continue }
            found[index].isOvertaken = found.dropFirst(index + 1).contains { $0.fulfilling == fulfilling }
        }
        return found
    }

    /// The next period, if it is a renewal of that product and the last renewal info before it does not contradict.
    private static func fulfilling(
        _ product: String, signedDate: Int64, _ infos: [OracleRenewalInfo], _ periods: [OraclePeriod]
    ) -> Int? {
        guard let index = periods.next(from: signedDate) else { return nil }
        let next = periods[index]
        guard next.beginning == .renewal, next.productId == product else { return nil }
        func isAgainst(_ info: OracleRenewalInfo) -> Bool {
            (info.autoRenewProductId ?? product) != product || info.autoRenewStatus == false
        }
        let words = infos.filter { $0.signedDate > signedDate && $0.signedDate < next.purchaseDate }
        let last = words.last { info in
            // Apple charges up to a day early: a contradiction in that time came after the charge.
            if isAgainst(info) { return info.signedDate < next.purchaseDate - day }
            return info.autoRenewProductId == product || info.autoRenewStatus == true
        }
        return last.map(isAgainst) == true ? nil : index
    }
}

extension Known {
    /// Whether the first operator's vote about a claim, cast after it, denies it (0023, 15).
    func isDenied(_ claim: String, after place: Int) -> Bool {
        for act in acts.dropFirst(place + 1) {
            guard case .vote(let vote) = act.delivery else { continue }
            switch vote.kind {
            case .approve(claim, byOwner: nil): return false
            case .deny(claim): return true
            default: continue
            }
        }
        return false
    }
}

extension Known.Act {
    /// Which subscription a claim or a reservation is about.
    var subscription: String? {
        switch delivery {
        case .claim(let it): it.originalTransactionId
        case .reservation(let it): it.originalTransactionId
        default: nil
        }
    }
}
