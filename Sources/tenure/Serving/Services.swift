import Backend
import Foundation
import Logging
import ServiceLifecycle
import Storage

/// Performs due work until the server stops; running work may then finish.
struct WorkService: Service {
    let loop: WorkLoop
    let logger: Logger

    func run() async throws {
        await loop.run(while: { !Task.isShuttingDownGracefully }) { error in
            logger.error("due work cannot be leased", metadata: ["error": "\(error)"])
        }
    }
}

/// Seals the chains of audit rows every hour, and when the server stops (AUDIT-2).
struct SealingService: Service {
    let backend: Backend
    let logger: Logger
    var interval = Duration.seconds(3600)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await seal()
                do { try await Task.sleep(for: interval) } catch { return }
            }
        }
        await seal()
    }

    private func seal() async {
        do {
            let count = try await backend.seal()
            if count > 0 { logger.info("sealed", metadata: ["chains": "\(count)"]) }
        } catch {
            logger.error("the audit chains cannot be sealed", metadata: ["error": "\(error)"])
        }
    }
}

/// Ends the process when its disk refused a write: a restarted process reads what is really on the disk (F03).
struct DamageService: Service {
    let failures: AsyncStream<StorageError>

    func run() async throws {
        try await cancelWhenGracefulShutdown {
            for await failure in failures { throw failure }
        }
    }
}

/// The holder of a lease, for operators to see.
enum WorkerName {
    static var ofThisProcess: String {
        "\(ProcessInfo.processInfo.hostName)/\(ProcessInfo.processInfo.processIdentifier)/\(UUID().uuidString.prefix(8))"
    }
}
