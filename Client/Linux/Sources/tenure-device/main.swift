import Foundation
import TenureClient
import TenureLocalStore

/// A line of what a step came to.
struct Line: Encodable {
    let step: String
    var outcome: String?
    var words: String?
    var access: Seen?
    var ids: [String]?

    /// ``Access`` as JSON.
    struct Seen: Encodable {
        let customer: String
        let isActive: Bool
        let active: [String]
        let provisional: [String]
        let start: Int64?
        let end: Int64?
        let source: String
        let doubt: String?

        init(_ access: Access) {
            (customer, isActive, source) = (access.customer, access.isActive, access.source.rawValue)
            doubt = access.doubt?.rawValue
            active = access.entitlements.filter(\.value.isActive).keys.sorted()
            provisional = access.entitlements.filter(\.value.isProvisional).keys.sorted()
            start = access.start.map { Instant($0).millisecondsSince1970 }
            end = access.end.map { Instant($0).millisecondsSince1970 }
        }
    }
}

/// Does one step.
func play(_ step: String, _ tenure: Tenure, _ store: LocalAppStore, _ options: Options) async throws -> Line {
    let parts = step.split(separator: ":", maxSplits: 1).map(String.init)
    let argument = parts.count > 1 ? parts[1] : ""
    var line = Line(step: step)
    switch parts.first {
    case "start": await tenure.start()
    case "identify": line.access = Line.Seen(try await tenure.identify(argument))
    case "signOut": try await tenure.signOut()
    case "purchase":
        let words = argument.split(separator: ",").map(String.init)
        line = told(try await tenure.purchase(words.first ?? "", offer: words.count > 1 ? words[1] : nil), of: step)
    case "refresh": line.access = Line.Seen(try await tenure.refresh())
    case "restore": line.access = Line.Seen(try await tenure.restore(argument == "appStore" ? .appStore : .account))
    case "products": line.ids = try await tenure.products(argument.split(separator: ",").map(String.init)).map(\.id)
    case "wall": line.ids = try await tenure.wall().products.map(\.productId)
    case "settle":
        // Until the store has nothing that the app did not finish.
        while try await !store.unfinished().isEmpty {
            await tenure.foreground()
            try await Task.sleep(nanoseconds: 100_000_000)
        }
        line.ids = ["\(await store.finished) finished"]
    case "shown":
        // Until the server has so many proofs of how the app was got.
        while try options.shown() < Int(argument) ?? 0 { try await Task.sleep(nanoseconds: 20_000_000) }
    case "current": break
    default: throw Options.Wrong(words: "there is no step \(step)")
    }
    if line.access == nil { line.access = Line.Seen(await tenure.current()) }
    return line
}

func told(_ outcome: PurchaseOutcome, of step: String) -> Line {
    switch outcome {
    case .bought(let access): Line(step: step, outcome: "bought", access: Line.Seen(access))
    case .waiting(let access): Line(step: step, outcome: "waiting", access: Line.Seen(access))
    case .pending: Line(step: step, outcome: "pending")
    case .cancelled: Line(step: step, outcome: "cancelled")
    case .inVain(let forecast): Line(step: step, outcome: "inVain", words: forecast.words)
    case .servesAnother(let hint): Line(step: step, outcome: "servesAnother", words: hint)
    }
}

func write(_ line: Line) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    FileHandle.standardOutput.write(try encoder.encode(line) + Data("\n".utf8))
}

do {
    let options = try Options(Array(CommandLine.arguments.dropFirst()))
    let store = LocalAppStore(
        control: try options.url("store"), device: try options.required("device"), transport: URLSessionTransport(),
        play: try options.play)
    let tenure = try Tenure(try options.configuration(store))
    let problems = await tenure.problems()
    let telling = Task {
        for await problem in problems { complain("\(problem.kind.rawValue): \(problem.words)") }
    }
    for step in options.steps {
        do {
            try write(try await play(step, tenure, store, options))
        } catch let problem as TenureProblem {
            try write(Line(step: step, outcome: problem.kind.rawValue, words: problem.words))
        }
    }
    await tenure.stop()
    await telling.value
} catch let wrong as Options.Wrong {
    complain("\(wrong.words)\n\n\(Options.usage)")
    exit(2)
} catch {
    complain("\(error)")
    exit(1)
}
