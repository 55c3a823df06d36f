import APIContract
import ArgumentParser
import Backend
import Delivery
import Foundation
import Primitives
import Storage
import StrictJSON

/// Webhooks from the command line; `tenure call` has the operations that are not here.
struct WebhooksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhooks", abstract: "See where events are sent, and receive them on this machine.",
        subcommands: [ListWebhooks.self, ListenCommand.self])
}

struct ListWebhooks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the app's endpoints: how each stands, what waits, and what failed.")

    @OptionGroup var server: ServerChoice

    func run() async throws { try await server.call(NativeAPI.listWebhookEndpoints.description, []) }
}

struct ListenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen",
        abstract: "Print events as they happen, and pass them on to a program on this machine.",
        discussion: """
            It reads the log, so that it needs no public address and no endpoint. With --forward-to each event is posted as a \
            webhook would be, signed with a secret that is made now and printed first. It goes on until it is interrupted.
            """)

    @Option(name: .customLong("forward-to"), help: "Where to post each event, such as http://127.0.0.1:3000/hook.")
    var target: String?

    @Option(help: "Only these types, with commas between; subscription.* for all that begin so.")
    var type: String?

    @Option(help: "Begin with what was told from then on, such as 2026-01-31T00:00:00Z; from now on unless said.")
    var since: String?

    @Option(help: "End after so many events.")
    var count: Int?

    @OptionGroup var ledger: EnvironmentChoice
    @OptionGroup var server: ServerChoice

    /// How long it waits where nothing has happened.
    private static let pause = Duration.milliseconds(500)

    func run() async throws {
        // What happens after the secret was printed is printed too.
        let start = try await start()
        guard let target else { return try await follow(from: start) { _ in } }
        try await LocalReceiver.open(target) { receiver in
            Console.print("Secret  \(receiver.secret)")
            try await follow(from: start) { Console.print("        \(await receiver.post($0))") }
        }
    }

    /// Where it begins: at the instant that was given, else where the log ends now.
    private func start() async throws -> GivenValue {
        if let since { return try .instant("since", since, option: "--since") }
        // Nothing was told after the end of time.
        let end = GivenValue(name: "since", value: "\(Timestamp.latestAccepted.millisecondsSince1970)")
        return after(try await page(from: end)) ?? end
    }

    /// Prints each event and hands it on.
    private func follow(from start: GivenValue, _ take: (EventItem) async throws -> Void) async throws {
        var (place, left) = (start, count ?? .max)
        while left > 0 {
            let page = try await page(from: place)
            for item in page.items.prefix(left) {
                Console.print(line(item))
                try await take(item)
                left -= 1
            }
            place = after(page) ?? place
            if !page.hasMore, left > 0 { try await Task.sleep(for: Self.pause) }
        }
    }

    private func page(from place: GivenValue) async throws -> EventsBody {
        let answer = try await server.answer(
            of: NativeAPI.listEvents.description,
            [ledger.value, place] + (type.map { [GivenValue(name: "type", value: $0)] } ?? []))
        try server.checkDone(answer)
        return try EventsBody(json: answer.bytes)
    }

    private func after(_ page: EventsBody) -> GivenValue? {
        URLComponents(string: page.next)?.queryItems?.first { $0.name == "after" }
            .flatMap { item in item.value.map { GivenValue(name: "after", value: $0) } }
    }

    private func line(_ item: EventItem) -> String {
        guard server.json else { return "\(item.timestamp)  \(item.type)  \(item.data)" }
        var json = JSONWriter()
        json.object { item.write(to: &$0) }
        return json.text
    }
}

/// A program on this machine that is sent events as an endpoint would be.
private struct LocalReceiver {
    private static let owner = "listen"

    let secret: String
    private let target: ParcelTarget
    private let courier: DeliveryCourier

    /// - Throws: `CommandError` where nothing may be sent there.
    static func open(_ url: String, _ body: (LocalReceiver) async throws -> Void) async throws {
        let courier = try DeliveryCourier.onThisMachine(["127.0.0.1", "::1", "localhost"])
        try await courier.closing {
            do throws(AddressRefusal) {
                try await courier.check(url)
            } catch {
                throw CommandError("--forward-to: \(error.description).")
            }
            let fresh = try courier.makeSecret(.v1, of: owner)
            try await body(
                LocalReceiver(secret: fresh.text, target: ParcelTarget(url: url, secrets: [fresh.sealed]), courier: courier))
        }
    }

    /// - Returns: what came of it, in a few words.
    func post(_ item: EventItem) async -> String {
        let body = EventEnvelope.body(type: item.type, timestamp: item.timestamp, data: item.data)
        let parcel = Parcel(id: item.id, body: Array(body.utf8))
        let outcome = await courier.send(parcel, to: target, of: Self.owner)
        return switch outcome.answer {
        case .answered(let status, _, _): "\(status), \(outcome.took.count) ms"
        case .failed(_, let words): words
        }
    }
}
