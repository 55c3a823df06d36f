package import Primitives

/// Whether a customer may use one entitlement at one instant, since when and until when, and what that rests on (ENT-1).
package struct EntitlementAnswer: Sendable, Hashable {
    /// Nil for the answer over all entitlements together.
    package let entitlement: EntitlementID?
    package let at: Timestamp
    package let isActive: Bool
    /// Start of the present window; of the last one if there is none now; nil if there never was one.
    package let start: Timestamp?
    /// End of that window; nil if it does not end, or if there never was one.
    package let end: Timestamp?
    /// The window rests on late news (ENT-6) at the instant.
    package let isProvisional: Bool
    package let restsOn: Source?
    /// Nil where Apple has not said, or where nothing is active.
    package let renews: Bool?
    package let renewsInto: ProductID?
    /// Whether the window ends where something ends that was paid for and is set to renew: what follows may be on its way.
    let endIsSetToRenew: Bool
    /// Whether the customer has consented to a higher price: 0 not yet, 1 yes or not needed; nil where there is none, or nothing
    /// is active.
    package let priceIncreaseStatus: Int64?
    /// Why the window ended; nil while it is open.
    package let endedBecause: AccessSpan.End?
    /// Why the subscription did not renew, as Apple gave it (1 the customer turned it off, 2 billing, 3 no consent to a price, 4
    /// the product is gone, 5 another reason); nil while the window is open and where Apple gave none.
    package let expirationIntent: Int64?
    /// The first instant after `at` at which the answer can change without news; nil if none is known.
    package let nextChangeDate: Timestamp?

    /// By what right; anything but `paid` is labelled as such in every answer (I20).
    package enum Right: String, Sendable, Hashable {
        /// Bought or given by the App Store, trials among it.
        case paid
        /// ENT-7: Apple signed a billing grace period.
        case gracePeriod
        /// ENT-6: late news; Apple has said nothing yet about what should have renewed.
        case provisional
        /// ENT-3, PER-9: what is left of time that adds up.
        case balance
        /// ENT-9: an operator granted it.
        case granted

        init(_ kind: AccessSpan.Kind) {
            self =
                switch kind {
                case .paid: .paid
                case .gracePeriod: .gracePeriod
                case .provisional: .provisional
                }
        }
    }

    package struct Source: Sendable, Hashable {
        package let right: Right
        /// Nil for a grant, and for a balance to which only other sources added.
        package let originalTransactionId: OriginalTransactionID?
        /// Nil for a grant, and for a balance to which only other sources added.
        package let productId: ProductID?
        /// The vote that granted it; nil for anything else.
        package let vote: ID<VoteEvidence>?

        init(_ stretch: Stretch) {
            right = stretch.right
            originalTransactionId = stretch.holding?.originalTransactionId
            productId = stretch.productId
            vote = stretch.vote
        }
    }
}

/// All answers about one customer at one instant.
package struct CustomerAnswer: Sendable, Hashable {
    package let at: Timestamp
    /// Over everything that gives any entitlement: the one Bool and the two timestamps.
    package let overall: EntitlementAnswer
    /// Sorted by entitlement; one for each that the app knows.
    package let entitlements: [EntitlementAnswer]

    /// - Parameters:
    ///   - account: what was decided about the customer beside Apple's facts; nil where nothing
    ///     was.
    ///   - heard: what Apple signed later about renewals is not heard; by default the instant itself, so that an answer for the
    /// past speaks of the past (ENT-11). A question about now hears everything.
    package init(
        at instant: Timestamp, holdings: [Holding], account: CustomerAccount? = nil, map: EntitlementMap, heard: Timestamp? = nil
    ) {
        let heard = heard ?? instant
        at = instant
        let times = EntitlementAnswer.Times(asked: instant, heard: heard)
        var all: [Stretch] = []
        var held: [[TimeWindow]] = []
        entitlements = map.entitlements.map { entitlement in
            let stretches = map.stretches(giving: entitlement, by: holdings, and: account)
            guard let account else {
                all += stretches
                return EntitlementAnswer(about: entitlement, at: times, stretches: stretches, holds: [])
            }
            let holds = account.holds(of: entitlement)
            all += holds.isEmpty ? stretches : stretches.flatMap { $0.removing(holds) }
            held.append(holds)
            return EntitlementAnswer(about: entitlement, at: times, stretches: stretches, holds: holds)
        }
        // Held is the whole customer only where every entitlement is.
        let heldEverywhere = held.allSatisfy { holds in holds.contains { $0.contains(instant) } } ? held.first ?? [] : []
        // A hold that begins while nothing is active changes why it is not, so all of them are announced.
        overall = EntitlementAnswer(
            about: nil, at: times, stretches: all, holds: heldEverywhere, announcing: held.flatMap { $0 })
    }
}

extension Stretch {
    /// What is left of it where nothing holds it (ENT-9).
    fileprivate func removing(_ holds: [TimeWindow]) -> [Stretch] {
        [window].removing(holds).map { Stretch(self, in: $0) }
    }

}

extension EntitlementAnswer {
    /// The instant asked about, and the one up to which Apple's words about renewals are heard.
    struct Times {
        let asked: Timestamp
        let heard: Timestamp
    }

    /// The answer from all stretches that give the entitlement; those that touch or overlap are one window, and what is held is
    /// in none (ENT-9). What may yet be given for want of news (ENT-6) belongs to no window before its time: until then the end
    /// is the one that Apple signed.
    ///
    /// - Parameter announced: the holds whose beginnings and ends can change the answer; nil where these are they.
    init(
        about entitlement: EntitlementID?, at times: Times, stretches: [Stretch], holds: [TimeWindow],
        announcing announced: [TimeWindow]? = nil
    ) {
        let instant = times.asked
        let sorted = Self.inOrder(stretches, at: instant)
        let windows = [TimeWindow](joining: sorted.lazy.map(\.window)).removing(holds)
        let present = windows.first { $0.contains(instant) }
        let shown = present ?? windows.last { $0.from <= instant }
        let isHeld = holds.contains { $0.contains(instant) }
        let current = isHeld ? nil : Self.strongest(of: sorted, at: instant)
        let last = shown.flatMap { shown in
            sorted.last { $0.window.until == shown.until } ?? sorted.last { $0.from < shown.until ?? .latestAccepted }
        }
        self.entitlement = entitlement
        at = instant
        isActive = present != nil
        start = shown?.from
        end = shown?.until
        isProvisional = current?.right == .provisional
        restsOn = (current ?? last).map(Source.init)
        let word = current?.window.until == nil ? nil : current?.holding?.words.last(by: times.heard)
        renews = word?.autoRenewStatus
        renewsInto = renews == true ? word?.autoRenewProductId ?? current?.productId : nil
        // Where a grant ends the window, nothing follows.
        endIsSetToRenew = last.map { $0.window.until == present?.until && $0.isSetToRenew(by: times.heard) } ?? false
        priceIncreaseStatus = word?.priceIncreaseStatus
        let reason: AccessSpan.End? =
            present != nil ? nil : isHeld || sorted.contains { $0.isCutShort(at: shown?.until) } ? .held : last?.endsBecause
        endedBecause = reason
        expirationIntent = reason?.isEndOfRenewal == true ? last?.holding?.words.last(by: times.heard)?.expirationIntent : nil
        // What is signed later changes what is said of later instants.
        let words = stretches.lazy.flatMap { $0.holding?.words ?? [] }.map(\.from).filter { $0 > times.heard }
        nextChangeDate = Self.nextBoundary(after: instant, of: stretches.lazy.map(\.window), announced ?? holds, words)
    }

    /// Without what is given for want of news later than the instant; by time. Most customers have one stretch, or all in order.
    private static func inOrder(_ stretches: [Stretch], at instant: Timestamp) -> [Stretch] {
        func counts(_ stretch: Stretch) -> Bool { stretch.right != .provisional || stretch.from <= instant }
        let isInOrder = stretches.indices.dropFirst().allSatisfy { !stretches[$0].precedes(stretches[$0 - 1]) }
        if isInOrder, stretches.allSatisfy(counts) { return stretches }
        return stretches.filter(counts).sorted { $0.precedes($1) }
    }

    /// On which of the stretches of the instant the answer rests.
    private static func strongest(of stretches: [Stretch], at instant: Timestamp) -> Stretch? {
        var strongest: Stretch?
        for stretch in stretches where stretch.window.contains(instant) {
            if strongest.map(stretch.outranks) ?? true { strongest = stretch }
        }
        return strongest
    }

    /// An answer is a step function of the instant: it changes where a stretch or a hold begins or ends, where Apple says
    /// something else of the next renewal, and nowhere else.
    private static func nextBoundary(
        after instant: Timestamp, of windows: some Sequence<TimeWindow>, _ holds: [TimeWindow], _ words: some Sequence<Timestamp>
    ) -> Timestamp? {
        var next: Timestamp?
        func consider(_ boundary: Timestamp?) {
            guard let boundary, boundary > instant else { return }
            next = next.map { min($0, boundary) } ?? boundary
        }
        for window in windows {
            consider(window.from)
            consider(window.until)
        }
        for hold in holds {
            consider(hold.from)
            consider(hold.until)
        }
        for word in words { consider(word) }
        return next
    }
}

extension Stretch {
    /// Whether it would last beyond the end of a window, so that a hold ended the window there (ENT-9).
    fileprivate func isCutShort(at end: Timestamp?) -> Bool {
        guard let end else { return false }
        return window.contains(end) || (window.until == end && endsBecause == .held)
    }

    /// Whether it ends where a paid period does, and Apple last said that another follows.
    fileprivate func isSetToRenew(by instant: Timestamp) -> Bool {
        switch endsBecause {
        case .expired, .balanceUsed: break
        case .replaced, .refunded, .familySharingStopped, .assignmentRevoked, .graceOver, .noNewsFromApple, .ownershipMoved,
            .grantEnded, .held:
            return false
        }
        return holding?.words.last(by: instant)?.autoRenewStatus == true
    }
}

extension AccessSpan.End {
    /// Whether it ended because it did not renew, for which Apple may have given a reason.
    fileprivate var isEndOfRenewal: Bool {
        switch self {
        case .expired, .graceOver, .noNewsFromApple: true
        case .replaced, .refunded, .familySharingStopped, .assignmentRevoked, .ownershipMoved, .balanceUsed, .grantEnded, .held:
            false
        }
    }
}
