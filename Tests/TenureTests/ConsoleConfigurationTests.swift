import Backend
import OperatorFactors
import StrictJSON
import Testing

@testable import tenure

@Suite struct `The console of the configuration` {
    private func console(_ json: String) throws -> ConsoleConfiguration {
        try ConsoleConfiguration(in: JSONFields(try JSONDocument(Array(json.utf8)).root, knowing: ["console"]))
    }

    @Test func `without it there is neither an address nor a proxy, and a link is its token alone`() throws {
        let token = SecretToken(random: Array(0..<32))
        let none = try console("{}")
        #expect(none.address == nil && none.proxy == nil && none.link(token) == token.text)
        let some = try console(#"{"console":{"address":"https://tenure.example.com/console/"}}"#)
        #expect(some.link(token) == "https://tenure.example.com/console/login/link/\(token.text)")
    }

    @Test func `a proxy is a header and the addresses from which it counts`() throws {
        let console = try console(
            #"{"console":{"address":"http://localhost:9000","proxy":{"header":"Remote-User","from":["10.0.0.0/8","::1"]}}}"#)
        #expect(console.proxy?.word(["mia"], from: "10.9.9.9") == .of("mia"))
        #expect(console.proxy?.word(["mia"], from: "192.0.2.1") == .notFromProxy)
    }

    @Test(arguments: [
        #"{"address":"http://tenure.example.com"}"#, #"{"address":"tenure.example.com"}"#, #"{"address":"https://"}"#,
        #"{"address":"https://tenure.example.com?a"}"#, #"{"address":"javascript:alert(1)"}"#, #"{"other":1}"#,
        #"{"proxy":{"header":"Remote-User"}}"#, #"{"proxy":{"header":"Remote-User","from":[]}}"#,
        #"{"proxy":{"header":"Remote User","from":["::1"]}}"#, #"{"proxy":{"from":["::1"]}}"#,
        #"{"proxy":{"header":"Remote-User","from":["10.0.0.1/8"]}}"#,
    ])
    func `what would let in whoever asks, or ask for passwords in the clear, is refused`(text: String) {
        #expect(throws: (any Error).self) { try console(#"{"console":\#(text)}"#) }
    }
}
