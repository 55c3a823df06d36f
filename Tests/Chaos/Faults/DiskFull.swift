import APIContract
import Foundation
import Glibc
import LedgerOracle

/// F04: the disk of the database is full, and later has room again.
struct DiskFull {
    let stage: Stage

    /// How large the database's disk is.
    static let megabytes = 24
    /// Which share of the reads must be right while the disk is full.
    static let leastReads = 0.99
    static let longestCatchUp = Duration.seconds(60)

    func run() async throws -> FaultReport {
        var report = FaultReport("F04 SQLite", "disk full, then freed")
        let folder = try stage.folder("F04")
        let disk = "\(folder)/disk"
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
        guard mount("tmpfs", disk, "tmpfs", 0, "size=\(Self.megabytes)m") == 0 else {
            report.skipped = "a small tmpfs cannot be mounted here: \(String(cString: strerror(errno))) (needs root)"
            return report
        }
        Survivors.add(mount: disk)
        defer {
            umount2(disk, Int32(MNT_DETACH))
            Survivors.remove(mount: disk)
        }
        let world = try ChaosWorld(
            seed: stage.seed &+ 400, now: stage.now,
            size: .init(notifications: stage.size(1000), uploads: stage.size(200)))
        let database = Database.sqlite("\(disk)/tenure.sqlite")
        let start = TenureServer.Start(binary: stage.binary, database: database, folder: folder)
        let journal = try Journal(path: "\(folder)/journal.tsv")
        try await ChaosClient.with { client in
            try await stage.serving(start, world: world, client: client) { server in
                let storm = Storm(
                    workload: Workload(world, seed: stage.seed, holdsLines: true), client: client, journal: journal,
                    addresses: [server.address], rate: 200)
                let filler = Filler(path: "\(disk)/filler")
                try await suffer(storm, filler, server, world, &report)
                try filler.free()
                let drained = try await storm.drain(within: Self.longestCatchUp)
                report.figures.append(("caught up in", drained?.words ?? "not at all"))
                report.expect(drained != nil, "it did not catch up within 60 s")
                let contents = try JournalContents(path: journal.path)
                report.add(contents)
                report.findings += storm.progress.findings
                let audit = Audit(world: world, client: client, database: database, folder: folder)
                report.add(try await audit.full(contents, addresses: [server.address]))
            }
        }
        return report
    }

    /// Sends while a filler takes the remaining disk space after a third of the load, and reads throughout.
    private func suffer(
        _ storm: Storm, _ filler: Filler, _ server: TenureServer, _ world: ChaosWorld, _ report: inout FaultReport
    ) async throws {
        let reads = try await withThrowingTaskGroup(of: Reads?.self) { group in
            group.addTask {
                try await storm.blow()
                return nil
            }
            group.addTask {
                while storm.progress.acknowledged < world.sends / 3 { try await Task.sleep(for: .milliseconds(1)) }
                try filler.fill()
                return try await read(server, storm, world)
            }
            return try await group.reduce(into: Reads()) { $0 = $1 ?? $0 }
        }
        let unavailable = storm.progress.unavailable
        report.figures += [
            ("answered 503 with Retry-After", "\(unavailable)"), ("reads while full", "\(reads.asked)"),
            ("of them right", "\(reads.right)"),
        ]
        report.expect(unavailable > 0, "no write was answered 503: the disk was not full")
        report.expect(reads.asked >= 50, "only \(reads.asked) reads were asked while the disk was full")
        report.expect(Double(reads.right) >= Self.leastReads * Double(reads.asked), "a read failed, such as \(reads.failure)")
    }

    private struct Reads {
        var asked = 0
        var right = 0
        var failure = ""
    }

    /// Queries what customers may use, as long as the disk is full.
    private func read(_ server: TenureServer, _ storm: Storm, _ world: ChaosWorld) async throws -> Reads {
        var reads = Reads()
        // The storm gives up refused messages; when the rest of it ends, the reads end too.
        for turn in 0..<2000 where turn < 200 || storm.workload.hasMore {
            let life = world.lives[turn % world.lives.count]
            let path = NativeAPI.readEntitlements.path(CustomerPath(app: life.app.id, customer: life.customers[0]))
            let answer = await storm.client.get(path, from: server.address)
            reads.asked += 1
            if case .answered(200, _, _) = answer { reads.right += 1 } else { reads.failure = answer.words }
        }
        return reads
    }
}

/// A file that takes all remaining space.
private struct Filler: Sendable {
    let path: String

    func fill() throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw ChaosError("the filler cannot be made: \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        let block = [UInt8](repeating: 1, count: 4096)
        // The disk has 24 MiB: this many blocks are more than it holds.
        for _ in 0..<(DiskFull.megabytes * 512) where write(descriptor, block, block.count) < 0 { return }
    }

    func free() throws { try FileManager.default.removeItem(atPath: path) }
}
