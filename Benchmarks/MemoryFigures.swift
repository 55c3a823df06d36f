import Foundation

/// The peak memory of `tenure demo`: the server, the local App Store and the story's client in one process.
struct MemoryFigures {
    let effort: Effort

    func measure() async throws -> [Figure] {
        let name = "tenure demo, peak resident memory"
        guard let tenure = try ChildProcess.tenure() else {
            print("Not measured: \(name). Build it first: swift build -c release --product tenure\n")
            return []
        }
        var peaks: [Double] = []
        for _ in 0..<min(effort.rounds, 5) { peaks.append(try await ChildProcess.peakMemory(of: tenure, ["demo"])) }
        return [Figure(name: name, unit: "MiB", ours: peaks.median)]
    }
}
