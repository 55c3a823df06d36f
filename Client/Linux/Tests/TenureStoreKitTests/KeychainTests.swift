import Foundation
import Security
import TenureStoreKit
import Testing

@testable import TenureClient

@Suite(.serialized) struct `The item in the Keychain` {
    private let keychain = PretendKeychain.shared
    private let item = KeychainItem(service: "tenure-client.notes")

    init() { keychain.begin() }

    @Test func `what is not there is nothing, what was written is read, and written again it is one item still`() throws {
        #expect(try item.read() == nil)
        try item.write(Data("one".utf8))
        try item.write(Data("two".utf8))
        #expect(try item.read() == Data("two".utf8))
        #expect(try KeychainItem(service: "tenure-client.other").read() == nil)
        let only = keychain.attributes
        #expect(only.count == 1)
        #expect(only.first?[kSecAttrAccessible] == kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, "no other device gets it")
        #expect(only.first?[kSecAttrService] == "tenure-client.notes" && only.first?[kSecClass] == kSecClassGenericPassword)
    }

    @Test func `before the device was unlocked it fails, and says so`() throws {
        keychain.fail(with: errSecInteractionNotAllowed)
        #expect(throws: KeychainFailure(status: -25308)) { try item.read() }
        #expect(throws: KeychainFailure(status: -25308)) { try item.write(Data()) }
    }

    @Test func `an app keeps its last answers there unless it says otherwise`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("keychain-\(UUID().uuidString)")
        let configuration = try Tenure.Configuration(
            server: try #require(URL(string: "https://tenure.example.com")), app: "notes", publicKey: "pk",
            store: StoreKitStore(), folder: folder)
        let name = Tenure.Kept.answer(to: "alice")
        try configuration.keep.save(Data("answer".utf8), as: name)
        try configuration.keep.save(Data("who".utf8), as: Tenure.Kept.identity)
        try FileManager.default.removeItem(at: folder)
        #expect(try configuration.keep.value(name) == Data("answer".utf8))
        #expect(try configuration.keep.value(Tenure.Kept.identity) == nil)
    }
}
