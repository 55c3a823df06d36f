import AppStoreWire
import Foundation
import Testing

@testable import tenure

/// Configurations that are valid but cause a warning.
@Suite struct `Warnings of a configuration` {
    private static let root = String(repeating: "ab", count: 32)

    private func app(_ id: String, _ members: String...) -> String {
        let usual = [
            #""id":"\#(id)""#, #""appAppleId":1"#, #""products":{"a":["plus"]}"#,
            #""bundleId":"com.example.\#(id)""#, #""publicKey":"tpk_\#(id)""#,
            #""serverKeySHA256":"\#(String(repeating: id == "one" ? "01" : "02", count: 32))""#,
        ]
        let changed = members.map { $0.prefix { $0 != ":" } }
        let kept = usual.filter { line in !changed.contains(line.prefix { $0 != ":" }) }
        return "{\((kept + members).joined(separator: ","))}"
    }

    private func warnings(
        _ apps: String..., trust: String = "{}", environment: [String: String] = [:]
    ) throws -> [String] {
        let json = #"{"database":{"sqlite":"x"},"trust":\#(trust),"apps":[\#(apps.joined(separator: ","))]}"#
        return try TenureConfiguration(json: Array(json.utf8), environment: environment).warnings(environment: environment)
            .map(\.text)
    }

    @Test func `two apps with separate secrets cause none`() throws {
        #expect(try warnings(app("one"), app("two")) == [])
        #expect(
            try warnings(app("one"), environment: ["TENURE_APP_ONE_SHARED_SECRETS": "x", "TENURE_APP_URL": "http://x"]) == [])
        #expect(try warnings(app("one"), trust: #"{"appleRoots":false,"additionalRootSHA256":["\#(Self.root)"]}"#) == [])
    }

    @Test(arguments: [
        #""bundleId":"com.example.same""#, #""publicKey":"tpk_same""#,
        #""serverKeySHA256":"\#(String(repeating: "ab", count: 32))""#,
        #""customerTokenSecret":"a secret of thirty-two bytes, or more""#,
    ])
    func `a secret shared by two apps is reported with both`(_ member: String) throws {
        let told = try warnings(app("one", member), app("two", member))
        let name = member.dropFirst().prefix { $0 != "\"" }
        #expect(told.count == 1)
        #expect(told.first?.hasPrefix("apps[].\(name): one and two have the same one.") == true, "\(told)")
    }

    @Test func `a root besides Apple's is reported with its fingerprint`() throws {
        let told = try warnings(app("one"), trust: #"{"additionalRootSHA256":["\#(Self.root)"]}"#)
        #expect(told.count == 1 && told[0].contains(Self.root) && told[0].hasPrefix("trust.additionalRootSHA256: "))
    }

    @Test func `FACT-4 an app that accepts Xcode and trusts no copy of it is reported, and a listed certificate is trusted`()
        throws
    {
        let member = #""environments":["Sandbox","Xcode"]"#
        let told = try warnings(app("one", member), app("two"))
        #expect(told.count == 1 && told[0].contains("one accepts the environment Xcode"), "\(told)")
        let colons = Array(repeating: "AB", count: 32).joined(separator: ":")
        for digits in [Self.root, colons] {
            let trust = #"{"xcodeCertificateSHA256":["\#(digits)"]}"#
            #expect(try warnings(app("one", member), trust: trust) == [])
            let json = #"{"database":{"sqlite":"x"},"trust":\#(trust),"apps":[\#(app("one", member))]}"#
            let roots = try TenureConfiguration(json: Array(json.utf8), environment: [:]).roots
            #expect(roots.xcodeFingerprints == [Array(repeating: 0xAB, count: 32)], "as openssl writes it, too")
        }
        #expect(throws: CommandError.self) {
            try warnings(app("one", member), trust: #"{"xcodeCertificateSHA256":["ab"]}"#)
        }
    }

    @Test func `a misspelt environment variable is reported, with the known ones`() throws {
        let told = try warnings(
            app("one"), environment: ["TENURE_APP_ONE_SERVER_KEY": "x", "TENURE_APP_OEN_SHARED_SECRETS": "x"])
        #expect(told.count == 2)
        #expect(
            told.first?.hasPrefix("TENURE_APP_OEN_SHARED_SECRETS: this environment variable is not used. Known: ") == true)
        #expect(told.allSatisfy { $0.contains("TENURE_APP_ONE_SERVER_KEY_SHA256") })
    }
}
