public import Primitives

/// How much is read and remembered before something is refused; every figure bounds what an unsigned sender can cost (T30).
///
/// Source: T30, T31; sizes of Apple's real payloads (a notification is about 21 KiB, its header 4 KiB, a certificate 1 KiB).
public struct JWSLimits: Sendable, Hashable {
    /// The longest compact JWS in bytes.
    public var maximumJWSBytes = 256 * 1024
    /// The longest header in bytes, decoded.
    public var maximumHeaderBytes = 16 * 1024
    /// The longest certificate in bytes, decoded.
    public var maximumCertificateBytes = 4 * 1024
    /// How far a signing date may lie after our clock.
    public var futureTolerance = Milliseconds.minutes(5)
    /// The most verified chains that are remembered.
    public var rememberedChains = 64
    /// The most refused chains that are remembered; kept apart from the verified ones, so that invalid input cannot push those
    /// out.
    public var rememberedRefusals = 256

    /// The figures above.
    public static let `default` = JWSLimits()

    /// The figures above; each can be changed.
    public init() {}
}
