import Backend
import Dispatch
import Primitives
import Testing

@testable import Delivery

@Suite struct `Which addresses are public` {
    /// What Python calls global although no webhook may go there: multicast, tunnels and translators that carry an IPv4 address,
    /// what has not been given out, and what IETF protocols use (RFC 6890, RFC 9637, RFC 9602).
    private static let narrower = [
        "192.0.0.0/24", "224.0.0.0/4", "192.88.99.0/24", "64:ff9b::/96", "2001::/23", "2002::/16", "3fff::/20",
    ].compactMap { AddressRange($0) }

    @Test func `TELL-4 nothing is public that Python's ipaddress does not call global, and little else is refused`() throws {
        let lines = AddressVectors.text.split(separator: "\n")
        #expect(lines.count > 600)
        let assigned = try #require(AddressRange("2000::/3"))
        var (agreed, narrower) = (0, 0)
        for line in lines {
            let parts = line.split(separator: " ")
            let address = try #require(IPAddress(parts[0]))
            let isPublic = SpecialRanges.meaning(of: address) == nil
            if parts[1] == "not" {
                #expect(!isPublic, "\(line)")
            } else if !isPublic {
                narrower += 1
                let isKnown = Self.narrower.contains { $0.contains(address) }
                #expect(isKnown || (address.family == .v6 && !assigned.contains(address)), "\(line)")
            }
            agreed += isPublic == (parts[1] == "public") ? 1 : 0
        }
        #expect(agreed > 400 && narrower > 10, "\(agreed) and \(narrower)")
    }

    @Test func `every range of the table can be read, and the table is whole`() {
        #expect(SpecialRanges.count == SpecialRanges.texts.count && SpecialRanges.count >= 33)
    }

    /// Both ends of each range that the page about webhooks lists, and their neighbours.
    @Test(arguments: [
        ("0.0.0.0", false), ("0.255.255.255", false), ("1.0.0.0", true), ("9.255.255.255", true), ("10.0.0.0", false),
        ("10.255.255.255", false), ("11.0.0.0", true), ("100.63.255.255", true), ("100.64.0.0", false),
        ("100.127.255.255", false), ("100.128.0.0", true), ("126.255.255.255", true), ("127.0.0.0", false),
        ("127.255.255.255", false), ("128.0.0.0", true), ("169.253.255.255", true), ("169.254.0.0", false),
        ("169.254.169.254", false), ("169.255.0.0", true), ("172.15.255.255", true), ("172.16.0.0", false),
        ("172.31.255.255", false), ("172.32.0.0", true), ("192.0.0.0", false), ("192.0.0.255", false), ("192.0.1.0", true),
        ("192.0.2.1", false), ("192.0.3.0", true), ("192.88.98.255", true), ("192.88.99.1", false), ("192.88.100.0", true),
        ("192.167.255.255", true), ("192.168.0.0", false), ("192.168.255.255", false), ("192.169.0.0", true),
        ("198.17.255.255", true), ("198.18.0.0", false), ("198.19.255.255", false), ("198.20.0.0", true),
        ("198.51.99.255", true), ("198.51.100.0", false), ("198.51.101.0", true), ("203.0.112.255", true),
        ("203.0.113.0", false), ("203.0.114.0", true), ("223.255.255.255", true), ("224.0.0.0", false),
        ("239.255.255.255", false), ("240.0.0.0", false), ("255.255.255.255", false), ("::", false), ("::1", false),
        ("::127.0.0.1", false), ("::8.8.8.8", false), ("::ffff:127.0.0.1", false), ("::ffff:8.8.8.8", false),
        ("::ffff:0:127.0.0.1", false), ("64:ff9b::7f00:1", false), ("64:ff9b::808:808", false), ("64:ff9b:1::1", false),
        ("100::1", false), ("1fff:ffff::1", false), ("2000::1", true), ("2001::1", false), ("2001:1ff:ffff::1", false),
        ("2001:200::1", true), ("2001:db7:ffff::1", true), ("2001:db8::1", false), ("2001:db9::1", true),
        ("2001:4860:4860::8888", true), ("2002:7f00:1::1", false), ("2002:808:808::1", false), ("2003::1", true),
        ("2606:4700::1111", true), ("3fff::1", false), ("3fff:1000::1", true), ("4000::1", false), ("5f00::1", false),
        ("fc00::1", false), ("fdff:ffff::1", false), ("fe80::1", false), ("febf::1", false), ("fec0::1", false),
        ("ff02::1", false),
    ])
    func `the borders of the ranges lie where the registries say`(text: String, isPublic: Bool) throws {
        let address = try #require(IPAddress(text))
        #expect((SpecialRanges.meaning(of: address) == nil) == isPublic)
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
        ("::", "0:0:0:0:0:0:0:0"), ("2001:DB8::a", "2001:db8:0:0:0:0:0:a"), ("::ffff:1.2.3.4", "0:0:0:0:0:ffff:102:304"),
    ])
    func `an address is written in one way`(text: String, written: String) { #expect(IPAddress(text)?.description == written) }

    @Test(arguments: [
        "", "1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.256", "0x1.2.3.4", " 1.2.3.4", "1.2.3.4 ", "1.2.3.4/8", "::1%lo",
        "[::1]",
        ":::", "1::2::3", "12345::", "localhost", "１.2.3.4",
    ])
    func `another spelling is no address`(text: String) { #expect(IPAddress(text) == nil) }

    @Test(arguments: [
        ("10.0.0.0/8", "10.9.8.7", true), ("10.0.0.0/8", "11.0.0.0", false), ("0.0.0.0/0", "8.8.8.8", true),
        ("0.0.0.0/0", "::1", false), ("::/0", "::1", true), ("::/0", "1.2.3.4", false), ("1.2.3.4", "1.2.3.4", true),
        ("1.2.3.4", "1.2.3.5", false), ("1.2.3.4/31", "1.2.3.5", true), ("fd00::/8", "fdff::1", true),
        ("fd00::/8", "fc00::1", false), ("::1/128", "::1", true), ("10.0.0.0/8", "::ffff:10.0.0.1", false),
    ])
    func `a range contains what begins like it, in its family`(range: String, address: String, isInside: Bool) throws {
        #expect(try #require(AddressRange(range)).contains(try #require(IPAddress(address))) == isInside)
    }

    @Test(arguments: ["", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.1/8", "10/8", "::/129", "10.0.0.0/8/8", "10.0.0.0/+8", "a/8"])
    func `what is no range is none`(text: String) { #expect(AddressRange(text) == nil) }

    @Test(arguments: ["10.0.0.1/8", "http://a", "a:80", "a/b", "*.internal", "", "a b", "ü.de", "1.2.3", "a."])
    func `an entry that allows nothing is refused with a sentence that names it`(entry: String) {
        do throws(AddressRefusal) {
            _ = try AllowedAddresses(["10.0.0.0/8", entry])
            Issue.record("was read")
        } catch {
            #expect(error.description.hasPrefix("\"\(entry)\" "))
        }
    }
}

@Suite struct `The machine's resolver` {
    @Test func `knows this machine, and not a name that is longer than names may be`() async throws {
        let resolver = SystemResolver(timeout: .minutes(10))
        let addresses = try await resolver.addresses(of: "localhost")
        #expect(addresses.contains { ["127.0.0.1", "0:0:0:0:0:0:0:1"].contains($0.description) })
        // No resolver has to be asked.
        await #expect(throws: NameFailure.unknown) {
            try await resolver.addresses(of: String(repeating: "a", count: 64) + ".example.com")
        }
        await resolver.shutdown()
    }

    @Test func `is not waited for longer than a look-up may take`() async throws {
        let (answers, end) = AsyncStream<Void>.makeStream()
        let latch = DispatchSemaphore(value: 0)
        let resolver = SystemResolver(timeout: Milliseconds(1)) { _ in
            latch.wait()
            end.finish()
            return .failure(.unknown)
        }
        await #expect(throws: NameFailure.noAnswer) { try await resolver.addresses(of: "a.example") }
        latch.signal()
        for await _ in answers {}
        await resolver.shutdown()
    }
}
