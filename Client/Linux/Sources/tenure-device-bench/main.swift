import Foundation
import TenureClient
import TenureStoreKit

/// D9: what the client takes of an app that has a thousand transactions to upload, ten each second: memory above what the same
/// process takes when nothing waits, and the longest time for which the main actor could not run.
///
/// Usage: tenure-device-bench SERVER FOLDER [SECONDS [ROUNDS]]    `Tests/Peers/client_bench.py` is the server

let arguments = CommandLine.arguments
guard arguments.count >= 3, let server = URL(string: arguments[1]) else {
    FileHandle.standardError.write(Data("tenure-device-bench SERVER FOLDER [SECONDS [ROUNDS]]\n".utf8))
    exit(2)
}
let seconds = arguments.count > 3 ? Int(arguments[3]) ?? 10 : 10
let rounds = arguments.count > 4 ? Int(arguments[4]) ?? 3 : 3
let waiting = 1000
let folder = URL(fileURLWithPath: arguments[2], isDirectory: true)

/// How many wait, by what the client keeps on the disk.
func uploads() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent("uploads").path).count
}

let store = BenchStore()
let network = SwitchedTransport()
var configuration = try Tenure.Configuration(
    server: server, app: "bench", publicKey: "tnr_pk_bench", store: store,
    folder: folder, customerToken: { _ in "token" })
configuration.transport = network
let tenure = try Tenure(configuration)
let model = TenureModel(tenure)
let following = Task { await model.follow() }
await tenure.start()
try await tenure.identify("bench")

// The same process with nothing to do, and what this machine does to a main actor that nobody keeps.
var idle: [Double] = []
for _ in 0..<rounds { idle.append(try await Stall.longest(within: seconds)) }
Memory.forgetMost()
let before = Memory.kilobytes("VmRSS")

// The server is away, and a thousand transactions come.
network.isAway = true
for _ in 0..<waiting { store.deliver() }
while try uploads() < waiting - 1 { try await Task.sleep(nanoseconds: 50_000_000) }
let kept = try uploads()

// The server is back. It takes ten each second, and the store delivers as many.
network.isAway = false
let arriving = Task {
    while !Task.isCancelled {
        try await Task.sleep(nanoseconds: 100_000_000)
        store.deliver()
    }
}
let returning = Task { await tenure.foreground() }
var busy: [Double] = []
let sentBefore = network.sent
let started = ContinuousClock.now
for _ in 0..<rounds { busy.append(try await Stall.longest(within: seconds)) }
let passed = (ContinuousClock.now - started) / .seconds(1)
let (most, left) = (Memory.kilobytes("VmHWM"), try uploads())
arriving.cancel()
returning.cancel()
await tenure.stop()
following.cancel()

let report = Report(
    waiting: kept, leftWaiting: left, uploadsPerSecond: Double(network.sent - sentBefore) / passed,
    bytesOfEach: BenchStore.bytes, idleKilobytes: before, mostKilobytes: most, idle: idle, busy: busy)
let encoder = JSONEncoder()
encoder.outputFormatting = [.sortedKeys]
FileHandle.standardOutput.write(try encoder.encode(report) + Data("\n".utf8))
// What was not uploaded is of no interest.
exit(0)
