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
            row.cell { RuleModel.write(rule.text, to: &$0, frame) }
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
        html.element(.p, .class("where"), .fixed("lang", "en")) { html in
            html.element(.bdi) { $0.bareData(rule.section) }
        }
        if !rule.isBuilt { html.element(.p, .class("notice"), say: frame.say(RuleWords.later)) }
        html.element(.p, .fixed("lang", "en")) { Self.write(rule.text, to: &$0, frame) }
        html.element(.p, say: frame.say(RuleWords.language))
        html.element(.p) { $0.link(.rules, say: frame.say(RuleWords.toAll), frame) }
    }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("id", rule.id)
            json.member("section", rule.section)
            json.member("isBuilt", rule.isBuilt)
            json.member("text", rule.text)
        }
    }

    /// The text, with code between grave accents, emphasis between asterisks, and each id of a rule as a link.
    static func write(_ text: String, to html: inout HTML, _ frame: Frame) {
        html.element(.span, .fixed("lang", "en")) { html in
            for (index, part) in text.split(separator: "`", omittingEmptySubsequences: false).enumerated() {
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
    case all, id, text, later, toAll, language
    case title(String)

    var english: String {
        switch self {
        case .all: "Rules"
        case .id: "Rule"
        case .text: "What it says"
        case .later: "This rule is decided and not in the code yet."
        case .toAll: "All rules"
        case .language: "Every decision that this console shows names the rule that made it. The rules are written in English."
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
        case .language: "本控制台显示的每个决定都注明其依据的规则。规则正文为英文。"
        case .title(let id): "规则 \(Speech.isolated(id))"
        }
    }
}
