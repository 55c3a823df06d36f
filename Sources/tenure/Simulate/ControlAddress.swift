import ArgumentParser
import Foundation

/// The address of the local App Store that a command uses.
struct ControlAddress: ParsableArguments {
    @Option(name: .long, help: "The control API's address; its path /control/v1 may be left out.")
    var url: String?

    @Option(name: .long, help: "The port of a local App Store on this machine, instead of --url; 8081 unless given.")
    var port: Int?

    /// The common prefix of the control API's paths.
    private static let path = "/control/v1"
    /// The port on which `tenure simulate` listens by default.
    static let usualPort = 8081

    /// The address to which the calls' paths are appended.
    ///
    /// - Throws: `CommandError` where the options do not name an HTTP address.
    func base() throws -> String {
        if let port { return "http://127.0.0.1:\(port)\(Self.path)" }
        guard let url else { return "http://127.0.0.1:\(Self.usualPort)\(Self.path)" }
        guard let parts = URLComponents(string: url), let scheme = parts.scheme, ["http", "https"].contains(scheme),
            parts.host?.isEmpty == false
        else { throw CommandError("--url is \(url); it must be an address such as http://127.0.0.1:8081.") }
        let address = String(url.reversed().drop { $0 == "/" }.reversed())
        return parts.path.allSatisfy { $0 == "/" } ? address + Self.path : address
    }

    func validate() throws {
        guard url == nil || port == nil else { throw ValidationError("--url and --port name the same thing: give one") }
        guard port.map((1...65535).contains) ?? true else { throw ValidationError("--port must be 1 to 65535") }
    }
}
