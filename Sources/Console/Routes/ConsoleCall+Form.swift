import HTTPTypes
import Hummingbird
import NIOCore
import Server

/// The fields of a form that a browser sent.
struct ConsoleForm: Sendable {
    private let fields: ConsoleQuery

    /// More than every form of the console needs.
    static let longest = 16 * 1024

    /// A field's value; empty where it was left empty or is not there.
    subscript(name: String) -> String { fields[name] ?? "" }

    fileprivate init(_ fields: ConsoleQuery) { self.fields = fields }
}

extension ConsoleCall {
    /// Whether the body is what browsers send for a form.
    var isForm: Bool {
        request.headers[.contentType]?.lowercased().hasPrefix("application/x-www-form-urlencoded") ?? false
    }

    /// The form that is the body.
    ///
    /// - Throws: ``Trouble``: `formUnreadable`, `tooLong`, `notRead`.
    func form() async throws -> ConsoleForm {
        guard isForm else { throw Trouble.formUnreadable }
        return try await reading(upTo: ConsoleForm.longest) { body in
            guard let text = String(validating: body, as: UTF8.self), let fields = ConsoleQuery(text[...]) else {
                throw Trouble.formUnreadable
            }
            return ConsoleForm(fields)
        }
    }

    /// The body, for as long as `use` runs.
    ///
    /// - Throws: ``Trouble``: what a client's bytes do to the parser, or a hang-up to the connection, is no failure of ours. What
    ///   `use` throws.
    func reading<Result>(upTo longest: Int, _ use: ([UInt8]) async throws -> Result) async throws -> Result {
        do {
            return try await bodies.reading(request, upTo: longest, use)
        } catch is NIOTooManyBytesError {
            throw Trouble.tooLong(longest: longest)
        } catch is BodyBudget.Unfinished {
            throw Trouble.formUnreadable
        } catch is BodyBudget.Full {
            throw Trouble.notRead(code: "overloaded", mayHelp: true)
        }
    }

    /// The values of the cookies of a name; more than one where somebody else set one too.
    func cookies(_ name: String) -> [String] {
        request.headers[values: .cookie].flatMap { $0.split(separator: ";") }.compactMap { pair in
            let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 && parts[0] == name ? String(parts[1]) : nil
        }
    }
}
