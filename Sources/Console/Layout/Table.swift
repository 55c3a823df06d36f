/// Tables and lists as every page has them: with a caption and the scope of each heading.
extension HTML {
    /// A table; `row` writes the cells of one row.
    ///
    /// - Parameter headings: of the columns; the first cell of each row is its heading.
    mutating func table<Row>(
        _ caption: Said, _ headings: [Said], _ rows: [Row], row: (inout RowWriter, Row) -> Void
    ) {
        element(.div, .class("wide"), .fixed("role", "group"), .fixed("tabindex", "0"), .say(.label, caption)) { html in
            html.element(.table) { html in
                html.element(.caption, say: caption)
                html.element(.thead) { html in
                    html.element(.tr) { html in
                        for heading in headings { html.element(.th, .fixed("scope", "col"), say: heading) }
                    }
                }
                html.element(.tbody) { html in
                    for value in rows {
                        html.element(.tr) { html in
                            var writer = RowWriter(html: html)
                            html = HTML(reservingCapacity: 0)
                            row(&writer, value)
                            html = writer.html
                        }
                    }
                }
            }
        }
    }

    /// What stands where a list is empty: why it is, and what would fill it.
    mutating func empty(_ words: Said) { element(.p, .class("empty"), say: words) }

    /// A list of names and what belongs to each.
    mutating func facts(_ content: (inout HTML) -> Void) { element(.dl, .class("facts"), content: content) }

    /// One of them.
    mutating func fact(_ name: Said, _ content: (inout HTML) -> Void) {
        element(.div) { html in
            html.element(.dt, say: name)
            html.element(.dd, content: content)
        }
    }

    /// A part of a page with its heading.
    mutating func part(_ id: StaticString, _ heading: Said, _ content: (inout HTML) -> Void) {
        element(.section, .fixed("aria-labelledby", id)) { html in
            html.element(.h2, .id(id), say: heading)
            content(&html)
        }
    }

    /// A state in words, with a class for its colour: never the colour alone.
    mutating func badge(_ kind: StaticString, _ words: Said) { element(.span, .class(kind), say: words) }
}

/// Writes the cells of one row of a table.
struct RowWriter {
    fileprivate(set) var html: HTML
    private var isFirst = true

    fileprivate init(html: HTML) { self.html = html }

    /// The next cell; the first one is the row's heading.
    mutating func cell(_ content: (inout HTML) -> Void) {
        if isFirst {
            html.element(.th, .fixed("scope", "row"), content: content)
            isFirst = false
        } else {
            html.element(.td, content: content)
        }
    }

    mutating func say(_ words: Said) { cell { $0.say(words) } }

    mutating func data(_ text: String?) { cell { if let text { $0.data(text) } } }
}
