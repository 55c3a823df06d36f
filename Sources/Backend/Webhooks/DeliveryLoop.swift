package import Primitives
import Storage

/// Sends to every endpoint of this server's apps, each in a task of its own: one that is slow or away costs the others nothing
/// (TELL-2).
package struct DeliveryLoop: Sendable {
    /// How long it waits before it looks for new endpoints.
    package static let lookForEndpoints = Milliseconds.seconds(1)
    /// The same where an endpoint had nothing to send.
    package static let lookForEvents = Milliseconds(250)
    /// The same where another server sends to it.
    static let lookForLease = Milliseconds.seconds(5)

    private let desk: DeliveryDesk
    private let pause: @Sendable (Milliseconds) async throws -> Void

    /// - Parameter pause: returns after a duration of real time, or throws where its task is cancelled first.
    package init(
        _ desk: DeliveryDesk,
        pause: @escaping @Sendable (Milliseconds) async throws -> Void = { try await Task.sleep(for: .milliseconds($0.count)) }
    ) {
        self.desk = desk
        self.pause = pause
    }

    private enum Ended: Sendable {
        case sender(EndpointName)
        case pause
        case kept
    }

    /// Goes on until it is told to stop; then no attempt begins any more, and it waits for those that were begun.
    ///
    /// - Parameters:
    ///   - goesOn: asked again and again.
    ///   - failed: told of each failure of the store; it goes on after a pause.
    package func run(
        while goesOn: @escaping @Sendable () -> Bool, failed: @escaping @Sendable (EndpointFailure) -> Void
    ) async {
        await withTaskGroup(of: Ended.self) { group in
            var (sending, isPausing, isKeeping) = (Set<EndpointName>(), false, false)
            var keptAt: Timestamp?
            while goesOn(), !Task.isCancelled {
                if !isPausing {
                    do {
                        for endpoint in try await desk.store.webhookEndpoints(of: nil)
                        where desk.apps.contains(endpoint.name.app) && sending.insert(endpoint.name).inserted {
                            group.addTask {
                                await send(to: endpoint.name, while: goesOn, failed)
                                return .sender(endpoint.name)
                            }
                        }
                    } catch {
                        failed(EndpointFailure(endpoint: nil, error: error))
                    }
                    let now = desk.clock.now()
                    if !isKeeping, keptAt.map({ now.since($0).count >= LogKeeper.interval.count }) ?? true {
                        (isKeeping, keptAt) = (true, now)
                        group.addTask {
                            await forget(failed)
                            return .kept
                        }
                    }
                    isPausing = true
                    group.addTask {
                        _ = await wait(Self.lookForEndpoints)
                        return .pause
                    }
                }
                switch await group.next() {
                case .sender(let name): sending.remove(name)
                case .pause: isPausing = false
                case .kept: isKeeping = false
                case nil: return
                }
            }
        }
    }

    /// What could not be forgotten now is in an hour.
    private func forget(_ failed: @Sendable (EndpointFailure) -> Void) async {
        do { try await LogKeeper(desk).forgetOnce() } catch { failed(EndpointFailure(endpoint: nil, error: error)) }
    }

    /// Sends to each endpoint what may be sent now; returns how many rounds kept something.
    package func runOnce() async throws -> Int {
        var rounds = 0
        for endpoint in try await desk.store.webhookEndpoints(of: nil) where desk.apps.contains(endpoint.name.app) {
            let sender = EndpointSender(desk: desk, name: endpoint.name)
            var memory = EndpointSender.Memory()
            while try await sender.round(&memory, while: { true }) == .again { rounds += 1 }
        }
        return rounds
    }

    private func send(
        to name: EndpointName, while goesOn: @escaping @Sendable () -> Bool,
        _ failed: @escaping @Sendable (EndpointFailure) -> Void
    ) async {
        let sender = EndpointSender(desk: desk, name: name)
        var memory = EndpointSender.Memory()
        while goesOn(), !Task.isCancelled {
            do {
                switch try await sender.round(&memory, while: goesOn) {
                case .again: continue
                case .idle(let until):
                    let rest = until?.since(desk.clock.now()).count ?? Self.lookForEvents.count
                    guard await wait(Milliseconds(min(max(rest, 10), Self.lookForEvents.count))) else { break }
                case .another: guard await wait(Self.lookForLease) else { break }
                case .removed: return
                }
            } catch {
                failed(EndpointFailure(endpoint: name, error: error))
                guard await wait(Self.lookForEndpoints) else { break }
            }
        }
        do { try await sender.end() } catch { failed(EndpointFailure(endpoint: name, error: error)) }
    }

    /// - Returns: false where the task was cancelled.
    private func wait(_ duration: Milliseconds) async -> Bool {
        do { try await pause(duration) } catch { return false }
        return true
    }
}

/// Why an endpoint could not be sent to, though its receiver is not to blame.
package struct EndpointFailure: Sendable {
    /// Nil: it is not known which endpoints there are.
    package let endpoint: String?
    package let error: any Error

    init(endpoint: EndpointName?, error: any Error) {
        self.endpoint = endpoint?.owner
        self.error = error
    }
}
