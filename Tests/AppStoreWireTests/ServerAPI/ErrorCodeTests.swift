import AppStoreWire
import Testing

@Suite struct `Error codes of the App Store Server API` {
    /// Apple's page "Error codes", copied by hand.
    static let documented: [Int64] = [
        4_000_000, 4_000_002, 4_000_005, 4_000_006, 4_000_008, 4_000_009, 4_000_010, 4_000_011, 4_000_012, 4_000_013, 4_000_014,
        4_000_015, 4_000_016, 4_000_017, 4_000_018, 4_000_019, 4_000_020, 4_000_021, 4_000_022, 4_000_023, 4_000_024, 4_000_025,
        4_000_026, 4_000_027, 4_000_028, 4_000_030, 4_000_031, 4_000_032, 4_000_033, 4_000_034, 4_000_035, 4_000_036, 4_000_037,
        4_000_038, 4_000_039, 4_000_040, 4_000_041, 4_000_042, 4_000_043, 4_000_047, 4_000_048, 4_000_161, 4_000_162, 4_000_163,
        4_000_164, 4_000_175, 4_000_183, 4_000_185, 4_000_187, 4_000_211, 4_000_212, 4_000_213, 4_000_215, 4_000_216, 4_000_218,
        4_000_219, 4_000_224, 4_030_004, 4_030_005, 4_030_007, 4_030_014, 4_030_016, 4_030_017, 4_030_018, 4_030_019, 4_030_026,
        4_040_001, 4_040_002, 4_040_003, 4_040_004, 4_040_005, 4_040_006, 4_040_007, 4_040_008, 4_040_009, 4_040_010, 4_040_014,
        4_040_015, 4_040_018, 4_040_019, 4_040_020, 4_040_021, 4_090_000, 4_090_001, 4_290_000, 5_000_000, 5_000_001,
    ]

    static let retryable: Set<Int64> = [4_040_002, 4_040_004, 4_040_006, 4_290_000, 5_000_000, 5_000_001]

    @Test func `all of Apple's codes are listed, and no other`() {
        #expect(ServerAPIErrorCode.all.map(\.rawValue) == Self.documented)
    }

    @Test func `exactly six codes are retryable`() {
        #expect(Set(ServerAPIErrorCode.all.filter(\.isRetryable).map(\.rawValue)) == Self.retryable)
        #expect(!ServerAPIErrorCode(rawValue: 9_990_000).isRetryable)
        #expect(!ServerAPIErrorCode(rawValue: 9_990_000).isListed)
        #expect(ServerAPIErrorCode.rateLimitExceeded.isListed)
    }

    @Test func `two codes direct the caller to the other environment`() {
        #expect(ServerAPIErrorCode.all.filter(\.mayBeOfOtherEnvironment).map(\.rawValue) == [4_040_005, 4_040_010])
    }

    @Test func `names stand for Apple's numbers`() {
        #expect(ServerAPIErrorCode.transactionIdNotFound.rawValue == 4_040_010)
        #expect(ServerAPIErrorCode.originalTransactionIdNotFound.rawValue == 4_040_005)
        #expect(ServerAPIErrorCode.familyTransactionNotSupported.rawValue == 4_000_185)
        #expect(ServerAPIErrorCode.subscriptionMaxExtension.rawValue == 4_030_005)
        #expect(ServerAPIErrorCode.appTransactionDoesNotExist.rawValue == 4_040_019)
        #expect(ServerAPIErrorCode.headerAboveImageWithoutImage.rawValue == 4_000_224)
    }
}
