import AppStoreWire
import Primitives
import SimulatorPKI

/// Our own signer of receipts, and an app.
struct ReceiptWorld: Sendable {
    static let app = ExpectedApp(bundleId: "com.example.tenure", appAppleId: 4711, environments: [.production, .sandbox])

    /// Keys are expensive to make, and tests only read them.
    static let sha256: Result<ReceiptWorld, any Error> = Result { try ReceiptWorld(digest: .sha256) }
    static let sha1: Result<ReceiptWorld, any Error> = Result { try ReceiptWorld(digest: .sha1) }

    let authority: ReceiptAuthority
    let verifier: AppStoreVerifier

    init(shape: ChainShape = .apple, digest: ReceiptAuthority.Digest, limits: ReceiptLimits = .default) throws {
        authority = try ReceiptAuthority(shape: shape, digest: digest, validity: World.year)
        verifier = AppStoreVerifier(
            roots: TrustRoots(fingerprints: []).adding(der: authority.rootDER), receiptLimits: limits)
    }

    func verify(
        _ der: [UInt8], for app: ExpectedApp = app, at now: Timestamp = World.now
    ) async -> Result<Verified<AppReceiptPayload>, ReceiptRefusal> {
        await verifier.appReceipt(der, for: app, at: now)
    }

    func refusal(_ der: [UInt8], for app: ExpectedApp = app) async -> ReceiptRefusal.Code? { await verify(der, for: app).refusal }

    func signed(_ change: (inout ReceiptContent) -> Void = { _ in }) throws -> [UInt8] {
        var content = Self.content
        change(&content)
        return try authority.sign(content: content.der)
    }

    /// Everything that a receipt of Apple's has, without purchases.
    static let content = content(leavingOut: [])

    static func content(leavingOut left: Set<Int64>, adding: [(Int64, [UInt8])] = []) -> ReceiptContent {
        var content = ReceiptContent()
        for (type, value) in attributes where !left.contains(type) { content.attribute(type, value) }
        for (type, value) in adding { content.attribute(type, value) }
        return content
    }

    static let device: [UInt8] = Array(0..<16)
    static let opaque: [UInt8] = [7, 7, 7, 7, 1, 2, 3, 4]

    static let attributes: [(Int64, [UInt8])] = [
        (0, DERWriter.utf8("Production")), (1, DERWriter.integer(4711)), (2, DERWriter.utf8("com.example.tenure")),
        (3, DERWriter.utf8("42")), (4, opaque), (5, hash), (8, DERWriter.ia5("2026-05-28T20:26:40Z")),
        (10, DERWriter.ia5("4+")), (12, DERWriter.ia5("2026-05-28T20:26:40Z")), (15, DERWriter.integer(512_000_000_001)),
        (16, DERWriter.integer(889)), (18, DERWriter.ia5("2026-01-02T03:04:05Z")), (19, DERWriter.utf8("1.0")),
        (21, DERWriter.ia5("")), (25, [1, 2, 3]),
    ]

    /// SHA-1 of device, opaque value and encoded bundle id, from `openssl dgst -sha1`.
    static let hash: [UInt8] = [
        0xC5, 0x81, 0xDC, 0x1E, 0x74, 0xAD, 0xFF, 0x73, 0x4F, 0x1D, 0x8F, 0xBF, 0xB4, 0x3A, 0x70, 0x95,
        0xAD, 0xE2, 0x08, 0x88,
    ]

    /// A month of a subscription.
    static func purchase(adding: [(Int64, [UInt8])] = [], leavingOut left: Set<Int64> = []) -> ReceiptContent {
        var purchase = ReceiptContent()
        let attributes: [(Int64, [UInt8])] = [
            (1701, DERWriter.integer(1)), (1702, DERWriter.utf8("com.example.tenure.gold.monthly")),
            (1703, DERWriter.utf8("2000000900000002")), (1704, DERWriter.ia5("2026-05-28T20:26:30Z")),
            (1705, DERWriter.utf8("2000000900000001")), (1706, DERWriter.ia5("2026-04-28T20:26:30Z")),
            (1707, DERWriter.integer(3)), (1708, DERWriter.ia5("2026-06-28T20:26:30Z")), (1710, DERWriter.integer(998_877)),
            (1711, DERWriter.integer(2_000_000_090_000_001)), (1712, DERWriter.ia5("")), (1713, DERWriter.integer(0)),
            (1714, [9]), (1719, DERWriter.integer(1)), (1721, DERWriter.utf8("winter")),
        ]
        for (type, value) in attributes where !left.contains(type) { purchase.attribute(type, value) }
        for (type, value) in adding { purchase.attribute(type, value) }
        return purchase
    }
}
