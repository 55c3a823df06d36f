/// One thing that `tenure doctor` checked.
struct Diagnosis: Hashable {
    /// The result, from good to bad.
    enum Grade: String, CaseIterable {
        case ok
        /// It works, but the operator should know about it.
        case warning
        /// Something does not work, or admits someone it should not.
        case problem
    }

    let grade: Grade
    /// What was checked, such as `sandboxAccess of notes`.
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
    /// Padded with trailing blanks to this length.
    fileprivate func padding(to length: Int) -> String { self + String(repeating: " ", count: max(0, length - count)) }
}
