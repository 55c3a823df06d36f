import Backend
import Console
import OperatorFactors
import Server
import StrictJSON
import Testing

@testable import tenure

@Suite struct `The console of the configuration` {
    private func console(_ json: String) throws -> ConsoleConfiguration {
        try ConsoleConfiguration(
            in: JSONFields(try JSONDocument(Array(json.utf8)).root, knowing: ["console"]), beside: ServerConfiguration())
    }

    @Test func `without it there is neither an address nor a proxy, and a link is its token alone`() throws {
        let token = SecretToken(random: Array(0..<32))
        let none = try console("{}")
        #expect(none.address == nil && none.ways.proxy == nil && none.listener == nil && none.link(token) == token.text)
        let some = try console(#"{"console":{"address":"https://tenure.example.com/console/"}}"#)
        #expect(some.link(token) == "https://tenure.example.com/console/login/link/\(token.text)")
    }

    @Test func `a proxy is a header and the addresses from which it counts`() throws {
        let console = try console(
            #"{"console":{"address":"http://localhost:9000","proxy":{"header":"Remote-User","from":["10.0.0.0/8","::1"]}}}"#)
        #expect(console.ways.proxy?.word(["mia"], from: "10.9.9.9") == .of("mia"))
        #expect(console.ways.proxy?.word(["mia"], from: "192.0.2.1") == .notFromProxy)
    }

    @Test func `with a port it listens on this machine alone, and is reached there`() throws {
        let own = try console(#"{"console":{"port":9000}}"#)
        #expect((own.listener?.host, own.listener?.port, own.address) == ("127.0.0.1", 9000, "http://127.0.0.1:9000"))
        #expect(own.url?.origin == "http://127.0.0.1:9000" && own.url?.isSecure == false)
        let behind = try console(
            #"{"console":{"port":9000,"host":"0.0.0.0","address":"https://example.com/tenure","forwardedFrom":["10.0.0.0/8"]}}"#)
        #expect((behind.url?.origin, behind.url?.site.basePath) == ("https://example.com", "/tenure"))
        #expect(behind.ways.forwarders.count == 1)
    }

    @Test(arguments: [
        #"{"port":9000,"host":"0.0.0.0"}"#, #"{"port":0}"#, #"{"port":8080}"#, #"{"port":9000,"forwardedFrom":["proxy"]}"#,
        #"{"address":"https://example.com/a b"}"#, #"{"address":"https://example.com:0"}"#,
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
