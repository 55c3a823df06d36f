package import Hummingbird
package import Logging
package import Server

/// The console behind a listener of its own, with the limits that every listener has.
///
/// - Parameter onServerRunning: called with the port once connections are accepted.
package func buildConsole(
    _ dependencies: ConsoleDependencies, configuration: ServerConfiguration, logger: Logger,
    onServerRunning: @escaping @Sendable (Int) async -> Void = { _ in }
) -> some ApplicationProtocol {
    buildApplication(
        serving: ConsoleResponder(dependencies), configuration: configuration, logger: logger,
        onServerRunning: onServerRunning)
}
