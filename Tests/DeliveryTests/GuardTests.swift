import Backend
import Primitives
import Testing

@testable import Delivery

@Suite struct `Where a webhook may go` {
    /// An address of a public network, which no test connects to.
    private static let elsewhere = "93.184.215.14"

    private func refusal(_ world: CourierWorld, _ url: String) async -> String? {
        do throws(AddressRefusal) {
            try await world.courier.check(url)
            return nil
        } catch {
            return error.description
        }
    }

    @Test func `there are more than 200 hostile addresses, none twice`() {
        let all = HostileAddresses.forms + HostileAddresses.resolved
        #expect(all.count >= 300 && Set(all).count == all.count)
    }

    /// T40, W7. The resolver knows a public address for every name: what is refused is refused for how it is written.
    @Test func `TELL-4 a hostile address is refused when it is written and when something is sent`() async throws {
        let resolver = TableResolver([:], fallback: [Self.elsewhere])
        try await CourierWorld.run(resolver: resolver) { world in
            for url in HostileAddresses.forms {
                let words = await refusal(world, url)
                guard let words else {
                    Issue.record("\(url.debugDescription) was accepted")
                    continue
                }
                #expect(await world.send(url) == .failed(.addressRefused, words: words), "\(url.debugDescription)")
            }
            #expect(world.courier.clients == 0 && resolver.count == 0)
        }
    }

    @Test(arguments: HostileAddresses.resolved)
    func `TELL-4 a name that has an address that is not public is refused, whatever others it has`(address: String) async throws {
        let names = [
            [address], [Self.elsewhere, address], [address, Self.elsewhere], [Self.elsewhere, "2606:4700::1111", address],
        ]
        for addresses in names {
            try await CourierWorld.run(resolver: TableResolver(["hook.example": [addresses]])) { world in
                let words = try #require(await refusal(world, "https://hook.example/"))
                #expect(words.contains("not public") && !words.contains(address))
                #expect(await world.failure("https://hook.example/") == .addressRefused)
                #expect(world.courier.clients == 0)
            }
        }
    }

    @Test(arguments: [
        "https://hook.example", "https://hook.example/", "HTTPS://HOOK.example/Path?q=%20&r", "https://hook.example:443/",
        "https://hook.example:8443/a/b/../c;d", "https://xn--bcher-kva.example/", "https://a_b.example/",
        "https://hook.example?a=b",
        "https://1password.example/", "https://0x7f.example/", "https://127.0.0.1.example.com/", "https://hook.example/a@b:c",
        "https://hook.example/%E2%82%AC",
    ])
    func `a public receiver is accepted`(url: String) async throws {
        try await CourierWorld.run(resolver: TableResolver([:], fallback: [Self.elsewhere, "2606:4700::1111"])) { world in
            #expect(await refusal(world, url) == nil)
        }
    }

    @Test func `a name that no resolver knows is refused, and the attempt says so`() async throws {
        try await CourierWorld.run(resolver: TableResolver([:])) { world in
            #expect(await refusal(world, "https://hook.example/") == "the name of the host has no address")
            #expect(await world.failure("https://hook.example/") == .nameUnknown)
        }
    }

    struct Allowance: Sendable, CustomTestStringConvertible {
        let allow: [String]
        let url: String
        let resolved: [String]
        let isAllowed: Bool

        init(_ allow: [String], _ url: String, _ resolved: [String], _ isAllowed: Bool) {
            (self.allow, self.url, self.resolved, self.isAllowed) = (allow, url, resolved, isAllowed)
        }

        var testDescription: String { "\(allow) \(url) \(resolved)" }
    }

    @Test(arguments: [
        // A named host: any address, any port, without TLS.
        Allowance(["billing.internal"], "http://billing.internal:8080/", ["10.0.0.1"], true),
        Allowance(["Billing.Internal"], "http://BILLING.internal:22/", ["10.0.0.1", "93.184.215.14"], true),
        Allowance(["billing.internal"], "http://a.billing.internal/", ["10.0.0.1"], false),
        Allowance(["billing.internal"], "http://10.0.0.1/", [], false),
        Allowance(["localhost"], "http://localhost:3000/", ["127.0.0.1", "::1"], true),
        // A range: names whose addresses all lie in it, and its addresses themselves.
        Allowance(["10.0.0.0/8"], "http://billing.internal:8080/", ["10.0.0.1"], true),
        Allowance(["10.0.0.0/8"], "http://10.1.2.3:8080/", [], true),
        Allowance(["10.0.0.0/8"], "http://11.1.2.3:8080/", [], false),
        Allowance(["10.0.0.0/8"], "https://billing.internal/", ["10.0.0.1", "192.168.0.1"], false),
        // A public address beside an allowed one: as long as the rest is ordinary.
        Allowance(["10.0.0.0/8"], "https://billing.internal/", ["10.0.0.1", "93.184.215.14"], true),
        Allowance(["10.0.0.0/8"], "https://billing.internal:8080/", ["10.0.0.1", "93.184.215.14"], false),
        Allowance(["10.0.0.0/8"], "http://billing.internal/", ["10.0.0.1", "93.184.215.14"], false),
        Allowance(["10.0.0.0/8"], "http://hook.example/", ["93.184.215.14"], false),
        Allowance(["10.0.0.0/8"], "https://hook.example:22/", ["93.184.215.14"], false),
        Allowance(["10.0.0.0/8"], "https://hook.example/", ["93.184.215.14"], true),
        Allowance(["10.0.0.0/8"], "https://hook.example/", ["::ffff:10.0.0.1"], false),
        Allowance(["127.0.0.0/8"], "http://localhost:3000/", ["127.0.0.1"], true),
        Allowance(["10.0.0.0/8"], "https://localhost/", ["127.0.0.1"], false),
        Allowance(["fd00::/8"], "http://[fd00::1]:8080/", [], true),
        Allowance(["fd00::/8"], "http://[fe80::1]:8080/", [], false),
        Allowance(["93.184.215.14"], "https://93.184.215.14/", [], true),
        // No entry makes a form readable in two ways.
        Allowance(["0.0.0.0/0", "::/0"], "http://127.1/", [], false),
        Allowance(["0.0.0.0/0", "::/0"], "http://user@127.0.0.1/", [], false),
        Allowance(["0.0.0.0/0", "::/0"], "http://2130706433/", [], false),
        Allowance(["0.0.0.0/0", "::/0"], "file:///etc/passwd", [], false),
        Allowance(["0.0.0.0/0", "::/0"], "http://[fe80::1%25eth0]/", [], false),
    ])
    func `TELL-4 what the configuration allows is accepted, and nothing beside it`(allowance: Allowance) async throws {
        let resolver = TableResolver([:], fallback: allowance.resolved)
        try await CourierWorld.run(allow: allowance.allow, resolver: resolver) { world in
            let words = await refusal(world, allowance.url)
            #expect((words == nil) == allowance.isAllowed, "\(words ?? "accepted")")
        }
    }

    // MARK: How a URL is read

    @Test(arguments: [
        ("https://Hook.Example", "https://hook.example/"), ("https://hook.example:443/a", "https://hook.example/a"),
        ("https://hook.example:8443?a=b", "https://hook.example:8443/?a=b"),
        ("http://hook.example:443/", "http://hook.example:443/"),
        ("http://[FD00::1]:80/x", "http://[fd00:0:0:0:0:0:0:1]/x"), ("http://10.0.0.1:8080", "http://10.0.0.1:8080/"),
    ])
    func `a URL is written again from its parts`(text: String, written: String) throws {
        #expect(try EndpointURL(text).text == written)
        #expect(try EndpointURL(written).text == written)
    }

    @Test(arguments: [
        ("https://bücher.example/", "xn--"), ("https://a@hook.example/", "user name"), ("https://hook.example/#a", "fragment"),
        ("https://127.1/", "another spelling"), ("https://hook.example./", "ends with a dot"),
        ("ftp://hook.example/", "https://"),
        ("https://hook.example:22/", "443 nor 8443"), ("http://hook.example/", "https://"), ("https://8.8.8.8/", "IP address"),
        ("https://hook.example:x/", "port"),
    ])
    func `a refusal says what is wrong`(url: String, word: String) async throws {
        try await CourierWorld.run(resolver: TableResolver([:])) { world in
            let words = try #require(await refusal(world, url))
            #expect(words.contains(word))
        }
    }
}
