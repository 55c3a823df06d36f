import Ledger
import Primitives
import Storage
import Testing

/// How versions of an app's settings, and the records that refer to them, are encoded.
@Suite struct SettingsCodingTests {
    private static let start = Timestamp(millisecondsSince1970: 1_767_225_600_000)

    private static func content(_ names: [String]) -> SettingsContent {
        SettingsContent(
            policy: AppPolicy(version: 7, onRestore: .transfer),
            products: names.map {
                .init(productId: ProductID($0), validFrom: start, entitlements: [EntitlementID("plus")])
            }, durations: [ProductID("season"): .days(14)])
    }

    @Test func `OWN-17 equal contents are one text and one digest, whatever the order and the number in the file`() throws {
        let (one, two) = (Self.content(["a", "b"]), Self.content(["b", "a"]))
        let texts = try [one, two].map(SettingsCoding.encode)
        #expect(texts[0] == texts[1] && SettingsCoding.digest(of: texts[0]).utf8.count == 64)
        #expect(try SettingsCoding.decode(texts[0]) == one)
        #expect(try SettingsCoding.encode(Self.content(["a"])) != texts[0])
        #expect(throws: StorageError(.corrupt, "")) { try SettingsCoding.decode("{}") }
    }

    @Test func `OWN-17 a row that names one policy is read as one that always held`() throws {
        let old = try StateCoding.encode(AppPolicy(version: 3, onPurchase: .stay))
        let read = try StateCoding.decode(PolicyTimeline.self, from: old)
        #expect(read == PolicyTimeline(AppPolicy(version: 3, onPurchase: .stay)))
        let changed = read.changing(to: AppPolicy(version: 4), from: Self.start)
        #expect(try StateCoding.decode(PolicyTimeline.self, from: StateCoding.encode(changed)) == changed)
    }

    @Test func `OWN-17 an audit row that names a version is read back`() throws {
        let text = #"{"settingsVersion":{"_0":3}}"#
        #expect(try StateCoding.decode(AuditRow.Evidence.self, from: text) == .settingsVersion(3))
        #expect(try StateCoding.encode(AuditRow.Evidence.settingsVersion(3)) == text)
    }
}
