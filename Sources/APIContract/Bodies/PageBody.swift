package import StrictJSON

/// Something that the API lists page by page.
package protocol PagedItem: JSONItem {
    /// A page of them, as the document describes it.
    static var page: PageWords { get }
}

/// How the document describes a page of a list.
package struct PageWords: Sendable {
    let name: String
    /// What is listed.
    let summary: String
    let order: String

    package init(_ name: String, _ summary: String, order: String) {
        self.name = name
        self.summary = summary
        self.order = order
    }
}

/// A page of a list.
package struct PageBody<Item: PagedItem>: AnswerContent, JSONBody, Hashable {
    package static var schema: ObjectSchema {
        ObjectSchema(
            Item.page.name, Item.page.summary,
            [
                .required("items", .list(.object(Item.schema)), Item.page.order),
                .optional("next", .text, "The address of the next page; absent where there is no more by now."),
            ])
    }

    package var items: [Item]
    /// The address of the next page; nil where there is no more by now.
    package var next: String?

    package init(items: [Item], next: String?) {
        self.items = items
        self.next = next
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        items = try fields.requiredList("items", Item.init)
        next = try fields.text("next")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("items", items)
        writer.optionalMember("next", next)
    }
}
