import APIContract
import Backend
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import NIOCore
import Primitives
import Storage
import StrictJSON
import Synchronization
import Testing

@testable import Server

/// Lists of what changed, and exports that are sent part by part.
@Suite struct `Copies` {
    private static let app = "/api/v1/apps/app"
    private static let kinds = ["subscriptions", "customers", "periods", "events"]

    /// Notifications about so many subscriptions, each with a token that names a customer.
    private static func fill(_ world: World, _ client: any TestClientProtocol, _ count: Int) async throws {
        for number in 0..<count {
            let purchase = Self.purchase("\(5000 + number)")
            let body = try world.apple.body(Notification("copy\(number)", about: purchase))
            #expect(try await client.notify(body).status == .ok)
        }
    }

    private static func purchase(_ id: String) -> Purchase {
        var purchase = Purchase()
        (purchase.transactionId, purchase.originalTransactionId, purchase.webOrderLineItemId) = (id, id, "9\(id)")
        return purchase
    }

    private static func lines(_ text: String) -> [Substring] { text.split(separator: "\n") }

    @Test func `a list names what changed once, and goes on from where it ended`() async throws {
        try await withRouter { world, client in
            #expect(try await client.upload(try world.uploadBody()).status == .ok)
            try await Self.fill(world, client, 3)
            let first = try await client.get("\(Self.app)/subscriptions?limit=2")
            let page = try ChangesBody<ListedSubscriptionItem>(json: Array(first.text.utf8))
            #expect(page.items.map(\.originalTransactionId) == ["1001", "5000"] && page.hasMore)
            #expect(page.items.first?.owners.map(\.customer) == ["alice"])
            #expect(page.items.first?.period?.productId == "plus.monthly")
            #expect(page.items.first?.service != nil)
            let rest = try ChangesBody<ListedSubscriptionItem>(json: Array(try await client.get(page.next).text.utf8))
            #expect(rest.items.map(\.originalTransactionId) == ["5001", "5002"] && !rest.hasMore)
            let nothing = try ChangesBody<ListedSubscriptionItem>(json: Array(try await client.get(rest.next).text.utf8))
            #expect(nothing.items.isEmpty && nothing.next == rest.next)
            let customers = try ChangesBody<ListedCustomerItem>(
                json: Array(try await client.get("\(Self.app)/customers").text.utf8))
            #expect(customers.items.map(\.customer) == ["alice"] && customers.items.map(\.isErased) == [false])
            #expect(customers.items.first?.subscriptions.map(\.originalTransactionId) == ["1001"])
        }
    }

    @Test func `an export has one line for each item and a last line, and goes on from every mark`() async throws {
        try await withRouter { world, client in
            #expect(try await client.upload(try world.uploadBody()).status == .ok)
            try await Self.fill(world, client, 3)
            for kind in Self.kinds {
                let whole = try await client.get("\(Self.app)/export/\(kind)")
                #expect(whole.headers[.contentType] == "application/x-ndjson" && whole.headers[.cacheControl] == "no-store")
                let mark = try #require(
                    try ExportBody<ListedSubscriptionItem>(json: Array((Self.lines(whole.text).last ?? "").utf8)).lines.last)
                guard case .mark(let end) = mark else {
                    Issue.record("\(kind) does not end with a mark")
                    continue
                }
                let next = try #require(end.next)
                #expect(try await client.get(next).status == .ok, "\(next)")
                let nothing = try await client.get("\(Self.app)/export/\(kind)?after=\(end.after)")
                #expect(Self.lines(nothing.text).count == 1, "\(kind): only the last line")
                #expect(whole.text.hasSuffix("\n") && Self.lines(whole.text).count >= 2)
                let elsewhere = Self.kinds.filter { $0 != kind }
                for other in elsewhere {
                    #expect(try await client.get("\(Self.app)/export/\(other)?after=\(end.after)").code == "cursorInvalid")
                }
                for wrong in ["abc", "", "\(end.after)&environment=Sandbox"] {
                    #expect(try await client.get("\(Self.app)/export/\(kind)?after=\(wrong)").code == "cursorInvalid")
                }
                #expect(try await client.get("\(Self.app)/export/\(kind)?limit=5").code == "invalidParameter")
            }
            let wrong = PageCursor.encode("0/abc", of: "exportCustomers/app/Production")
            #expect(try await client.get("\(Self.app)/export/customers?after=\(wrong)").code == "cursorInvalid")
        }
    }

    @Test func `what is exported of a period is what Apple signed`() async throws {
        try await withRouter { world, client in
            #expect(try await client.upload(try world.uploadBody()).status == .ok)
            let whole = try ExportBody<ExportedPeriodItem>(
                json: Array(try await client.get("\(Self.app)/export/periods").text.utf8))
            guard case .item(let period) = try #require(whole.lines.first) else {
                Issue.record("no item")
                return
            }
            #expect(period.originalTransactionId == "1001" && period.customer == "alice" && period.environment == .production)
            #expect(period.type == "Auto-Renewable Subscription" && !period.isUpgraded)
        }
    }

    @Test func `who exports is noted before anything is sent, and what became of it afterwards`() async throws {
        try await withRouter { world, client in
            #expect(try await client.upload(try world.uploadBody()).status == .ok)
            try await Self.fill(world, client, 3)
            #expect(try await world.dependencies.backend.exports(app: AppID("app")).isEmpty)
            let whole = try await client.get("\(Self.app)/export/subscriptions")
            let mark = try ExportBody<ListedSubscriptionItem>(json: Array((Self.lines(whole.text).last ?? "").utf8)).lines.last
            guard case .mark(let end) = try #require(mark) else { return }
            #expect(try await client.get("\(Self.app)/export/subscriptions?after=\(end.after)").status == .ok)
            // What is refused is no export.
            #expect(try await client.get("\(Self.app)/export/customers?after=abc").code == "cursorInvalid")
            #expect(try await client.get("\(Self.app)/export/customers", key: nil).status == .unauthorized)
            let exports = try await world.dependencies.backend.exports(app: AppID("app"))
            #expect(exports.map(\.kind) == ["exportSubscriptions", "exportSubscriptions"])
            #expect(exports.map(\.actor) == ["appBackend/file", "appBackend/file"])
            #expect(exports.map(\.environment) == [.production, .production] && exports.map(\.goesOn) == [true, false])
            // 1001 of the upload, and three more.
            #expect(exports.map { $0.end?.lines } == [0, 4] && exports.allSatisfy { $0.end?.isWhole == true })
        }
    }

    // MARK: Answers in parts

    private struct Item: JSONItem {
        static let schema = ObjectSchema("Number", "A number.", [.required("number", .integer, "It.")])
        let number: Int64

        init(_ number: Int64) { self.number = number }

        init(_ fields: JSONFields) throws(JSONFieldError) { number = try fields.requiredInteger("number") }

        func write(to writer: inout JSONWriter) { writer.member("number", number) }
    }

    private typealias Part = AnswerPart<ExportBody<Item>>

    /// Tells when nothing holds it any more.
    private final class Held: Sendable {
        private let ended: AsyncStream<Void>.Continuation

        init(_ ended: AsyncStream<Void>.Continuation) { self.ended = ended }

        deinit { ended.finish() }
    }

    /// - Parameter make: called before each part but the first; what it throws is in the place of the part.
    private static func part(_ number: Int64, _ held: Held?, _ make: @escaping @Sendable (Int64) throws -> Bool) -> Part {
        Part(ExportBody(lines: [.item(Item(number))]), items: 1) {
            let isLast = try make(number + 1)
            let mark = ExportMark(after: "a", next: "/n")
            return isLast ? Part(ExportBody(items: [], mark: mark), next: nil) : part(number + 1, held, make)
        }
    }

    private static func withParts(
        _ first: @escaping @Sendable () -> Part, _ body: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        try await withWorld { world in
            let router = ServerRouter(world.dependencies, faces: [], configuration: .onAnyPort)
            router.others.get("parts") { _, _ in Response.parts(first()) }
            let application = buildApplication(serving: router, configuration: .onAnyPort, logger: .silent) { _ in }
            try await application.test(.live) { client in try await body(try #require(client.port)) }
        }
    }

    private static let request = "GET /parts HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

    @Test func `an answer in parts is whole where every part can be made`() async throws {
        try await Self.withParts({ Self.part(1, nil) { $0 > 3 } }) { port in
            let answer = try #require(try await RawConnection.answer(to: Self.request, port))
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.lowercased().contains("transfer-encoding: chunked"))
            for number in 1...3 { #expect(answer.contains("{\"number\":\(number)}\n")) }
            #expect(answer.contains(#"{"export":{"after":"a","isComplete":true,"next":"/n"}}"#))
            #expect(answer.hasSuffix("0\r\n\r\n"))
        }
    }

    @Test func `an answer of which a part cannot be made breaks off, so that nobody takes it for whole`() async throws {
        let failing: @Sendable (Int64) throws -> Bool = { number in
            guard number < 3 else { throw StorageError(.unavailable, "away") }
            return false
        }
        try await Self.withParts({ Self.part(1, nil, failing) }) { port in
            let answer = try #require(try await RawConnection.answer(to: Self.request, port))
            #expect(answer.contains("{\"number\":2}\n") && !answer.contains("export"))
            #expect(!answer.hasSuffix("0\r\n\r\n"))
        }
    }

    @Test func `who is told of the end hears once how far the answer came`() async throws {
        for (last, failsAt, expected) in [
            (3, Int64.max, AnswerEnd(items: 3, isWhole: true)), (9, 3, AnswerEnd(items: 2, isWhole: false)),
        ] as [(Int64, Int64, AnswerEnd)] {
            let heard = Mutex<[AnswerEnd]>([])
            let make: @Sendable (Int64) throws -> Bool = { number in
                guard number < failsAt else { throw StorageError(.unavailable, "away") }
                return number > last
            }
            try await Self.withParts({
                Self.part(1, nil, make).telling { end in
                    heard.withLock { $0.append(end) }
                    throw StorageError(.unavailable, "what is told of the end could not be kept")
                }
            }) { port in
                let answer = try #require(try await RawConnection.answer(to: Self.request, port))
                #expect(answer.hasSuffix("0\r\n\r\n") == expected.isWhole)
            }
            #expect(heard.withLock { $0 } == [expected])
        }
    }

    @Test func `a reader who goes away leaves nothing behind, and no part is made for nobody`() async throws {
        let (ended, end) = AsyncStream<Void>.makeStream()
        let made = Mutex(Int64(0))
        let first: @Sendable () -> Part = {
            Self.part(1, Held(end)) { number in
                made.withLock { $0 = number }
                return false
            }
        }
        try await Self.withParts(first) { port in
            _ = try await RawConnection.open(to: port) { connection in
                try await connection.say(Self.request)
                for try await _ in connection.inbound { break }
                return nil
            }
            for await _ in ended {}
            #expect(made.withLock { $0 } > 1)
        }
    }

    /// Takes one buffer after the other, and looks each time at how many parts were made.
    private struct Taking: ResponseBodyWriter {
        let made: @Sendable () -> Int64
        private var taken: Int64 = 0

        init(_ made: @escaping @Sendable () -> Int64) { self.made = made }

        mutating func write(_ buffer: ByteBuffer) async throws {
            taken += 1
            await Task.yield()
            #expect(made() <= taken + 1, "one part is made while another is being sent, and no more")
            if taken == 50 { throw ChannelError.ioOnClosedChannel }
        }

        func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }

    @Test func `however slowly a reader takes it, one part is made ahead`() async throws {
        let made = Mutex(Int64(1))
        let first = Self.part(1, nil) { number in
            made.withLock { $0 = number }
            return false
        }
        await #expect(throws: ChannelError.self) {
            try await Response.parts(first).body.write(Taking { made.withLock { $0 } })
        }
        #expect(made.withLock { $0 } <= 51)
    }
}
