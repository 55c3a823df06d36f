import AppStoreWire
import BenchmarkSamples
import Foundation
import Primitives
import SimulatorPKI

/// The same transaction through Apple's Python library, with its offline checks on: what teams use today. Needs the virtual
/// environment that `make bench` installs.
struct AppleLibraryFigures {
    static let python = ".venv/bin/python"

    let effort: Effort

    func measure() async throws -> [Figure] {
        let name = "transaction, warm chain / Apple's Python library"
        guard FileManager.default.isExecutableFile(atPath: Self.python) else {
            print("Not measured: \(name). There is no \(Self.python); `make bench` installs it.\n")
            return []
        }
        let samples = try SignedSamples()
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "tenure-bench-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let figure = try await measure(samples, in: folder, name)
        try FileManager.default.removeItem(at: folder)
        return [figure]
    }

    private func measure(_ samples: SignedSamples, in folder: URL, _ name: String) async throws -> Figure {
        let transaction = try samples.transaction(SignedSamples.charge)
        try Data(samples.authority.rootDER).write(to: folder.appending(path: "root.der"))
        try Data(transaction.utf8).write(to: folder.appending(path: "transaction.jws"))
        let verifier = AppStoreVerifier(roots: samples.roots)
        let bytes = Array(transaction.utf8)
        let now = samples.signedAt
        var pairs = Pairs()
        for _ in 0..<effort.rounds {
            let output = try await ChildProcess.output(
                of: Self.python,
                ["Benchmarks/apple_library.py", folder.path, SignedSamples.app.bundleId, "\(SignedSamples.app.appAppleId ?? 0)"])
            guard let apple = Double(output.trimmingCharacters(in: .whitespacesAndNewlines)) else {
                throw BenchError("Apple's library said: \(output)")
            }
            let ours = try await Stopwatch.rate(of: effort.part(of: 4000)) {
                _ = try await verifier.transaction(bytes, for: SignedSamples.app, at: now).get()
            }
            pairs.add(floor: apple, ours: ours)
        }
        return Figure(name, rates: pairs, target: 40, remark: "app-store-server-library, offline, strict")
    }
}
