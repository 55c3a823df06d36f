package import Primitives

/// Time that adds up (ENT-3, ENT-4): credits are used one after the other, each in its place.
///
/// The place of a credit begins at its instant or, if that is later, at the end of the place before it; of credits of one instant
/// the one with the lower name comes first. What is returned of a credit shortens its place from the end, and later places move
/// up, none before its own instant. A return that is withdrawn is a place of its own from then on (ENT-5), since the days in
/// between are gone. Everything is computed anew from all credits that are known, so that late news gives what news in time
/// would have given.
package struct Balance: Sendable, Hashable {
    /// When there was anything left; by start, without gaps between two that touch.
    package private(set) var windows: [TimeWindow] = []
    /// The additions and the take-backs, in the order in which they counted; without take-backs of nothing.
    package private(set) var entries: [Entry] = []

    /// Until when the customer has paid; nil where they never did.
    package var paidThrough: Timestamp? { windows.last?.until }

    /// Time that was paid or given at once.
    package struct Credit: Sendable, Hashable {
        /// Its own: of credits of one instant the lower one is used first.
        package let name: ID<Credit>
        /// When it counts, on the clock of its source.
        package let at: Timestamp
        /// Positive; a credit of no time has no place.
        package let duration: Milliseconds
        /// The returns of it, in the order in which they were decided.
        package let returns: [Return]

        package init(name: ID<Credit>, at instant: Timestamp, duration: Milliseconds, returns: [Return] = []) {
            self.name = name
            at = instant
            self.duration = duration
            self.returns = returns
        }
    }

    /// Something of a credit that was given back to who paid it.
    package struct Return: Sendable, Hashable {
        /// When it counts; before the credit's own instant: at that.
        package let at: Timestamp
        /// How much at the most; nil where all was returned that lies after the instant. A switch of plan and a prorated refund
        /// return the rest by Apple's clock.
        package let most: Milliseconds?
        /// When it was withdrawn: what it took is given back then, and not for the days between. Nil where it stands.
        package let withdrawnAt: Timestamp?

        package init(at instant: Timestamp, most: Milliseconds? = nil, withdrawnAt: Timestamp? = nil) {
            at = instant
            self.most = most
            self.withdrawnAt = withdrawnAt
        }
    }

    /// One change of a balance.
    package struct Entry: Sendable, Hashable {
        package let credit: ID<Credit>
        package let at: Timestamp
        /// Positive for what was added, negative for what was taken back.
        package let change: Milliseconds
    }

    /// - Parameter credits: in any order; their names differ.
    package init(_ credits: [Credit]) {
        var line = Places()
        var taken: [Step.Name: Milliseconds] = [:]
        for step in Self.steps(of: credits) {
            let change: Milliseconds
            switch step.kind {
            case .added(let duration):
                change = duration
                line.append(change, of: step.name.credit, at: step.at)
            case .returned(let most):
                let part = line.take(upTo: most, of: step.name.credit, after: step.at)
                taken[step.name] = part
                change = Milliseconds(-part.count)
            case .withdrawn:
                change = taken[step.name] ?? Milliseconds(0)
                line.append(change, of: step.name.credit, at: step.at)
            }
            guard change.count != 0 else { continue }
            entries.append(Entry(credit: step.name.credit, at: step.at, change: change))
        }
        windows = [TimeWindow](joining: line.windows)
    }

    /// What happens to the places at an instant.
    private struct Step {
        enum Kind {
            case added(Milliseconds)
            case returned(upTo: Milliseconds?)
            case withdrawn

            /// At one instant what is added counts first, and nothing is given back before it was taken.
            var rank: Int {
                switch self {
                case .added: 0
                case .returned: 1
                case .withdrawn: 2
                }
            }
        }

        struct Name: Hashable {
            let credit: ID<Credit>
            /// Which of the credit's returns.
            let number: Int
        }

        let at: Timestamp
        let kind: Kind
        let name: Name

        static func isBefore(_ left: Step, _ right: Step) -> Bool {
            (left.at, left.kind.rank, left.name.credit, left.name.number)
                < (right.at, right.kind.rank, right.name.credit, right.name.number)
        }
    }

    private static func steps(of credits: [Credit]) -> [Step] {
        credits.flatMap { credit -> [Step] in
            guard credit.duration.count > 0 else { return [] }
            let added = Step(at: credit.at, kind: .added(credit.duration), name: .init(credit: credit.name, number: 0))
            return credit.returns.enumerated().reduce(into: [added]) { steps, item in
                let name = Step.Name(credit: credit.name, number: item.offset)
                let instant = max(item.element.at, credit.at)
                steps.append(Step(at: instant, kind: .returned(upTo: item.element.most), name: name))
                guard let withdrawnAt = item.element.withdrawnAt else { return }
                steps.append(Step(at: max(withdrawnAt, instant), kind: .withdrawn, name: name))
            }
        }.sorted(by: Step.isBefore)
    }
}

/// The places of all credits, one after the other.
private struct Places {
    private struct Place {
        let credit: ID<Balance.Credit>
        /// Before it the place never begins.
        let earliest: Timestamp
        var from: Timestamp
        var until: Timestamp
    }

    private var places: [Place] = []

    var windows: [TimeWindow] { places.filter { $0.from < $0.until }.map { TimeWindow(from: $0.from, until: $0.until) } }

    mutating func append(_ duration: Milliseconds, of credit: ID<Balance.Credit>, at instant: Timestamp) {
        let from = max(instant, places.last?.until ?? instant)
        places.append(Place(credit: credit, earliest: instant, from: from, until: from.adding(duration)))
    }

    /// What of a credit's places lies after the instant, from the end on; the places behind them move up.
    mutating func take(upTo most: Milliseconds?, of credit: ID<Balance.Credit>, after instant: Timestamp) -> Milliseconds {
        var taken: Int64 = 0
        for index in places.indices.reversed() where places[index].credit == credit {
            let place = places[index]
            let rest = max(place.until, instant).since(max(place.from, instant)).count
            let part = min(rest, (most?.count ?? .max) - taken)
            guard part > 0 else { continue }
            taken += part
            places[index].until = place.until.adding(Milliseconds(-part))
            moveUp(after: index)
        }
        return Milliseconds(taken)
    }

    private mutating func moveUp(after index: Int) {
        for later in places.indices[(index + 1)...] {
            let place = places[later]
            let from = max(place.earliest, places[later - 1].until)
            if from == place.from { return }
            places[later].from = from
            places[later].until = from.adding(place.until.since(place.from))
        }
    }
}

extension CreditedPeriod {
    /// What it adds to a balance and what of that was returned; nil where it has no time.
    ///
    /// - Parameter configured: how long a non-renewing subscription of this product lasts (PER-9); else Apple's dates count.
    func credit(named name: ID<Balance.Credit>, lasting configured: ProductDuration? = nil) -> Balance.Credit? {
        guard let end = configured.map({ $0.end(from: purchaseDate, quantity: quantity) }) ?? expiresDate, end > purchaseDate
        else { return nil }
        return Balance.Credit(
            name: name, at: purchaseDate, duration: end.since(purchaseDate),
            returns: returns.map { given in
                Balance.Return(at: given.at, most: most(of: given, until: end, configured), withdrawnAt: given.withdrawnAt)
            })
    }

    /// How much time a return takes at the most; nil where it takes all that is left.
    private func most(of given: PeriodReturn, until end: Timestamp, _ configured: ProductDuration?) -> Milliseconds? {
        switch given.part {
        case .whole: nil
        // ENT-4: max(0, expiresDate − max(purchaseDate, effective instant)).
        case .rest: max(end, given.at).since(max(purchaseDate, given.at))
        case .units(let units):
            // What Apple's dates end is one unit for all that they say.
            end.since(configured?.end(from: purchaseDate, quantity: max(1, quantity - units)) ?? end)
        }
    }
}
