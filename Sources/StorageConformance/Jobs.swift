import Ledger
import Primitives
import Storage

extension StorageConformance {
    /// Long work that somebody asked for, and what it found (OWN-16).
    static let jobs: [Behaviour] = [
        Behaviour("STORE-55", "A job is read back as it is, each app has its own, and the last one started comes first") {
            store in
            try expect(try await store.job(name("a")), equals: nil, "a job that nobody asked for")
            try expect(try await store.jobs(of: Specimen.app, limit: 10), equals: [], "jobs before any")
            let jobs = [job("a", at: 1), job("b/é", at: 3), job("c", at: 2)]
            for job in jobs { try await store.write { try $0.save(job) } }
            let other = StoredJob(
                JobName(Specimen.otherApp.app, "a"), kind: "trial", request: "{}", progress: "{}", startedAt: Specimen.start)
            try await store.write { try $0.save(other) }
            var ended = jobs[0]
            ended.progress = #"{"a":1}"#
            (ended.rows, ended.reason) = (7, "why")
            ended.end(.failed, at: Specimen.day(9), because: "“é”")
            let last = ended
            let locked = try await store.write { write in
                let locked = try write.lockJob(last.name)
                try write.save(last)
                return locked
            }
            try expect(locked, equals: jobs[0], "the job as it was")
            try expect(try await store.job(last.name), equals: last, "the job as it is")
            try expect(try await store.jobs(of: Specimen.app, limit: 10), equals: [jobs[1], jobs[2], last], "all jobs")
            try expect(try await store.jobs(of: Specimen.app, limit: 1), equals: [jobs[1]], "the last one")
            try expect(try await store.job(other.name), equals: other, "another app's of the same id")
        },
        Behaviour("STORE-56", "What a job found is read in pages, each once, and goes with the job some time after its end") {
            store in
            var job = job("a", at: 1)
            let rows = (1...5).map { JobRow(job.name, number: $0, content: "{\"n\":\($0)}") }
            let begun = job
            try await store.write { write in
                try write.save(begun)
                try write.keep(rows)
                try write.keep([JobRow]())
            }
            try expect(try await store.rows(of: job.name, after: 0, limit: 2), equals: Array(rows[..<2]), "the first page")
            try expect(try await store.rows(of: job.name, after: 2, limit: 9), equals: Array(rows[2...]), "the rest")
            try expect(try await store.rows(of: name("b"), after: 0, limit: 9), equals: [], "another job's")
            try await expectError("constraint", "a second row of one number") {
                try await store.write { try $0.keep([rows[0]]) }
            }
            let later = Specimen.day(5)
            try await store.write { try $0.forgetJobs(of: Specimen.app, endedBefore: later) }
            try expect(try await store.job(job.name), equals: begun, "a job that goes on")
            job.end(.done, at: Specimen.day(4))
            let ended = job
            try await store.write { write in
                try write.save(ended)
                try write.forgetJobs(of: Specimen.otherApp.app, endedBefore: later)
                try write.forgetJobs(of: Specimen.app, endedBefore: Specimen.day(4))
            }
            try expect(try await store.job(job.name), equals: ended, "a job that ended at the instant")
            try await store.write { try $0.forgetJobs(of: Specimen.app, endedBefore: later) }
            try expect(try await store.job(job.name), equals: nil, "a job that ended before the instant")
            try expect(try await store.rows(of: job.name, after: 0, limit: 9), equals: [], "what it found")
        },
    ]

    private static func name(_ id: String) -> JobName { JobName(Specimen.app, id) }

    private static func job(_ id: String, at day: Int64) -> StoredJob {
        StoredJob(name(id), kind: "trial", request: #"{"r":1}"#, progress: "{}", startedAt: Specimen.day(day))
    }
}
