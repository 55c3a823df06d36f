/// One thing that `tenure doctor` looked at.
struct Diagnosis: Hashable {
    /// How it stands, from good to bad.
    enum Grade: String, CaseIterable {
        case ok
        /// It works, and the operator should know.
        case warning
        /// Something does not work, or admits someone it should not.
        case problem
    }

    let grade: Grade
    /// What was looked at, such as `sandboxAccess of notes`.
    let subject: String
    /// What was found.
    let words: String
    /// What to do; nil where there is nothing to do.
    let remedy: String?

    static func ok(_ subject: String, _ words: String) -> Diagnosis {
        Diagnosis(grade: .ok, subject: subject, words: words, remedy: nil)
    }

    static func warning(_ subject: String, _ words: String, _ remedy: String) -> Diagnosis {
        Diagnosis(grade: .warning, subject: subject, words: words, remedy: remedy)
    }

    static func problem(_ subject: String, _ words: String, _ remedy: String) -> Diagnosis {
        Diagnosis(grade: .problem, subject: subject, words: words, remedy: remedy)
    }

    /// One line.
    var line: String {
        let grade = grade.rawValue.padding(to: 8)
        let end = remedy == nil || words.hasSuffix(".") ? "" : "."
        return "\(grade) \(subject): \(words)\(end)" + (remedy.map { " To do: \($0)" } ?? "")
    }
}

extension String {
    /// With blanks behind it until it is so long.
    fileprivate func padding(to length: Int) -> String { self + String(repeating: " ", count: max(0, length - count)) }
}
