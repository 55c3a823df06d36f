import Backend
import Console
import Logging
import Metrics
import Server
import ServiceLifecycle

extension Serve {
    /// What the console shows besides the books.
    struct ConsoleNeighbours {
        /// Who knows of webhooks.
        let deliveries: DeliveryDesk
        /// Who asks Apple; nil: nobody does.
        let apple: AppleDesk?
        /// Where is counted what browsers report.
        let metrics: any MetricsFactory
    }

    /// The console, where the configuration has it listen.
    static func console(
        _ configuration: TenureConfiguration, _ backend: Backend, beside neighbours: ConsoleNeighbours, logger: Logger
    ) -> [ServiceGroupConfiguration.ServiceConfiguration] {
        guard let listener = configuration.console.listener, let url = configuration.console.url else { return [] }
        // The machine's clock, whatever the books run on: telephones make codes by it.
        let desk = OperatorDesk(backend, secrets: configuration.webhooks.secrets, clock: MachineClock())
        var dependencies = ConsoleDependencies(
            backend: backend, door: OperatorDoor(desk, backend, at: url, configuration.console.ways), site: url.site,
            version: TenureCommand.version)
        dependencies.isClockSimulated = configuration.clockFile != nil
        (dependencies.deliveries, dependencies.apple) = (neighbours.deliveries, neighbours.apple)
        dependencies.metrics = neighbours.metrics
        let address = configuration.console.address ?? ""
        let console = buildConsole(dependencies, configuration: listener, logger: logger) { port in
            logger.notice("console", metadata: ["address": "\(address)", "listens": "\(listener.host):\(port)"])
        }
        return [.init(service: console)]
    }
}
