import Ledger
import Primitives
import Testing

@testable import Console

@Suite struct `How things are said` {
    private static let instant = Timestamp(millisecondsSince1970: 1_795_330_980_000)  // 2026-11-22T07:03:00Z, by date(1).

    @Test func `instants have their zone, in both languages`() {
        #expect(Speech(.english).instant(Self.instant) == "2026-11-22 07:03 UTC")
        #expect(Speech(.simplifiedChinese).instant(Self.instant) == "2026年11月22日 07:03 UTC")
        #expect(Speech(.english, .pacific).instant(Self.instant) == "2026-11-21 23:03 PST")
    }

    /// Energy Policy Act of 2005, section 110; the Sundays of 2026 are 8 March and 1 November.
    @Test(arguments: [
        ("2026-03-08T09:59:59Z", "2026-03-08 01:59 PST"), ("2026-03-08T10:00:00Z", "2026-03-08 03:00 PDT"),
        ("2026-11-01T08:59:59Z", "2026-11-01 01:59 PDT"), ("2026-11-01T09:00:00Z", "2026-11-01 01:00 PST"),
        ("2006-07-01T00:00:00Z", "2006-06-30 16:00 PST"),
    ])
    func `Apple's zone has summer time`(utc: String, shown: String) throws {
        #expect(Speech(.english, .pacific).instant(try #require(Timestamp(rfc3339: utc))) == shown)
    }

    @Test(
        arguments: [
            (12_000, "CNY", "¥12.00 \u{2068}CNY\u{2069}"), (9_990, "USD", "$9.99 \u{2068}USD\u{2069}"),
            (1_200_000, "JPY", "¥1,200 \u{2068}JPY\u{2069}"), (1_500, "JPY", "¥1.5 \u{2068}JPY\u{2069}"),
            (-4_995, "EUR", "-€4.995 \u{2068}EUR\u{2069}"), (1_234, "KWD", "1.234 \u{2068}KWD\u{2069}"),
            (0, "XYZ", "0.00 \u{2068}XYZ\u{2069}"),
        ] as [(Int64, String, String)])
    func `money has its code, and nothing of it is rounded`(milliunits: Int64, currency: String, shown: String) {
        #expect(Speech(.english).money(Milliunits(milliunits), currency) == shown)
    }

    @Test func `numbers are grouped, and the least and the greatest can be said`() {
        let speech = Speech(.english)
        #expect(speech.number(1_234_567) == "1,234,567" && speech.number(-1000) == "-1,000" && speech.number(0) == "0")
        #expect(speech.number(Int64.min) == "-9,223,372,036,854,775,808")
        #expect(speech.money(Milliunits(.min), "USD").contains("9,223,372,036,854,775.808"))
        #expect(speech.duration(Milliseconds(.min)).contains("days"))
    }

    @Test func `lengths of time are told in two units`() {
        let length = Milliseconds(((24 + 1) * 3600 + 120) * 1000)
        #expect(Speech(.english).duration(length) == "1 day 1 hour")
        #expect(Speech(.simplifiedChinese).duration(length) == "1 天 1 小时")
        #expect(Speech(.english).duration(Milliseconds(900)) == "0 seconds")
    }

    @Test func `a mark of direction in data cannot end its isolation`() {
        #expect(Speech.isolated("a\u{2069}\u{202E}b") == "\u{2068}a\u{FFFD}\u{FFFD}b\u{2069}")
    }

    /// RFC 9110, section 12.5.4.
    @Test(
        arguments: [
            (nil, Language.english), ("zh-CN,zh;q=0.9,en;q=0.8", .simplifiedChinese), ("en-GB, zh;q=0.5", .english),
            ("zh-TW,zh-Hant;q=0.9", .english), ("de, fr;q=0.9", .english), ("en;q=0.1, zh-Hans;q=0.95", .simplifiedChinese),
            ("zh;q=0, en;q=0.001", .english), (";;,,q=", .english),
        ] as [(String?, Language)])
    func `the language that a browser prefers is chosen among those that are offered`(header: String?, language: Language) {
        #expect(Language(accepting: header) == language)
    }

    @Test func `the language of tests is offered to nobody`() {
        #expect(Language.offered == [.english, .simplifiedChinese])
    }
}

@Suite struct `An explanation in Chinese` {
    private static let june = PretendAppStore.june

    private func line(_ statement: ExplanationLine.Statement, until: Timestamp? = nil) -> String {
        let line = ExplanationLine(
            at: until.map { .stretch(from: Self.june, until: $0) } ?? .instant(Self.june), rules: [.period], statement)
        return Explanation.chineseSentence(line)
    }

    @Test func `says when, what and why with Apple's terms`() {
        #expect(line(.change(.renewalOn)) == "2026年6月1日 00:00 UTC，重新开启了自动续订。")
        #expect(
            line(.billing(.graceBegan(until: Self.june.adding(.days(6)))))
                == "2026年6月1日 00:00 UTC，Apple 设定了宽限期：期间该订阅继续提供访问权限，至 2026年6月7日 00:00 UTC。")
        #expect(
            line(.outlook(.standing(.retry, Ledger.ProductID("plus"), owner: CustomerID("alice"))))
                == "截至 2026年6月1日 00:00 UTC，plus（归 alice 所有）目前无效：Apple 未能为续订扣款，仍在重试扣款。")
        #expect(
            line(.ownership(.owner(CustomerID("bob"), .reserved, .version(2))), until: Self.june.adding(.days(1)))
                == "从 2026年6月1日 00:00 UTC 至 2026年6月2日 00:00 UTC，该订阅归 bob 所有，因为它是为 bob 预留的。依据 App 策略的第 2 版。")
    }
}
