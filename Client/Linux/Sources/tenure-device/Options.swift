import Foundation
import TenureClient
import TenureLocalStore

/// What the command line says.
struct Options {
    private var values: [String: String] = [:]
    /// What the app does, one after the other.
    private(set) var steps: [String] = []

    struct Wrong: Error { let words: String }

    static let usage = """
        Plays an app with the SDK on a device of the local App Store, and prints a line of JSON for each step.

        tenure-device --server URL --app ID --public-key KEY --store URL/control/v1 \
        --device ID --folder FOLDER --tokens FILE [options] STEP...

        --tokens FILE   JSON: the token of each customer, as the app's backend would make it
        --keys FILE     what /.well-known/jwks.json of the server says: whose signed answers are believed
        --boot FILE     what is in it is the name of this boot, in place of the system's
        --ios VERSION   below 16 the device has the app receipt in place of the app transaction; 16 unless said
        --end MOMENT    the process is killed with SIGKILL: afterPurchase, beforeFinish

        Steps: start, identify:ID, signOut, purchase:PRODUCT or purchase:PRODUCT,OFFER, current, refresh, \
        restore:account, restore:appStore, settle, shown:COUNT, products:A,B, wall
        """

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let one = rest.popFirst() {
            if one.hasPrefix("--") {
                guard let value = rest.popFirst() else { throw Wrong(words: "\(one) has no value") }
                values[String(one.dropFirst(2))] = value
            } else {
                steps.append(one)
            }
        }
    }

    subscript(_ name: String) -> String? { values[name] }

    func required(_ name: String) throws -> String {
        guard let value = values[name] else { throw Wrong(words: "--\(name) is missing") }
        return value
    }

    func url(_ name: String) throws -> URL {
        guard let url = URL(string: try required(name)) else { throw Wrong(words: "--\(name) is no address") }
        return url
    }

    /// At which moment the process is to be killed.
    private enum End: String {
        /// The customer has bought, and the app has not heard it yet.
        case afterPurchase
        /// The server has it, and the store has not heard it yet.
        case beforeFinish
    }

    /// How the device behaves.
    var play: LocalAppStore.Play {
        get throws {
            var play = LocalAppStore.Play()
            play.complain = { complain($0) }
            if let text = values["ios"] {
                guard let version = Int(text) else { throw Wrong(words: "--ios is no number") }
                play.hasAppTransaction = version >= 16
            }
            if let text = values["end"] {
                guard let end = End(rawValue: text) else { throw Wrong(words: "there is no moment \(text)") }
                switch end {
                case .afterPurchase: play.afterPurchase = { kill(getpid(), SIGKILL) }
                case .beforeFinish: play.beforeFinish = { kill(getpid(), SIGKILL) }
                }
            }
            return play
        }
    }

    /// How many proofs of how the app was got the client has noted as shown.
    func shown() throws -> Int {
        struct Shown: Decodable { let names: [String] }
        let file = URL(fileURLWithPath: try required("folder")).appendingPathComponent("state/shown.json")
        guard FileManager.default.fileExists(atPath: file.path) else { return 0 }
        return try JSONDecoder().decode(Shown.self, from: try Data(contentsOf: file)).names.count
    }

    func configuration(_ store: LocalAppStore) throws -> Tenure.Configuration {
        let tokens = URL(fileURLWithPath: try required("tokens"))
        var configuration = try Tenure.Configuration(
            server: try url("server"), app: try required("app"), publicKey: try required("public-key"), store: store,
            folder: URL(fileURLWithPath: try required("folder"), isDirectory: true)
        ) { customer in
            let all = try JSONDecoder().decode([String: String].self, from: try Data(contentsOf: tokens))
            guard let token = all[customer] else { throw Wrong(words: "the backend does not know \(customer)") }
            return token
        }
        if let keys = values["keys"] {
            configuration.answerKeys = try AnswerKeys(jwks: try Data(contentsOf: URL(fileURLWithPath: keys)))
        }
        if let boot = values["boot"] { configuration.clock = NamedBoot(file: URL(fileURLWithPath: boot)) }
        return configuration
    }
}

/// The system's clocks in a boot that a test names, so that it can have another one without starting the machine anew.
struct NamedBoot: DeviceClock {
    let file: URL
    private let system = SystemClock()

    init(file: URL) { self.file = file }

    func read() -> ClockReading {
        var reading = system.read()
        do {
            reading.boot = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        } catch {
            reading.boot = nil
        }
        return reading
    }
}

/// Writes a line to standard error.
func complain(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
