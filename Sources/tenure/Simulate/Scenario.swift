import StrictJSON

/// A story in a local App Store, and what must be true in it: lines of words, one action per line.
///
/// ```
/// # B upgrades on the same Apple Account
/// account ipad
/// buy ipad plus.monthly -> first
/// server upload alice {first.signedTransactionInfo}
/// advance 31
/// expect subscription {first.originalTransactionId} statusText=active
/// expect server entitlements alice isActive=true
/// ```
/// A line is a verb of `tenure simulate do` with its words and members; with `server` before it, it is a verb of the server. `->
/// name` keeps the answer; `{name.member}` is replaced by a part of it. `expect` compares members of the answer, and `refused
/// CODE` expects a refusal.
struct Scenario: Sendable {
    let lines: [Line]

    struct Line: Sendable, Hashable {
        /// From 1.
        let number: Int
        let isServer: Bool
        let verb: String
        let words: [String]
        let keptAs: String?
        let expectation: Expectation?
    }

    enum Expectation: Sendable, Hashable {
        /// Members of the answer, by their path, and what they must be as text.
        case members([Member])
        /// A refusal with this code.
        case refused(String)

        struct Member: Sendable, Hashable {
            let path: String
            let value: String
        }
    }

    /// - Throws: `CommandError` with the line.
    init(_ text: String) throws {
        var lines: [Line] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            var words = line.prefix { $0 != "#" }.split(separator: " ").map(String.init)
            guard !words.isEmpty else { continue }
            lines.append(try Self.line(&words, number: index + 1))
        }
        self.lines = lines
    }

    private static func line(_ words: inout [String], number: Int) throws -> Line {
        var keptAs: String?
        if words.count >= 2, words[words.count - 2] == "->" {
            keptAs = words.removeLast()
            words.removeLast()
        }
        var expectation: Expectation?
        if words.first == "expect" {
            words.removeFirst()
            let split = words.firstIndex { $0.contains("=") } ?? words.count
            let members = words[split...].map { word in
                let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                return Expectation.Member(path: parts[0], value: parts.count > 1 ? parts[1] : "")
            }
            guard !members.isEmpty else { throw CommandError("Line \(number) expects nothing.") }
            expectation = .members(members)
            words = Array(words[..<split])
        } else if words.first == "refused" {
            guard words.count >= 3 else { throw CommandError("Line \(number) is not valid: refused CODE VERB …") }
            expectation = .refused(words[1])
            words.removeFirst(2)
        }
        let isServer = words.first == "server"
        if isServer { words.removeFirst() }
        guard let verb = words.first else { throw CommandError("Line \(number) has no verb.") }
        return Line(
            number: number, isServer: isServer, verb: verb, words: Array(words.dropFirst()), keptAs: keptAs,
            expectation: expectation)
    }
}

/// A part of a JSON answer, by names and indexes separated by dots: `entitlements.0.isActive`.
enum AnswerPath {
    static func text(at path: String, in body: [UInt8]) -> String? {
        let root: JSONValue
        do throws(JSONError) { root = try JSONDocument(body).root } catch { return nil }
        var value: JSONValue? = root
        for part in path.split(separator: ".") {
            if let place = Int(part), let array = value?.array {
                value = array.dropFirst(place).first { _ in true }
            } else {
                value = value?.object?[String(part)]
            }
        }
        guard let value else { return nil }
        return value.string ?? String(decoding: value.rawBytes, as: UTF8.self)
    }
}
