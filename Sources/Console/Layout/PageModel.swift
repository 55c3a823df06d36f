package import StrictJSON

/// Everything that one page shows, as plain values. The page in HTML is a function of it and of the frame, and its JSON is a
/// function of it alone.
package protocol PageModel: Sendable {
    /// The one heading, which is the document's title too.
    func title(_ speech: Speech) -> Said

    /// What stands under the heading.
    func write(to html: inout HTML, _ frame: Frame)

    /// The same values for programs: one JSON value.
    func write(to json: inout JSONWriter)
}
