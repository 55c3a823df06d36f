import Backend
import Primitives
import Testing

@testable import Console

@Suite struct `The drawing of a subscription` {
    private static let day: Int64 = 86_400_000

    /// Bars that touch each other, of so many days each.
    private func rectangles(days: [Int64], kind: SubscriptionDrawing.Bar.Kind = .paid) -> Int {
        var start = PretendAppStore.june
        let bars = days.map { length in
            let end = start.adding(Milliseconds(length * Self.day))
            defer { start = end }
            return SubscriptionDrawing.Bar(from: start, until: end, kind: kind)
        }
        let drawing = SubscriptionDrawing(bars: bars, owners: [], marks: [], now: PretendAppStore.june)
        let standing = Frame.Standing(now: PretendAppStore.june, isSimulated: false, version: "1.2.3", apps: [])
        let frame = Frame(
            site: .atRoot, visitor: .nobody, speech: Speech(.english, .utc), route: .rules, standing: standing)
        var html = HTML()
        drawing.write(to: &html, frame)
        return String(decoding: html.bytes, as: UTF8.self).components(of: "<rect")
    }

    @Test func `months are a bar each`() {
        #expect(rectangles(days: [30, 30, 30]) == 3)
    }

    /// Of 500 days in a picture of 940 units each has not two units.
    @Test func `days of years are drawn as one, since nobody could tell one from the next`() {
        #expect(rectangles(days: Array(repeating: 1, count: 500)) == 1)
    }

    @Test func `a day beside years stays a bar of its own`() {
        #expect(rectangles(days: [365, 1, 365]) == 3)
    }
}

extension String {
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
