import Foundation
import Glibc

/// Asks the user at the terminal for what the options leave open.
struct SetupQuestions {
    /// Whether a user can answer. A script must fail rather than wait for an answer that never
    /// comes.
    let isTerminal: Bool

    /// The user that started this process, if both input and output are a terminal.
    static var ofThisProcess: SetupQuestions {
        SetupQuestions(isTerminal: isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1)
    }

    /// The answer; nil where the line was empty, or nobody can answer.
    func ask(_ question: String) -> String? {
        guard isTerminal else { return nil }
        FileHandle.standardError.write(Data("\(question) ".utf8))
        let answer = readLine()?.trimmingCharacters(in: .whitespaces) ?? ""
        return answer.isEmpty ? nil : answer
    }

    /// The option's value, or the answer.
    ///
    /// - Throws: `CommandError` that names the option where there is neither.
    func required(_ value: String?, option: String, _ question: String) throws -> String {
        guard let answer = value ?? ask(question) else { throw CommandError("\(option) is missing. \(question)") }
        return answer
    }
}
