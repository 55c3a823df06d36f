/// An attribute of an element. One that a browser follows or loads takes a ``ConsoleAddress``, and none that runs a script or
/// styles takes anything but what is written in our own code.
package struct HTMLAttribute: Sendable {
    let name: StaticString
    let value: Value

    enum Value: Sendable {
        case fixed(StaticString)
        case text(String)
        case number(Int)
        /// Of SVG's units.
        case tenths(Int)
        case present
        /// It is not written at all.
        case absent

        var isWritten: Bool {
            switch self {
            case .fixed, .text, .number, .tenths: true
            case .present, .absent: false
            }
        }
    }

    private init(_ name: StaticString, _ value: Value) { (self.name, self.value) = (name, value) }

    /// An attribute whose name and value both stand in our code.
    package static func fixed(_ name: StaticString, _ value: StaticString) -> HTMLAttribute { .init(name, .fixed(value)) }

    package static func `class`(_ name: StaticString) -> HTMLAttribute { .init("class", .fixed(name)) }

    package static func id(_ name: StaticString) -> HTMLAttribute { .init("id", .fixed(name)) }

    /// Where a link leads.
    package static func href(_ address: ConsoleAddress) -> HTMLAttribute { .init("href", .text(address.text)) }

    /// What a script or a style sheet is loaded from.
    package static func src(_ address: ConsoleAddress) -> HTMLAttribute { .init("src", .text(address.text)) }

    /// To where a form is sent.
    package static func action(_ address: ConsoleAddress) -> HTMLAttribute { .init("action", .text(address.text)) }

    /// A place on the same page.
    package static func anchor(_ name: StaticString) -> HTMLAttribute { .init("href", .fixed(name)) }

    /// An attribute that is there or not, such as `checked`.
    package static func flag(_ name: Flag, _ isSet: Bool = true) -> HTMLAttribute {
        .init(name.spelling, isSet ? .present : .absent)
    }

    /// Data, as a value that nothing follows.
    package static func data(_ name: TextName, _ text: String) -> HTMLAttribute { .init(name.spelling, .text(text)) }

    /// A text of ours, as a value that people read.
    package static func say(_ name: TextName, _ words: Said) -> HTMLAttribute { .init(name.spelling, .text(words.text)) }

    /// A whole number of SVG's units or of anything else.
    package static func number(_ name: StaticString, _ number: Int) -> HTMLAttribute { .init(name, .number(number)) }

    /// A length in tenths of SVG's units.
    package static func tenths(_ name: StaticString, _ tenths: Int) -> HTMLAttribute { .init(name, .tenths(tenths)) }

    /// How many units an image of SVG is wide and high.
    static func viewBox(width: Int, height: Int) -> HTMLAttribute { .init("viewBox", .text("0 0 \(width) \(height)")) }

    /// The attributes that may hold any text.
    package enum TextName: Sendable {
        case value, title, label, placeholder, datetime, lang, content, copied

        var spelling: StaticString {
            switch self {
            case .value: "value"
            case .title: "title"
            case .label: "aria-label"
            case .placeholder: "placeholder"
            case .datetime: "datetime"
            case .lang: "lang"
            case .content: "content"
            case .copied: "data-copied"
            }
        }
    }

    /// The attributes that are there or not.
    package enum Flag: Sendable {
        case checked, selected, `open`, required, current

        var spelling: StaticString {
            switch self {
            case .checked: "checked"
            case .selected: "selected"
            case .open: "open"
            case .required: "required"
            // `aria-current` without a value would be false.
            case .current: "aria-current=\"page\""
            }
        }
    }
}
