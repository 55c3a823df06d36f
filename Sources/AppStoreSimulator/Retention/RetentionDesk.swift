package import AppStoreModel
internal import Primitives

/// What apps set up to show to customers who are about to leave: images, messages, which message is the default, and which server
/// the App Store asks in real time.
///
/// Source: Apple, Retention Messaging API.
struct RetentionDesk: Sendable, Hashable, Codable {
    /// By app and environment, in the order in which they were added.
    private var shelves: [RetentionShelf] = []

    var endpoints: [AppEnvironment] { shelves.map(\.endpoint) }

    /// What is saved: without running tests, because nothing would finish them after a restore.
    var withoutRunningTests: RetentionDesk {
        var desk = self
        for place in desk.shelves.indices { desk.shelves[place].tests.removeAll { $0.pending > 0 } }
        return desk
    }

    subscript(endpoint: AppEnvironment) -> RetentionShelf {
        get { shelves.first { $0.endpoint == endpoint } ?? RetentionShelf(endpoint) }
        set {
            if let place = shelves.firstIndex(where: { $0.endpoint == endpoint }) {
                shelves[place] = newValue
            } else {
                shelves.append(newValue)
            }
        }
    }
}

/// What one app set up in one environment.
struct RetentionShelf: Sendable, Hashable, Codable {
    let endpoint: AppEnvironment
    var images: [RetentionImage] = []
    var messages: [RetentionMessage] = []
    var defaults: [DefaultMessage] = []
    var realtimeURL: String?
    var tests: [PerformanceTest] = []

    init(_ endpoint: AppEnvironment) { self.endpoint = endpoint }

    /// Source: Apple, "Upload Image", "Upload Message".
    static let maximumImages = 2000
    static let maximumMessages = 2000
    /// One for each pair of product and language; Apple's limit is not known.
    static let maximumDefaults = 10_000
    /// The oldest are deleted.
    static let maximumTests = 100

    func image(_ id: CompactUUID) -> RetentionImage? { images.first { $0.imageIdentifier == id } }
    func message(_ id: CompactUUID) -> RetentionMessage? { messages.first { $0.messageIdentifier == id } }

    /// The message of a product in a language, where one is set and may be shown.
    func defaultMessage(of product: StoreProductID, _ locale: String) -> RetentionMessage? {
        guard let found = defaults.first(where: { $0.product == product && $0.locale == locale }) else { return nil }
        do throws(APIError) { return try shown(found.messageIdentifier) } catch { return nil }
    }

    /// Adds a new test, and deletes the oldest ones.
    mutating func add(_ test: PerformanceTest) {
        tests.append(test)
        tests.removeFirst(max(0, tests.count - Self.maximumTests))
    }

    /// Stores the progress of a test; false where the test is no longer known.
    mutating func update(_ test: PerformanceTest) -> Bool {
        guard let place = tests.firstIndex(where: { $0.requestId == test.requestId }) else { return false }
        tests[place] = test
        return true
    }
}

/// The state of a review, in the spelling of `imageState` and `messageState`.
package enum ReviewState: String, Sendable, Hashable, Codable {
    case pending = "PENDING"
    case approved = "APPROVED"
    case rejected = "REJECTED"

    /// Nothing is reviewed in Sandbox.
    static func first(in environment: Environment) -> ReviewState { environment == .sandbox ? .approved : .pending }
}

/// An uploaded image: all but its pixels.
package struct RetentionImage: Sendable, Hashable, Codable {
    /// In the spelling of `imageSize`.
    package enum Size: String, Sendable, Hashable, Codable {
        case fullSize = "FULL_SIZE"
        case bulletPoint = "BULLET_POINT"
    }

    package let imageIdentifier: CompactUUID
    package let size: Size
    package internal(set) var state: ReviewState
}

/// An uploaded message.
///
/// Source: Apple, `UploadMessageRequestBody`.
package struct RetentionMessage: Sendable, Hashable, Codable {
    package let messageIdentifier: CompactUUID
    package let header: String
    package let body: String
    /// The message's own and its bullet points'.
    package let images: [CompactUUID]
    package internal(set) var state: ReviewState
}

/// Which message is shown where an app's server names none.
struct DefaultMessage: Sendable, Hashable, Codable {
    let product: StoreProductID
    let locale: String
    let messageIdentifier: CompactUUID
}

/// A test of how fast an app's server answers real-time requests.
///
/// Source: Apple, `PerformanceTestConfig`, `PerformanceTestResultResponse`; of its numbers only the 700 ms are documented.
struct PerformanceTest: Sendable, Hashable, Codable {
    let requestId: CompactUUID
    let originalTransactionId: TransactionNumber
    let target: String
    /// In whole milliseconds, in the order in which the answers came.
    var responseTimes: [Int64] = []
    var failures: [DeliveryResult: Int64] = [:]

    static let totalRequests: Int64 = 50
    static let maximumConcurrentRequests = 5
    static let totalDuration = Milliseconds.seconds(30)
    static let responseTimeThreshold = Milliseconds(700)
    static let successRateThreshold: Int64 = 95

    var failed: Int64 { failures.values.reduce(0, +) }
    var pending: Int64 { max(0, Self.totalRequests - Int64(responseTimes.count) - failed) }

    /// Answers in time, as a percentage of all requests.
    var successRate: Int64 {
        Int64(responseTimes.count { $0 <= Self.responseTimeThreshold.count }) * 100 / Self.totalRequests
    }

    /// In the spelling of `result`.
    var result: String {
        guard pending == 0 else { return "PENDING" }
        return successRate >= Self.successRateThreshold ? "PASS" : "FAIL"
    }

    var hasPassed: Bool { result == "PASS" }
}

extension DeliveryResult: CodingKeyRepresentable {}
