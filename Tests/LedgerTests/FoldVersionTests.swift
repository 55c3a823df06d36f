import Foundation
import Ledger
import Primitives
import Testing

/// Compares docs/fold-versions.md with the code: a change that derives something else from the same history must change the
/// version, so that stored results are known to be outdated and are folded again.
@Suite struct `The version of the fold` {
    /// FNV-1a, 64 bits: enough to see a change, and the rules import no cryptography.
    private struct Digest {
        private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

        mutating func add(_ text: String) {
            for byte in text.utf8 { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        }

        var text: String { String(value, radix: 16) }
    }

    private struct Row: Equatable {
        let version: Int64
        let histories: String
        let states: String
    }

    /// The rows of the page's table.
    private func rows() throws -> [Row] {
        let page = try String(contentsOf: Project.root.appendingPathComponent("docs/fold-versions.md"), encoding: .utf8)
        return page.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
            guard cells.count >= 3, let version = Int64(cells[0]) else { return nil }
            return Row(version: version, histories: cells[1], states: cells[2])
        }
    }

    /// 240 random lives under all pairs of policies for purchases and restores: what is told of them, and what the rules derive
    /// from that.
    private func folded() async throws -> Row {
        var (histories, states) = (Digest(), Digest())
        for seed in UInt64(1)...240 {
            await Task.yield()
            var policy = AppPolicy()
            policy.onPurchase = PurchasePolicy.allCases[Int(seed) % PurchasePolicy.allCases.count]
            policy.onRestore = RestorePolicy.allCases[Int(seed) % RestorePolicy.allCases.count]
            var history = SubscriptionHistory(key: key)
            for input in Life(seed: seed).inputs {
                _ = history.record(input)
                histories.add(CanonicalText.of(input))
            }
            states.add(CanonicalText.of(SubscriptionState(folding: history, under: policy)))
        }
        return Row(version: SubscriptionState.foldVersion, histories: histories.text, states: states.text)
    }

    @Test func `a change of what the rules make of a history raises the version`() async throws {
        let (rows, now) = (try rows(), try await folded())
        let last = try #require(rows.last)
        let line = "| \(now.version) | `\(now.histories)` | `\(now.states)` |"
        if now.histories == last.histories, now.states != last.states {
            #expect(
                now.version == last.version + 1,
                "The same histories fold to something else: raise SubscriptionState.foldVersion to \(last.version + 1).")
        }
        #expect(now == last, "docs/fold-versions.md must end with: \(line), and say what changed.")
        #expect(zip(rows, rows.dropFirst()).allSatisfy { $0.version <= $1.version }, "versions go up")
        for (before, after) in zip(rows, rows.dropFirst()) where before.version == after.version {
            #expect(before.histories != after.histories, "version \(after.version) has two folds of the same histories")
        }
    }
}

/// A text that two values share only where they are of the same cases and hold the same, member for member in their order.
private enum CanonicalText {
    static func of(_ value: Any) -> String {
        // Many periods share one fact: the text is the fact's, not of how it is shared.
        if let kept = value as? KeptTransaction { return of(kept.fact) }
        let mirror = Mirror(reflecting: value)
        // What a state repeats of the policy is not made of the history.
        let children = mirror.children.filter { !(value is SubscriptionState && $0.label == "keepsCredits") }
        let parts = children.map { of($0.value) }
        switch mirror.displayStyle {
        case .none: return String(reflecting: value)
        case .set, .dictionary: return "{\(parts.sorted().joined(separator: ","))}"
        // A case without a payload has no children.
        case .enum: return ".\(mirror.children.first?.label ?? "\(value)")(\(parts.joined(separator: ",")))"
        default: return "(\(parts.joined(separator: ",")))"
        }
    }
}
