import AppStoreWire
import Primitives
import SimulatorPKI
import Testing

/// The App Store's certificates that we make ourselves.
@Suite struct `Signing authority` {
    let world: World

    init() throws { world = try World.shared.get() }

    @Test func `an exported authority continues under the same root`() async throws {
        let again = try SigningAuthority(pem: world.authority.exportedPEM())
        #expect(again.chainDER == world.authority.chainDER)
        #expect(await world.refusal(try again.sign(payload: Sample.json(Sample.transaction))) == nil)
        let renewed = try again.renewingLeaf(validity: World.year)
        #expect(renewed.rootFingerprint == world.authority.rootFingerprint)
        #expect(renewed.chainDER[0] != world.authority.chainDER[0])
        #expect(await world.refusal(try renewed.sign(payload: Sample.json(Sample.transaction))) == nil)
    }

    @Test func `a text that is not an export is refused`() throws {
        #expect(throws: SigningAuthorityError.notAnExport) { try SigningAuthority(pem: "") }
        let pem = world.authority.exportedPEM(), other = try SigningAuthority(validity: World.year).exportedPEM()
        let marker = "-----BEGIN CERTIFICATE-----"
        let parts = pem.split(separator: marker).map { marker + $0 }, others = other.split(separator: marker).map { marker + $0 }
        #expect(throws: SigningAuthorityError.notAnExport) { try SigningAuthority(pem: parts[0] + parts[1]) }
        let certificate = others[0].split(separator: "-----BEGIN PRIVATE")[0]
        let key = parts[0].split(separator: "-----BEGIN PRIVATE")[1]
        #expect(throws: SigningAuthorityError.keysDoNotMatch) {
            try SigningAuthority(pem: certificate + "-----BEGIN PRIVATE" + key + parts[1] + parts[2])
        }
    }

    @Test func `the certificates have the sizes of Apple's`() {
        // 1076, 794 and 583 bytes in payloads of 2022 and 2023.
        let sizes = world.authority.chainDER.map(\.count)
        #expect((1026...1126).contains(sizes[0]) && (744...844).contains(sizes[1]) && (533...633).contains(sizes[2]), "\(sizes)")
    }

    @Test func `the header is Apple's, to the byte`() throws {
        let jws = try world.authority.sign(payload: [])
        let header = try #require(StrictBase64.decodeURL(Array(jws.utf8.prefix { $0 != UInt8(ascii: ".") })[...]))
        let list = world.authority.chainDER.map { "\"\(StrictBase64.encodePadded($0))\"" }.joined(separator: ",")
        #expect(String(decoding: header, as: UTF8.self) == "{\"alg\":\"ES256\",\"x5c\":[\(list)]}")
    }
}
