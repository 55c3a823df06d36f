import APIContract
import ArgumentParser
import Primitives
import StrictJSON

// What is asked of Apple by hand. Each is one operation of the API or two; `tenure call` has all of them.

struct AppleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apple",
        abstract: "Show how asking Apple stands: up to when nothing is missing, what is due, the last error.")

    @OptionGroup var ledger: EnvironmentChoice
    @OptionGroup var server: ServerChoice

    func run() async throws { try await server.call(NativeAPI.readApple.description, [ledger.value]) }
}

struct RefreshCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh", abstract: "Ask Apple about a subscription now, and keep what it answers.")

    @Argument(help: "Apple's originalTransactionId.")
    var originalTransactionId: String

    @OptionGroup var ledger: EnvironmentChoice
    @OptionGroup var server: ServerChoice

    func run() async throws {
        try await server.call(
            NativeAPI.refreshSubscription.description,
            [GivenValue(name: "originalTransactionId", value: originalTransactionId), ledger.value])
    }
}

struct TestNotificationCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test-notification",
        abstract: "Have Apple post a test notification, and watch until it arrives.",
        discussion: """
            Shows whether App Store Connect has the server's address. Exit status 1 if it has not arrived after --seconds; the
            last answer then says what Apple's attempts came to.
            """)

    @Option(help: "How long to watch.")
    var seconds = 120

    @OptionGroup var ledger: EnvironmentChoice
    @OptionGroup var server: ServerChoice

    func validate() throws {
        guard (1...3600).contains(seconds) else { throw ValidationError("--seconds must be 1 to 3600.") }
    }

    func run() async throws {
        let asked = try await server.answer(of: NativeAPI.requestTestNotification.description, [ledger.value])
        try server.checkDone(asked)
        let token = try TestNotificationBody(json: asked.bytes).testNotificationToken
        if !server.json { Console.print("Apple was asked; waiting for \(token) …") }
        let values = [GivenValue(name: "testNotificationToken", value: token), ledger.value]
        let end = ContinuousClock.now.advanced(by: .seconds(seconds))
        while true {
            let answer = try await server.answer(of: NativeAPI.readTestNotification.description, values)
            // Apple knows the token only after some seconds.
            let isReceived = try answer.status == 200 && TestNotificationBody(json: answer.bytes).isReceived
            if isReceived { return try server.show(answer) }
            guard ContinuousClock.now < end else {
                try server.show(answer)
                throw ExitCode(1)
            }
            try await Task.sleep(for: .seconds(2))
        }
    }
}
