import Ledger
import Primitives

/// What one page shows, as plain values: its heading and its blocks. HTML and JSON are two ways of writing the same sheet, so
/// that neither can show what the other does not.
package struct Sheet: Sendable {
    let heading: any Words
    var blocks: [Block]

    init(_ heading: any Words, _ blocks: [Block] = []) { (self.heading, self.blocks) = (heading, blocks) }
}

/// One piece of a page. What has a key is a member of the page's JSON.
indirect enum Block: Sendable {
    /// A sentence, for people only.
    case paragraph(any Words)
    /// A sentence that should be seen first.
    case notice(any Words)
    /// Names and values, or one value for each name.
    case facts(StaticString, [Field])
    case table(SheetTable)
    /// A part with a heading of its own; its id is unique on the page.
    case part(StaticString, any Words, [Block])
    /// What can be told to a customer, in words.
    case explanation([ExplanationLine])
    case drawing(SubscriptionDrawing)
    /// A form that asks for a page.
    case form(SheetForm)
    /// A longer text that is data, such as JSON.
    case text(StaticString, any Words, String)
    /// What is shown when asked for.
    case folded(any Words, [Block])
    /// Values one below the other, each mostly a sentence. In JSON it is an array.
    case list(StaticString, [Cell])
    /// A text of ours in every language that is offered, whatever the page's: it is told to somebody else.
    case inEveryLanguage(StaticString, any Words)
    /// Where the list goes on, and after what.
    case more(any Words, ConsoleRoute.Page, after: String)
    /// A link for people only.
    case link(any Words, ConsoleRoute.Page)
}

/// A name and its value.
struct Field: Sendable {
    let key: StaticString
    let name: any Words
    let value: Cell

    init(_ key: StaticString, _ name: any Words, _ value: Cell) { (self.key, self.name, self.value) = (key, name, value) }
}

/// A table. In JSON it is an array of objects.
struct SheetTable: Sendable {
    let key: StaticString
    let caption: any Words
    let columns: [Column]
    var rows: [[Cell]]
    /// Why it is empty where it is, and what would fill it.
    let empty: any Words

    init(_ key: StaticString, _ caption: any Words, empty: any Words, _ columns: [Column], _ rows: [[Cell]]) {
        (self.key, self.caption, self.empty, self.columns, self.rows) = (key, caption, empty, columns, rows)
    }

    struct Column: Sendable {
        let key: StaticString
        let heading: any Words

        init(_ key: StaticString, _ heading: any Words) { (self.key, self.heading) = (key, heading) }
    }
}

/// A form with its fields and its button.
struct SheetForm: Sendable {
    let target: ConsoleRoute.Page
    let isPost: Bool
    let fields: [Input]
    let button: any Words

    struct Input: Sendable {
        let name: StaticString
        let label: any Words
        /// How it is to be filled in.
        var hint: (any Words)?
        let kind: Kind

        enum Kind: Sendable {
            case line(String)
            case longText
            case instant(Timestamp?)
            case choice([Choice], chosen: String?)
        }
    }

    struct Choice: Sendable {
        /// Empty: whichever.
        let value: String
        let words: any Words
    }
}

/// One value.
indirect enum Cell: Sendable {
    case none
    /// Data of others: names, ids, somebody's words.
    case data(String)
    /// A text of ours, with the stable word that programs read.
    case said(String, any Words)
    /// The same where it should be seen.
    case badge(Tone, String, any Words)
    case number(Int64)
    case instant(Timestamp)
    /// An instant, or that something does not end.
    case end(Timestamp?)
    /// An instant, or that something is still so.
    case until(Timestamp?)
    case money(Milliunits, String)
    case length(Milliseconds)
    case customer(CustomerID)
    case subscription(OriginalTransactionID)
    case rule(String)
    case list([Cell])
    /// Values that are read as one sentence.
    case phrase([Cell])
    /// A link of the same ledger.
    case link(ConsoleRoute.Page, Cell)

    enum Tone: Sendable, Hashable { case good, calm, warn, bad }

    /// Data, or nothing.
    static func optional(_ text: String?) -> Cell { text.map { .data($0) } ?? .none }

    static func optional(_ instant: Timestamp?) -> Cell { instant.map { .instant($0) } ?? .none }

    static func rules(_ rules: [Rule]) -> Cell { .list(rules.map { .rule($0.rawValue) }) }
}
