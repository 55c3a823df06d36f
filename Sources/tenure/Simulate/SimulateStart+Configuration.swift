import APIContract
import AppStoreWire
import Backend
import Foundation
import Ledger
import Primitives
import Server

extension SimulateStart {
    /// These options, completed from the server's configuration.
    ///
    /// - Throws: `CommandError` where the configuration has no `localAppStore`.
    func configured() throws -> SimulateStart {
        guard let config else { return self }
        let file = try TenureConfiguration(path: config, environment: ProcessInfo.processInfo.environment)
        guard let store = file.localAppStore, let app = file.apps.first?.settings else {
            throw CommandError("\(config) has no localAppStore: `tenure init local` writes one.")
        }
        var start = self
        start.catalogue = catalogue ?? store.catalogue
        start.authority = authority ?? store.authority
        start.state = state ?? store.state
        start.port = port ?? store.port
        start.startsAt = startsAt ?? store.startsAt?.millisecondsSince1970
        start.clockFile = clockFile ?? file.clockFile
        start.bundle = bundle ?? app.expected.bundleId
        start.appAppleId = appAppleId ?? app.expected.appAppleId
        start.environment = environment ?? Self.environment(of: app).rawValue
        start.notificationURL = notificationURL ?? (file.server.localAddress + app.notificationPath)
        return start
    }

    /// Where its accounts buy: the Sandbox, as testers do, unless the app does not accept it.
    private static func environment(of app: AppSettings) -> Primitives.Environment {
        app.expected.environments.contains(.sandbox) ? .sandbox : .production
    }
}

extension ServerConfiguration {
    /// How the server is reached from this machine.
    var localAddress: String {
        let reached = ["0.0.0.0", "::", "[::]"].contains(host) ? "127.0.0.1" : host
        return "http://\(reached.contains(":") && !reached.hasPrefix("[") ? "[\(reached)]" : reached):\(port)"
    }
}

extension AppSettings {
    /// The path to which Apple posts this app's notifications, relative to the server's address.
    var notificationPath: String { NativeAPI.receiveNotification.path(AppPath(app: id.rawValue)) }
}
