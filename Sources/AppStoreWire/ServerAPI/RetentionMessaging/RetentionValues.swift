/// The state of Apple's review of an image.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, App Store Server API, `imageState`.
public struct RetentionImageState: RawRepresentable, Codable, Sendable, Hashable {
    /// As Apple writes it.
    public let rawValue: String

    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Not yet decided.
    public static let pending = RetentionImageState(rawValue: "PENDING")
    /// May be shown.
    public static let approved = RetentionImageState(rawValue: "APPROVED")
    /// May not be shown.
    public static let rejected = RetentionImageState(rawValue: "REJECTED")
}

/// What an image is for.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, App Store Server API, `imageSize`.
public struct RetentionImageSize: RawRepresentable, Codable, Sendable, Hashable {
    /// As Apple writes it.
    public let rawValue: String

    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The message itself.
    public static let fullSize = RetentionImageSize(rawValue: "FULL_SIZE")
    /// A bullet point.
    public static let bulletPoint = RetentionImageSize(rawValue: "BULLET_POINT")
}

/// The state of Apple's review of a message.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, App Store Server API, `messageState`.
public struct RetentionMessageState: RawRepresentable, Codable, Sendable, Hashable {
    /// As Apple writes it.
    public let rawValue: String

    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Not yet decided.
    public static let pending = RetentionMessageState(rawValue: "PENDING")
    /// May be shown.
    public static let approved = RetentionMessageState(rawValue: "APPROVED")
    /// May not be shown.
    public static let rejected = RetentionMessageState(rawValue: "REJECTED")
}

/// The position of the header of a message.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, App Store Server API, `headerPosition`.
public struct HeaderPosition: RawRepresentable, Codable, Sendable, Hashable {
    /// As Apple writes it.
    public let rawValue: String

    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Between image and body.
    public static let aboveBody = HeaderPosition(rawValue: "ABOVE_BODY")
    /// Above the image; needs one.
    public static let aboveImage = HeaderPosition(rawValue: "ABOVE_IMAGE")
}

/// The result of a performance test.
///
/// A value that is not listed keeps its raw value (FACT-5).
///
/// Source: Apple, App Store Server API, `result` of `PerformanceTestResultResponse`.
public struct PerformanceTestStatus: RawRepresentable, Codable, Sendable, Hashable {
    /// As Apple writes it.
    public let rawValue: String

    /// Any value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// It is running.
    public static let pending = PerformanceTestStatus(rawValue: "PENDING")
    /// Passed.
    public static let pass = PerformanceTestStatus(rawValue: "PASS")
    /// Failed.
    public static let fail = PerformanceTestStatus(rawValue: "FAIL")
}
