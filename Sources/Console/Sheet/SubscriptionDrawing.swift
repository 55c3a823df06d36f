import Ledger
import Primitives

/// A subscription on a time axis: its periods as bars, under them its owners, above them marks. It shows what the tables beside
/// it say, and nothing more. The same values give the same bytes.
struct SubscriptionDrawing: Sendable {
    let bars: [Bar]
    let owners: [OwnerBar]
    let marks: [Mark]
    let now: Timestamp

    struct Bar: Sendable {
        let from: Timestamp
        /// Nil: it does not end.
        let until: Timestamp?
        let kind: Kind

        enum Kind: String, Sendable, CaseIterable { case trial, offer, paid, grace, provisional, refunded, replaced }
    }

    struct OwnerBar: Sendable {
        let from: Timestamp
        let until: Timestamp?
        /// Nil: nobody.
        let customer: CustomerID?
    }

    /// A claim or a vote.
    struct Mark: Sendable {
        let at: Timestamp
        let isVote: Bool
    }

    /// In tenths of SVG's units.
    private static let (width, left, right) = (9600, 100, 100)
    /// So many of each are drawn at the most; the table has all.
    private static let most = 400

    private struct Axis {
        let from: Timestamp
        let length: Int64

        /// Where an instant is, in tenths.
        func place(_ instant: Timestamp) -> Int {
            let since = min(max(0, instant.since(from).count), length)
            let room = Int64(SubscriptionDrawing.width - SubscriptionDrawing.left - SubscriptionDrawing.right)
            // Seconds, so that no product is too great.
            return SubscriptionDrawing.left + Int((since / 1000) * room / max(1, length / 1000))
        }
    }

    private var axis: Axis? {
        let begins = bars.map(\.from) + owners.map(\.from) + marks.map(\.at)
        guard let first = begins.min() else { return nil }
        let ends = bars.compactMap(\.until) + owners.compactMap(\.until) + begins + [now]
        // No more than 30,000 years, so that no product below is too great.
        let length = min(max(1000, (ends.max() ?? now).since(first).count), 1_000_000_000_000_000)
        return Axis(from: first, length: length)
    }

    func write(to html: inout HTML, _ frame: Frame) {
        guard let axis else { return }
        html.element(.figure) { html in
            html.element(
                .svg, .class("life"), .fixed("viewBox", "0 0 960 130"), .fixed("role", "img"),
                .fixed("aria-labelledby", "life-title life-desc")
            ) { html in
                html.element(.title, .id("life-title"), say: frame.say(DrawingWords.title))
                html.element(.desc, .id("life-desc"), say: frame.say(description(frame)))
                write(bars, axis, to: &html)
                write(owners, axis, to: &html, frame)
                write(marks, axis, to: &html)
                write(axis, to: &html, frame)
            }
            html.element(.figcaption) { html in
                for kind in Set(bars.map(\.kind)).sorted(by: { $0.rawValue < $1.rawValue }) {
                    html.element(.span, .class(kind.legendClass), say: frame.say(DrawingWords.kind(kind)))
                    html.fixed(" ")
                }
            }
        }
    }

    private func description(_ frame: Frame) -> DrawingWords {
        .description(
            periods: frame.speech.number(bars.count), owners: frame.speech.number(Set(owners.compactMap(\.customer)).count),
            marks: frame.speech.number(marks.count))
    }

    private func write(_ bars: [Bar], _ axis: Axis, to html: inout HTML) {
        for stretch in stretches(of: bars, axis).suffix(Self.most) {
            html.element(
                .rect, .class(stretch.kind.className), .tenths("x", stretch.begin), .fixed("y", "38"),
                .tenths("width", stretch.end - stretch.begin), .fixed("height", "24")
            ) { _ in }
        }
    }

    /// Bars as they are drawn, in tenths.
    private struct Stretch {
        let kind: Bar.Kind
        let begin: Int
        var end: Int
        /// Whether it is made of bars that nobody could tell apart.
        let isNarrow: Bool
    }

    /// Bars of one kind that are narrower than this, and touch each other, are drawn as one: 500 days would be 500 elements of
    /// which nobody sees one.
    private static let narrow = 40

    private func stretches(of bars: [Bar], _ axis: Axis) -> [Stretch] {
        var stretches: [Stretch] = []
        for bar in bars {
            let begin = axis.place(bar.from)
            let end = max(begin + 10, bar.until.map { axis.place($0) } ?? Self.width - Self.right)
            let isNarrow = end - begin < Self.narrow
            let before = stretches.lastIndex { $0.kind == bar.kind }
            if let before, isNarrow, stretches[before].isNarrow,
                (stretches[before].begin...stretches[before].end + 1).contains(begin)
            {
                stretches[before].end = max(stretches[before].end, end)
            } else {
                stretches.append(Stretch(kind: bar.kind, begin: begin, end: end, isNarrow: isNarrow))
            }
        }
        return stretches
    }

    private func write(_ owners: [OwnerBar], _ axis: Axis, to html: inout HTML, _ frame: Frame) {
        for (index, owner) in owners.suffix(Self.most).enumerated() {
            let (begin, end) = (axis.place(owner.from), owner.until.map { axis.place($0) } ?? Self.width - Self.right)
            html.element(
                .rect, .class(owner.customer == nil ? "owner none" : index % 2 == 0 ? "owner" : "owner next"),
                .tenths("x", begin), .fixed("y", "70"), .tenths("width", max(10, end - begin)), .fixed("height", "18")
            ) { _ in }
            // A name stands only where there is room for its beginning.
            guard end - begin > 600 else { continue }
            html.element(.text, .tenths("x", begin + 40), .fixed("y", "83")) { html in
                if let customer = owner.customer {
                    html.bareData(Speech.isolated(String(customer.rawValue.prefix((end - begin) / 80))))
                } else {
                    html.say(frame.say(DrawingWords.nobody))
                }
            }
        }
    }

    private func write(_ marks: [Mark], _ axis: Axis, to html: inout HTML) {
        for mark in marks.suffix(Self.most) {
            html.element(
                .circle, .class(mark.isVote ? "mark vote" : "mark"), .tenths("cx", axis.place(mark.at)), .fixed("cy", "24"),
                .fixed("r", "5")
            ) { _ in }
        }
    }

    private func write(_ axis: Axis, to html: inout HTML, _ frame: Frame) {
        let place = axis.place(now)
        html.element(
            .line, .class("now"), .tenths("x1", place), .fixed("y1", "10"), .tenths("x2", place), .fixed("y2", "96")
        ) { _ in }
        let end = axis.from.adding(Milliseconds(axis.length))
        html.element(.text, .class("tick"), .tenths("x", Self.left), .fixed("y", "116")) {
            $0.say(frame.say(TimeWords.instant(frame.speech.day(axis.from.utc.date))))
        }
        html.element(
            .text, .class("tick"), .tenths("x", Self.width - Self.right), .fixed("y", "116"), .fixed("text-anchor", "end")
        ) { $0.say(frame.say(TimeWords.instant(frame.speech.day(end.utc.date)))) }
    }
}

extension SubscriptionDrawing.Bar.Kind {
    fileprivate var className: StaticString {
        switch self {
        case .trial: "bar trial"
        case .offer: "bar offer"
        case .paid: "bar paid"
        case .grace: "bar grace"
        case .provisional: "bar provisional"
        case .refunded: "bar refunded"
        case .replaced: "bar replaced"
        }
    }

    fileprivate var legendClass: StaticString {
        switch self {
        case .trial: "key trial"
        case .offer: "key offer"
        case .paid: "key paid"
        case .grace: "key grace"
        case .provisional: "key provisional"
        case .refunded: "key refunded"
        case .replaced: "key replaced"
        }
    }
}

/// Texts of the drawing.
enum DrawingWords: Words {
    case title, nobody
    case description(periods: String, owners: String, marks: String)
    case kind(SubscriptionDrawing.Bar.Kind)

    var english: String {
        switch self {
        case .title: "Periods and owners over time"
        case .nobody: "no owner"
        case .description(let periods, let owners, let marks):
            "Bars for periods, and for what was kept beside them: \(periods). Owners below them: \(owners). Claims and votes as "
                + "dots above: \(marks). The tables below have the same."
        case .kind(.trial): "free trial"
        case .kind(.offer): "offer"
        case .kind(.paid): "paid"
        case .kind(.grace): "billing grace period"
        case .kind(.provisional): "kept for the time being"
        case .kind(.refunded): "refunded"
        case .kind(.replaced): "replaced"
        }
    }

    var chinese: String {
        switch self {
        case .title: "各周期与拥有者的时间轴"
        case .nobody: "无人拥有"
        case .description(let periods, let owners, let marks):
            "条形为周期及其间保留的时间：\(periods) 个。下方为拥有者：\(owners) 位。上方圆点为认领与裁决：\(marks) 个。下面的表格内容相同。"
        case .kind(.trial): "免费试用"
        case .kind(.offer): "优惠"
        case .kind(.paid): "付费"
        case .kind(.grace): "宽限期"
        case .kind(.provisional): "暂时保留"
        case .kind(.refunded): "已退款"
        case .kind(.replaced): "已被替换"
        }
    }
}
