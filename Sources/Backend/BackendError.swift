import AppStoreWire
package import Ledger
package import Primitives
import Storage

/// Why a use case could not be carried out.
package enum BackendError: Error {
    /// No such app is configured.
    case unknownApp(AppID)
    /// What was shown is not proof of anything.
    case refusedEvidence(EvidenceRefusal)
    /// The app's `sandboxAccess` does not let this customer be answered from that environment (FACT-4).
    case environmentNotOpen(Environment, SandboxAccess)
    /// The app takes nothing of that environment, only of those others (FACT-4).
    case environmentNotTaken(Environment, taken: Set<Environment>)
    /// Nothing is known of the subscription.
    case unknownSubscription
    /// An identifier is empty, too long or has characters that it may not have.
    ///
    /// - Parameter longest: how many characters it may have, or how many of them there may be.
    case invalidIdentifier(name: String, longest: Int)
    /// An id or a token is a constant that programs write where they have none, such as `null` or the nil UUID (OWN-2).
    case namesNobody(name: String)
    /// The token is registered for another customer already.
    case tokenTaken
    /// A purchase bore the token before it was registered; it is kept as a proposal and names no customer (OWN-2,
    /// OWN-14).
    case tokenTooLate
    /// The store could not do it; nothing was kept.
    case store(StoreFailure)
    /// The server's file says of the app what an earlier version says; it serves under the newest one (OWN-17).
    case settingsSuperseded(app: AppID, number: Int64, newest: Int64)
    /// The app has no In-App Purchase key, so Apple cannot be asked.
    case appleNotAsked(AppID)
    /// Apple, or its documentation, says that this cannot be done, and asking again is useless.
    ///
    /// - Parameter code: stable, such as `apple.4030004`.
    case appleRefused(code: String)
    /// Apple could not be asked, or did not answer; asking again later may help.
    case appleUnavailable(code: String)
    /// What Apple is to be asked has a member that Apple would refuse.
    case appleRequestInvalid(field: String, reason: String)
    /// Apple knows no such order of the app.
    case unknownOrder
    /// Apple was asked about the subscription a moment ago.
    case refreshedJustNow(until: Timestamp)
    /// A stretch of time is empty, or none of it lies between what Apple keeps and now.
    case invalidStretch(oldest: Timestamp, now: Timestamp)
    /// The customer has had Apple asked about as many made-up receipts as one may in an hour.
    case tooManyReceipts(until: Timestamp)
    /// What stood in the log after the given place is forgotten by now.
    case eventsForgotten
    /// The ledger has no signal of that id.
    case unknownSignal(Int64)
    /// The signal is another one by now than the one that was looked at.
    case signalChanged(Int64)
    /// Too much waits to be kept; nothing was. Trying again in a second may help.
    case overloaded

    /// What a use case failed with, in these words; anything unforeseen as a failure of the store.
    init(_ error: any Error) {
        self =
            switch error {
            case let error as BackendError: error
            case let error as StorageError: .store(StoreFailure(error))
            default: .store(StoreFailure(StorageError(.other, "\(type(of: error))", underlying: error)))
            }
    }
}

/// Why signed input was refused, in the verifier's words; nothing of the input itself, so it may be logged and answered.
package struct EvidenceRefusal: Sendable, Hashable {
    /// Stable.
    package let code: String
    /// Which JWS: the notification, or one inside it.
    package let part: String
    package let words: String
    /// What in the configuration file decides it; nil where no setting would make it proof.
    package let setting: DecidingSetting?
    /// Whether Apple signed it all the same, and what it says cannot be read (RECON-4).
    let isOfSignedContent: Bool

    init(
        code: String, part: String, words: String, setting: DecidingSetting? = nil, isOfSignedContent: Bool = false
    ) {
        self.isOfSignedContent = isOfSignedContent
        self.code = code
        self.part = part
        self.words = words
        self.setting = setting
    }

    init(_ refusal: ReceiptRefusal) {
        self.init(
            code: "\(refusal.code)", part: "receipt", words: "\(refusal)", setting: DecidingSetting(refusal.code))
    }

    init(_ refusal: JWSRefusal) {
        self.init(
            code: refusal.code.rawValue, part: refusal.part.rawValue, words: "\(refusal)",
            setting: DecidingSetting(refusal.code), isOfSignedContent: refusal.isOfSignedContent)
    }
}

/// What the store reported.
package struct StoreFailure: Sendable, Hashable {
    /// Stable.
    package let code: String
    /// Whether the same request may succeed later without any change.
    package let isRetryable: Bool
    package let words: String
    /// Whether other requests may well succeed.
    package let isAboutOneRequest: Bool
    /// What no store could keep; nil where nothing speaks against what was sent.
    package let unkeepable: Unkeepable?

    package enum Unkeepable: Sendable, Hashable {
        /// A text with a NUL, or that is not UTF-8.
        case text
        /// More, or longer, than a database takes.
        case size
    }

    init(_ error: StorageError) {
        code = error.code.rawValue
        isRetryable = error.isRetryable
        words = error.reason
        isAboutOneRequest = error.isAboutOneRequest
        unkeepable =
            switch error.code {
            case .invalidText: .text
            case .tooLarge: .size
            default: nil
            }
    }
}

extension StorageError {
    /// Whether it is about what one request said or touched, such as a row that is damaged, and not about the store.
    var isAboutOneRequest: Bool {
        switch code {
        case .corrupt, .constraint, .invalidText, .tooLarge, .staleLease, .other: true
        case .busy, .full, .inputOutput, .schemaTooNew, .notDurable, .unavailable, .conflict, .unknownOutcome, .timedOut,
            .cancelled, .readOnly, .notPermitted, .misconfigured:
            false
        }
    }
}
