/// The elements that pages are made of, those of SVG among them.
package enum HTMLTag: String, Sendable, Hashable, CaseIterable {
    case html, head, title, body, header, nav, main, footer, section, article, aside
    case h1, h2, h3, p, ul, ol, li, dl, dt, dd, div, span, bdi, strong, em, code, pre, small, time, a
    case table, caption, thead, tbody, tr, th, td
    case form, label, button, select, option, textarea, fieldset, legend
    case details, summary, figure, figcaption, script, kbd
    // Of SVG.
    case svg, g, rect, line, circle, text, desc

    /// Whether a line of the page's text ends with it; no white space there means anything.
    var endsALine: Bool {
        switch self {
        case .title, .header, .nav, .main, .footer, .section, .article, .aside, .h1, .h2, .h3, .p, .ul, .ol, .li, .dl, .dt, .dd,
            .div, .pre, .table, .caption, .thead, .tbody, .tr, .form, .option, .select, .textarea, .fieldset, .legend, .details,
            .summary, .figure, .figcaption, .script, .svg, .g, .rect, .line, .circle, .text, .desc, .body, .head, .html:
            true
        case .span, .bdi, .strong, .em, .code, .small, .time, .a, .th, .td, .label, .button, .kbd: false
        }
    }
}

/// The elements that hold nothing and have no end.
package enum HTMLVoidTag: String, Sendable, Hashable {
    case meta, link, input, br, hr
}
