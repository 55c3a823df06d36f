import Primitives
import StrictJSON

/// All rules, each a link.
struct RulesModel: PageModel {
    let rules: [RulePage]

    func title(_ speech: Speech) -> Said { speech.say(RuleWords.all) }

    func write(to html: inout HTML, _ frame: Frame) {
        html.element(.p, say: frame.say(RuleWords.language))
        html.table(frame.say(RuleWords.all), [frame.say(RuleWords.id), frame.say(RuleWords.text)], rules) { row, rule in
            row.cell { $0.rule(rule.id, frame) }
            row.cell { RuleModel.write(rule.text(for: frame.speech.language), in: .span, to: &$0, frame) }
        }
    }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("rules") { json in
                json.array { json in for rule in rules { RuleModel(rule: rule).write(to: &json) } }
            }
        }
    }
}

/// One rule, with links to those that it names.
struct RuleModel: PageModel {
    let rule: RulePage

    func title(_ speech: Speech) -> Said { speech.say(RuleWords.title(rule.id)) }

    func write(to html: inout HTML, _ frame: Frame) {
        let text = rule.text(for: frame.speech.language)
        html.element(.p, .class("where"), .data(.lang, text.language.rawValue)) { html in
            html.element(.bdi) { $0.bareData(text.section) }
        }
        if !rule.isBuilt { html.element(.p, .class("notice"), say: frame.say(RuleWords.later)) }
        Self.write(text, in: .p, to: &html, frame)
        if text.language != rule.english.language {
            html.element(.details) { html in
                html.element(.summary, say: frame.say(RuleWords.inEnglish))
                Self.write(rule.english, in: .p, to: &html, frame)
            }
        }
        html.element(.p, say: frame.say(RuleWords.language))
        html.element(.p) { $0.link(.rules, say: frame.say(RuleWords.toAll), frame) }
    }

    /// `section` and `text` are those that count, in English; a translation is a member of its language's tag.
    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("id", rule.id)
            json.member("section", rule.english.section)
            json.member("isBuilt", rule.isBuilt)
            json.member("text", rule.english.words)
            guard let chinese = rule.chinese else { return }
            json.member("zh-Hans") { json in
                json.object { json in
                    json.member("section", chinese.section)
                    json.member("text", chinese.words)
                }
            }
        }
    }

    /// The text, with code between grave accents, emphasis between asterisks, and each id of a rule as a link.
    static func write(_ text: RulePage.Text, in tag: HTMLTag, to html: inout HTML, _ frame: Frame) {
        html.element(tag, .data(.lang, text.language.rawValue)) { html in
            for (index, part) in text.words.split(separator: "`", omittingEmptySubsequences: false).enumerated() {
                let isCode = index % 2 == 1
                if isCode, RulePages.page(of: String(part)) == nil {
                    html.element(.code) { $0.bareData(String(part)) }
                } else {
                    prose(part, to: &html, frame)
                }
            }
        }
    }

    /// Text in which each id of a rule is a link; what stands between two links is written at once.
    private static func prose(_ text: Substring, to html: inout HTML, _ frame: Frame) {
        var (plain, word) = ("", "")
        for character in text where character != "*" {
            if character.isASCII, character.isLetter || character.isNumber || character == "-" {
                word.append(character)
                continue
            }
            finish(&word, &plain, to: &html, frame)
            plain.append(character)
        }
        finish(&word, &plain, to: &html, frame)
        html.bareData(plain)
    }

    private static func finish(_ word: inout String, _ plain: inout String, to html: inout HTML, _ frame: Frame) {
        if RulePages.page(of: word) != nil {
            html.bareData(plain)
            plain = ""
            html.rule(word, frame)
        } else {
            plain += word
        }
        word = ""
    }
}

/// Texts of the pages of rules.
enum RuleWords: Words {
    case all, id, text, later, toAll, language, inEnglish
    case title(String)

    var english: String {
        switch self {
        case .all: "Rules"
        case .id: "Rule"
        case .text: "What it says"
        case .later: "This rule is decided and not in the code yet."
        case .toAll: "All rules"
        case .language: "Every decision that this console shows names the rule that made it."
        case .inEnglish: "In English"
        case .title(let id): "Rule \(Speech.isolated(id))"
        }
    }

    var chinese: String {
        switch self {
        case .all: "规则"
        case .id: "规则"
        case .text: "内容"
        case .later: "此规则已定，尚未实现。"
        case .toAll: "全部规则"
        case .language: "本控制台显示的每个决定都注明其依据的规则。中文为译文；与英文不一致时，以英文为准。"
        case .inEnglish: "英文原文"
        case .title(let id): "规则 \(Speech.isolated(id))"
        }
    }
}
