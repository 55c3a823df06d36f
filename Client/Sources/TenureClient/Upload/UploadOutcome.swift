/// What an answer to an upload means for the item (docs/operations/http-api.md).
enum UploadOutcome: Sendable, Hashable {
    /// The server has it, whatever it decided: it may be finished at the store.
    case kept
    /// It will never be taken as it is: it is not sent again, it is not finished, and the app is told.
    case parked(String)
    /// The server does not take it from this customer at this moment; another try needs another token.
    case notAuthorized
    /// Sent again later; not before so many seconds, where the server says so.
    case later(seconds: Int64?)

    /// What does not look like an answer of the server itself ends nothing: a network that asks for a login answers everything
    /// with 200 and a page, and a proxy has errors of its own.
    ///
    /// - Parameter isAnswer: whether the body of a success is what the server answers to such an upload.
    init(_ response: ServerResponse, isAnswer: Bool) {
        let code = response.problemCode
        switch response.status {
        case 200, 202: self = isAnswer ? .kept : .later(seconds: nil)
        // It serves another customer, or a limit was reached; the fact is kept all the same.
        case 409 where code != nil: self = .kept
        case 401 where code != nil, 403 where code != nil: self = .notAuthorized
        case 400 where code != nil, 413 where code != nil, 415 where code != nil, 422 where code != nil:
            self = .parked(code ?? "")
        default: self = .later(seconds: response.retryAfter)
        }
    }
}

/// Whom a subscription serves after an upload.
struct UploadVerdict: Sendable, Hashable {
    let isOwner: Bool
    /// Whether that is decided, and not waiting for Apple or a person.
    let isDecided: Bool
    /// Its owner, masked; nil where the server does not say.
    let hint: String?

    /// Nil where the answer says nothing of it.
    init?(_ response: ServerResponse) {
        if response.status == 409 {
            (isOwner, isDecided, hint) = (false, true, response.problemHint)
        } else if let answer = response.decoded(UploadAnswer.self) {
            (isOwner, isDecided, hint) = (answer.isOwner, !answer.outcome.hasPrefix("waiting"), nil)
        } else {
            return nil
        }
    }
}

/// When an item is sent again that was not taken: after a second, then twice as long each time, a quarter of an hour at most,
/// each a little shorter by chance, so that devices do not come together after an outage.
enum UploadPause {
    static let longest = 15 * Length.minute

    /// In milliseconds.
    ///
    /// - Parameters:
    ///   - attempts: how often it was sent; 1 or more.
    ///   - chance: 0 to 1, by chance.
    static func after(attempts: Int, chance: Double) -> Int64 {
        let doubled = Length.second << Int64(min(max(attempts - 1, 0), 10))
        let bounded = min(doubled, longest)
        return bounded - Int64(Double(bounded) * 0.25 * min(max(chance, 0), 1))
    }
}
