import APIContract
import AsyncHTTPClient
import BenchmarkSamples
import Foundation
import Ledger
import NIOCore
import NIOHTTP1
import Primitives
import Storage

/// Other answers of the API beside the entitlement read: asked again with its tag, two hundred customers at once, and a customer
/// with a long history.
struct AnswerFigures {
    let effort: Effort
    let stage: Stage

    func measure() async throws -> [Figure] { try await [tagged(), bulk(), whole()] }

    // MARK: 304

    /// The rate of 304 beside the empty route's.
    private func tagged() async throws -> Figure {
        let load = LoadGenerator(address: stage.address, folder: stage.folder)
        let paths = (0..<min(2000, effort.subscriptions)).map { number in
            NativeAPI.readEntitlements.path(CustomerPath(app: "bench", customer: Life.customer(number)))
        }
        var tags: [String] = []
        for path in paths {
            let response = try await send(path)
            guard let tag = response.headers.first(name: "etag") else { throw BenchError("\(path) has no tag") }
            tags.append(tag)
        }
        _ = try await load.run(paths, tags: tags, seconds: 1)
        var rates = Pairs()
        for _ in 0..<effort.rounds {
            let floor = try await load.run(["/floor"], seconds: effort.seconds)
            rates.add(floor: floor.rate, ours: try await load.run(paths, tags: tags, seconds: effort.seconds).rate)
        }
        return Figure(
            "entitlements with If-None-Match, 304 / an empty route", rates: rates, target: 0.9,
            remark: "\(LoadGenerator.connections) connections, \(load.name)")
    }

    // MARK: Many at once

    /// The time of one request for 200 customers beside that of one for one; one connection, one after the other.
    private func bulk() async throws -> Figure {
        let most = BulkQuestionBody.most
        let path = NativeAPI.readManyEntitlements.path(AppPath(app: "bench"))
        var (ones, many) = ([Double](), [Double]())
        for round in 0..<(effort.rounds * 20) {
            let customers = (0..<most).map { Life.customer((round * most + $0 * 7) % effort.subscriptions) }
            let one = NativeAPI.readEntitlements.path(CustomerPath(app: "bench", customer: customers[0]))
            ones.append(try await milliseconds { _ = try await send(one) })
            let body = BulkQuestionBody(customers: customers).json
            many.append(try await milliseconds { _ = try await send(path, body: body) })
        }
        return Figure(
            name: "entitlements of \(most) customers at once / of one", unit: "x", floor: 1, ours: many.median / ones.median,
            atMost: 20,
            remark: String(format: "%.2f ms beside %.3f ms, one connection", many.median, ones.median))
    }

    // MARK: A long history

    private static let periods = 500

    /// The time of a customer whole whose subscription has 500 periods.
    private func whole() async throws -> Figure {
        let life = Life(number: effort.subscriptions + 1, periods: Self.periods, lastEnds: stage.renewals.life(0).lastEnds)
        guard let store = stage.store else { throw BenchError("there is no store") }
        try await store.fill(with: [life], shownBy: stage.renewals.samples)
        let path = NativeAPI.readCustomer.path(CustomerPath(app: "bench", customer: life.customer.rawValue))
        var times: [Double] = []
        for _ in 0..<(effort.rounds * 10) { times.append(try await milliseconds { _ = try await send(path) }) }
        return Figure(
            name: "a customer with \(Self.periods) periods, whole", unit: "ms", ours: times.median, atMost: 20,
            remark: "one connection")
    }

    // MARK: Sending

    private func send(_ path: String, body: [UInt8]? = nil) async throws -> HTTPClientResponse {
        var request = HTTPClientRequest(url: stage.address + path)
        request.headers.add(name: "Authorization", value: "Bearer \(Stage.serverKey)")
        if let body {
            request.method = .POST
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: body))
        }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
        let answer = try await response.body.collect(upTo: 1 << 24)
        guard response.status == .ok else {
            throw BenchError("\(path) answered \(response.status): \(String(buffer: answer))")
        }
        return response
    }

    private func milliseconds(_ body: () async throws -> Void) async throws -> Double {
        let start = ContinuousClock.now
        try await body()
        return (ContinuousClock.now - start).seconds * 1000
    }
}
