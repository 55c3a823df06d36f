/// A language in which the console can be read.
package enum Language: String, Sendable, Hashable, CaseIterable {
    case english = "en"
    case simplifiedChinese = "zh-Hans"
    /// English with other letters, a third longer: what still reads as English was said past the words. For tests; nobody can
    /// choose it.
    case pseudo = "en-XA"

    /// The languages that an operator can choose.
    package static let offered: [Language] = [.english, .simplifiedChinese]

    /// The first language of a request that is offered, by its weights; English where none is.
    ///
    /// Source: RFC 9110, section 12.5.4 (`Accept-Language`).
    package init(accepting header: String?) {
        var best: (language: Language, weight: Int) = (.english, 0)
        for range in (header ?? "").split(separator: ",").prefix(20) {
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " } }
            guard let tag = parts.first?.lowercased(), let language = Self.offered(tag) else { continue }
            let weight = parts.dropFirst().lazy.compactMap { Self.weight($0) }.first ?? 1000
            if weight > best.weight { best = (language, weight) }
        }
        self = best.language
    }

    private static func offered(_ tag: String) -> Language? {
        if tag == "en" || tag.hasPrefix("en-") { return .english }
        // Traditional characters are other words; who wants them reads English for now.
        guard tag == "zh" || tag.hasPrefix("zh-") else { return nil }
        return ["hant", "-tw", "-hk", "-mo"].contains { tag.contains($0) } ? nil : .simplifiedChinese
    }

    /// Thousandths.
    private static func weight(_ text: String) -> Int? {
        guard text.hasPrefix("q=") else { return nil }
        let digits = text.dropFirst(2).prefix(5)
        if digits == "1" || digits.hasPrefix("1.") { return 1000 }
        guard digits.hasPrefix("0.") else { return 0 }
        let thousandths = digits.dropFirst(2) + String(repeating: "0", count: max(0, 5 - digits.count))
        return Int(thousandths) ?? 0
    }
}

/// A text of ours in one language: it was made from words, and from nothing else.
package struct Said: Sendable, Hashable {
    /// The text; data in it stands between FSI and PDI (Unicode Standard Annex 9), so that it has its own direction.
    package let text: String

    fileprivate init(_ text: String) { self.text = text }
}

/// Texts of ours, as cases with their arguments. One function for each language switches over all of them, so that a text that is
/// missing does not compile.
package protocol Words: Sendable {
    var english: String { get }
    var chinese: String { get }
}

extension Language {
    /// The words in this language.
    package func say(_ words: some Words) -> Said {
        switch self {
        case .english: Said(words.english)
        case .simplifiedChinese: Said(words.chinese)
        case .pseudo: Said(Pseudo.said(words.english))
        }
    }
}

/// English that nobody takes for English.
enum Pseudo {
    private static let letters: [Character: Character] = [
        "a": "å", "e": "é", "i": "î", "o": "ø", "u": "ü", "y": "ý", "n": "ñ", "s": "š", "c": "ç", "r": "ř", "t": "ţ", "l": "ļ",
        "d": "đ", "g": "ğ", "h": "ĥ", "k": "ķ", "b": "ƀ", "p": "þ", "m": "ɱ", "w": "ŵ", "v": "ṽ", "f": "ƒ", "z": "ž", "j": "ĵ",
        "x": "ẋ", "q": "ɋ",
    ]

    static func said(_ english: String) -> String {
        let changed = String(english.map { letters[$0] ?? $0 })
        return "[\(changed)\(String(repeating: "·", count: english.count / 3))]"
    }
}
