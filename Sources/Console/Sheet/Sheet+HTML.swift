import Ledger
import Primitives

extension Sheet: PageModel {
    package func title(_ speech: Speech) -> Said { speech.say(heading) }

    package func write(to html: inout HTML, _ frame: Frame) {
        for block in blocks { block.write(to: &html, frame) }
    }
}

extension Block {
    fileprivate func write(to html: inout HTML, _ frame: Frame) {
        switch self {
        case .paragraph(let words): html.element(.p, say: frame.say(words))
        case .notice(let words): html.element(.p, .class("notice"), say: frame.say(words))
        case .facts(_, let fields):
            html.facts { html in
                for field in fields where !field.value.isNone {
                    html.fact(frame.say(field.name)) { field.value.write(to: &$0, frame) }
                }
            }
        case .table(let table): table.write(to: &html, frame)
        case .part(let id, let heading, let blocks):
            html.part(id, frame.say(heading)) { html in for block in blocks { block.write(to: &html, frame) } }
        case .explanation(let lines): Self.write(lines, to: &html, frame)
        case .drawing(let drawing): drawing.write(to: &html, frame)
        case .form(let form): form.write(to: &html, frame)
        case .text(_, let heading, let text):
            html.element(.p, say: frame.say(heading))
            html.element(.pre, .fixed("tabindex", "0"), .fixed("dir", "ltr"), .say(.label, frame.say(heading))) {
                $0.data(text)
            }
        case .folded(let words, let blocks):
            html.element(.details) { html in
                html.element(.summary, say: frame.say(words))
                for block in blocks { block.write(to: &html, frame) }
            }
        case .list(_, let cells):
            guard !cells.isEmpty else { break }
            html.element(.ul) { html in
                for cell in cells { html.element(.li) { cell.write(to: &$0, frame) } }
            }
        case .inEveryLanguage(_, let words):
            for language in Language.offered {
                html.element(.p, .data(.lang, language.rawValue)) { $0.say(language.say(words)) }
            }
        case .more(let words, let page, _), .link(let words, let page):
            html.element(.p) { $0.link(frame.here(page), say: frame.say(words), frame) }
        }
    }

    private static func write(_ lines: [ExplanationLine], to html: inout HTML, _ frame: Frame) {
        html.element(.ol, .class("story")) { html in
            for line in lines {
                html.element(.li) { html in
                    html.element(.bdi) { $0.say(frame.say(StoryWords.line(line))) }
                    html.fixed(" (")
                    html.rules(line.rules, frame)
                    html.fixed(")")
                }
            }
        }
    }
}

extension SheetTable {
    fileprivate func write(to html: inout HTML, _ frame: Frame) {
        guard !rows.isEmpty else { return html.empty(frame.say(empty)) }
        html.table(frame.say(caption), columns.map { frame.say($0.heading) }, rows) { row, cells in
            for cell in cells { row.cell { cell.write(to: &$0, frame) } }
        }
    }
}

extension Cell {
    var isNone: Bool {
        switch self {
        case .none: true
        case .list(let cells), .phrase(let cells): cells.isEmpty
        default: false
        }
    }

    func write(to html: inout HTML, _ frame: Frame) {
        switch self {
        case .none: break
        case .data(let text): html.data(text)
        case .said(_, let words): html.say(frame.say(words))
        case .badge(let tone, _, let words): html.badge(tone.className, frame.say(words))
        case .number(let number): html.say(frame.say(NumberWords.number(frame.speech.number(number))))
        case .instant(let instant): html.time(instant, frame)
        case .end(let instant): html.time(instant, or: TimeWords.doesNotEnd, frame)
        case .until(let instant): html.time(instant, or: TimeWords.still, frame)
        case .money(let amount, let currency):
            html.say(frame.say(NumberWords.money(frame.speech.money(amount, currency))))
        case .length(let length): html.say(frame.say(NumberWords.length(frame.speech.duration(length))))
        case .customer(let id): html.customer(id, frame)
        case .subscription(let id): html.subscription(id, frame)
        case .rule(let id): html.rule(id, frame)
        case .list(let cells): Self.write(cells, between: ", ", to: &html, frame)
        case .phrase(let cells): Self.write(cells, between: " ", to: &html, frame)
        case .link(let page, let cell): html.link(frame.here(page), frame) { cell.write(to: &$0, frame) }
        }
    }

    private static func write(_ cells: [Cell], between: StaticString, to html: inout HTML, _ frame: Frame) {
        for (index, cell) in cells.enumerated() {
            if index > 0 { html.fixed(between) }
            cell.write(to: &html, frame)
        }
    }
}

extension Cell.Tone {
    fileprivate var className: StaticString {
        switch self {
        case .good: "badge good"
        case .calm: "badge"
        case .warn: "badge warn"
        case .bad: "badge bad"
        }
    }
}

extension SheetForm {
    fileprivate func write(to html: inout HTML, _ frame: Frame) {
        guard let route = frame.here(target), frame.visitor.may(route) else { return }
        html.element(
            .form, .class("ask"), .fixed("method", isPost ? "post" : "get"), .action(frame.site.address(of: route))
        ) { html in
            if isPost { html.formToken(frame) }
            for field in fields {
                html.element(.p) { html in
                    html.element(.label) { html in
                        html.element(.span, say: frame.say(field.label))
                        html.fixed(" ")
                        field.write(to: &html, frame)
                    }
                    if let hint = field.hint {
                        html.fixed(" ")
                        html.element(.small, say: frame.say(hint))
                    }
                }
            }
            html.element(.button, .fixed("type", "submit"), say: frame.say(button))
        }
    }
}

extension SheetForm.Input {
    fileprivate func write(to html: inout HTML, _ frame: Frame) {
        switch kind {
        case .line(let text):
            html.void(
                .input, .fixed("type", "text"), .fixed("name", name), .data(.value, text), .fixed("dir", "auto"),
                .fixed("spellcheck", "false"))
        case .longText:
            html.element(
                .textarea, .fixed("name", name), .fixed("rows", "6"), .fixed("spellcheck", "false"), .fixed("dir", "ltr"),
                .flag(.required)
            ) { _ in }
        case .instant(let instant):
            // As text and not as a date of the browser's: that one has no zone.
            html.void(
                .input, .fixed("type", "text"), .fixed("name", name), .data(.value, instant.map { "\($0)" } ?? ""),
                .fixed("inputmode", "numeric"), .data(.placeholder, "2026-11-22T07:03:00Z"))
        case .choice(let choices, let chosen):
            html.element(.select, .fixed("name", name)) { html in
                for choice in choices {
                    let isChosen = choice.value == (chosen ?? "")
                    html.element(.option, .data(.value, choice.value), .flag(.selected, isChosen)) {
                        $0.say(frame.say(choice.words))
                    }
                }
            }
        }
    }
}

/// Numbers, as ``Speech`` writes them.
enum NumberWords: Words {
    case number(String)
    case money(String)
    case length(String)

    var english: String {
        switch self {
        case .number(let text), .money(let text), .length(let text): text
        }
    }

    var chinese: String { english }
}

/// The lines of an explanation.
enum StoryWords: Words {
    case line(ExplanationLine)

    var english: String {
        switch self {
        case .line(let line): Explanation.englishSentence(line)
        }
    }

    var chinese: String {
        switch self {
        case .line(let line): Explanation.chineseSentence(line)
        }
    }
}
