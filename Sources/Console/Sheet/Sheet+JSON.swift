import Ledger
import Primitives
package import StrictJSON

/// A sheet for programs: one object, whose members are the keys of its blocks.
extension Sheet {
    package func write(to json: inout JSONWriter) {
        json.object { json in for block in blocks { block.write(to: &json) } }
    }
}

extension Block {
    fileprivate func write(to json: inout JSONWriter) {
        switch self {
        case .paragraph, .notice, .form, .link: break
        case .facts(let key, let fields):
            json.member(key) { json in
                json.object { json in for field in fields { json.member(field.key) { field.value.write(to: &$0) } } }
            }
        case .table(let table):
            json.member(table.key) { json in
                json.array { json in
                    for row in table.rows {
                        json.object { json in
                            for (column, cell) in zip(table.columns, row) { json.member(column.key) { cell.write(to: &$0) } }
                        }
                    }
                }
            }
        case .part(_, _, let blocks), .folded(_, let blocks): for block in blocks { block.write(to: &json) }
        case .explanation(let lines):
            json.member("explanation") { json in
                json.array { json in for line in lines { json.string(Explanation.english(line)) } }
            }
        case .drawing: break
        case .text(let key, _, let text): json.member(key, text)
        case .list(let key, let cells):
            json.member(key) { json in json.array { json in for cell in cells { cell.write(to: &json) } } }
        case .inEveryLanguage(let key, let words):
            json.member(key) { json in
                json.object { json in
                    for language in Language.offered { json.member(language.key, language.say(words).text) }
                }
            }
        case .more(_, _, let after): json.member("after", after)
        }
    }
}

extension Cell {
    fileprivate func write(to json: inout JSONWriter) {
        switch self {
        case .none: json.null()
        case .data(let text), .said(let text, _), .badge(_, let text, _), .rule(let text): json.string(text)
        case .number(let number): json.integer(number)
        case .instant(let instant): json.string("\(instant)")
        case .end(let instant), .until(let instant):
            if let instant { json.string("\(instant)") } else { json.null() }
        case .money(let amount, let currency):
            json.object { json in
                json.member("milliunits", amount.count)
                json.member("currency", currency)
            }
        case .length(let length): json.integer(length.count)
        case .customer(let id): json.string(id.rawValue)
        case .subscription(let id): json.string(id.rawValue)
        case .list(let cells), .phrase(let cells): json.array { json in for cell in cells { cell.write(to: &json) } }
        case .link(_, let cell): cell.write(to: &json)
        }
    }
}

extension Language {
    /// The name of its member: its tag.
    fileprivate var key: StaticString {
        switch self {
        case .english: "en"
        case .simplifiedChinese: "zh-Hans"
        case .pseudo: "en-XA"
        }
    }
}
