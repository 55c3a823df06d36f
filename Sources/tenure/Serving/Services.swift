import AppStoreWire
import Backend
import Foundation
import Logging
import Primitives
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

/// Sends events to those who want them until the server stops; what is on its way may then finish (TELL-1…3).
struct DeliveryService: Service {
    let loop: DeliveryLoop
    let logger: Logger

    func run() async throws {
        await loop.run(while: { !Task.isShuttingDownGracefully }) { failure in
            logger.error(
                "an endpoint cannot be sent to, for a reason of this server's",
                metadata: ["endpoint": "\(failure.endpoint ?? "all")", "error": "\(failure.error)"])
        }
    }
}

/// Seals the chains of audit rows every hour, and when the server stops (AUDIT-2).
struct SealingService: Service {
    let backend: Backend
    let logger: Logger
    var interval = Duration.seconds(3600)
    /// So long it seals when the server stops: after an import of a million customers it would not end in time (F30), and the
    /// next server seals the rest at its start.
    var atEnd = Duration.seconds(3)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await seal { !Task.isCancelled }
                do { try await Task.sleep(for: interval) } catch { return }
            }
        }
        let end = ContinuousClock.now + atEnd
        await seal { ContinuousClock.now < end }
    }

    private func seal(while goesOn: () -> Bool) async {
        do {
            let count = try await backend.seal(while: goesOn)
            if count > 0 { logger.info("sealed", metadata: ["chains": "\(count)"]) }
        } catch {
            logger.error("the audit chains cannot be sealed", metadata: ["error": "\(error)"])
        }
    }
}

/// Plans what is to be looked through of Apple's notification histories, again and again, and says when something may be missing
/// (RECON-2, RECON-7).
struct SweepService: Service {
    let planner: SweepPlanner
    let clock: any TimeSource
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var watch = SureWatch()
            while !Task.isCancelled {
                do { try await Task.sleep(for: .milliseconds(planner.interval.count)) } catch { return }
                for notice in watch.look(at: await look(), clock.now()) { say(notice) }
            }
        }
    }

    /// Once, as a server does before anything else, so that questions do not run ahead of what answers twenty of them.
    @discardableResult
    func look() async -> [StoredSweepPlan] {
        do {
            return try await planner.look()
        } catch {
            logger.error("what Apple told cannot be planned to be looked through", metadata: ["error": "\(error)"])
            return []
        }
    }

    private func say(_ notice: SureWatch.Notice) {
        switch notice {
        case .late(let scope, let sureUntil):
            logger.error(
                "something that Apple told may be missing: see the app's state of asking Apple",
                metadata: ["app": "\(scope.app)", "environment": "\(scope.environment)", "sureUntil": "\(sureUntil)"])
        case .sureAgain(let scope, let sureUntil):
            logger.notice(
                "nothing that Apple told is missing any more",
                metadata: ["app": "\(scope.app)", "environment": "\(scope.environment)", "sureUntil": "\(sureUntil)"])
        }
    }
}

/// Says in time that a certificate ends on which the trust in what Apple signs rests (F19).
struct CertificateService: Service {
    let backend: Backend
    let clock: any TimeSource
    let logger: Logger
    var interval = Duration.seconds(3600)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var watch = CertificateWatch()
            while !Task.isCancelled {
                for notice in watch.look(at: backend.authorities, clock.now()) { say(notice) }
                do { try await Task.sleep(for: interval) } catch { return }
            }
        }
    }

    private func say(_ notice: CertificateWatch.Notice) {
        let certificate = notice.certificate
        logger.log(
            level: notice.isUrgent ? .error : .warning,
            "a certificate ends on which trust in what Apple signs rests: see docs/operations/apple.md",
            metadata: [
                "role": "\(certificate.role.rawValue)", "certificate": "\(certificate.name)",
                "sha256": "\(Hexadecimal.encode(certificate.fingerprint))", "ends": "\(certificate.notValidAfter)",
            ])
    }
}

/// Reads the keys that hold again and again, so that what another server or the command line ended opens nothing here.
struct KeyService: Service {
    let keys: KeyRing
    let logger: Logger
    var interval = KeyRing.interval

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var isFailing = false
            while !Task.isCancelled {
                do { try await Task.sleep(for: interval) } catch { return }
                do {
                    try await keys.refresh()
                    isFailing = false
                } catch {
                    // Once, and not in every round: known keys go on until their end.
                    if !isFailing { logger.error("the keys cannot be read", metadata: ["error": "\(error)"]) }
                    isFailing = true
                }
            }
        }
    }
}

/// Forgets every hour what was answered to requests with idempotency keys a day ago.
struct AnswerService: Service {
    let backend: Backend
    let logger: Logger
    var interval = Duration.seconds(3600)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    try await backend.forgetAnswers()
                } catch {
                    logger.error("old answers cannot be forgotten", metadata: ["error": "\(error)"])
                }
                do { try await Task.sleep(for: interval) } catch { return }
            }
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
