import BenchmarkSamples
import Foundation
import Ledger
import Primitives
import Storage

/// First notifications of purchases that nobody owns, where their Apple Account has made more and more of them: the least such an
/// account may cost (OWN-14).
struct AccountFigures {
    let effort: Effort
    let kinds: [DatabaseKind]

    private var sizes: [Int] { effort.isSlice ? [10, 100] : [10, 1000, 10_000] }

    func measure() async throws -> [Figure] { try await kinds.figures { try await measure($0, $1) } }

    /// The accounts of one size, and what they buy next.
    private struct Accounts {
        let size: Int
        var purchases: [Life] = []
        var milliseconds: [Double] = []
    }

    private func measure(_ store: any Store, _ kind: DatabaseKind) async throws -> [Figure] {
        let (renewals, news) = (try Renewals(subscriptions: 0), effort.part(of: 400))
        let path = WritePath(store, renewals)
        var (number, account) = (0, 0)
        func bought(by account: Int) -> Life {
            number += 1
            return renewals.unowned(number, of: account)
        }
        var all: [Accounts] = []
        for size in sizes {
            // As many accounts as make the same number of purchases at each size, so that each grows by a hundredth at most.
            let count = max(1, news * 10 / size)
            let known = (0..<count).flatMap { index in (0..<size).map { _ in bought(by: account + index) } }
            try await store.fill(with: known, shownBy: renewals.samples)
            all.append(Accounts(size: size, purchases: (0..<news).map { bought(by: account + $0 % count) }))
            account += count
        }
        // In turns, so that what slows one down slows the others.
        for index in 0..<news {
            for place in all.indices {
                let request = try await path.request(try renewals.purchase(of: all[place].purchases[index]).body)
                let start = ContinuousClock.now
                try await path.keep([request])
                all[place].milliseconds.append((ContinuousClock.now - start).seconds * 1000)
            }
        }
        return figures(all, kind)
    }

    private func figures(_ all: [Accounts], _ kind: DatabaseKind) -> [Figure] {
        let least = all[0].milliseconds.median
        return all.map { accounts in
            let (median, p99) = (accounts.milliseconds.median, accounts.milliseconds.percentile(0.99))
            return Figure(
                name: "accounts, \(kind.rawValue): first notification, durable, of an account with \(accounts.size) unowned",
                unit: "ms", floor: least, ours: median, ratio: least / median, target: 0.67,
                remark: String(format: "p99 %.2f ms; the floor is that of an account with 10", p99))
        }
    }
}
