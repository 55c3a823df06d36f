package import Primitives

extension VerifyReceiptOutcome {
    /// The answer as a verified one, about one app.
    ///
    /// **Calling this is the claim that our own server asked ``host`` over TLS, checked its certificate, and got this body**: an
    /// answer is not signed, and nothing in it can prove that it is Apple's (FACT-3). Only the code that holds the connection may
    /// claim this; a body from a device, from a notification or from a file never goes through here.
    ///
    /// The date that orders what it says (FACT-2) is ``VerifyReceiptAnswer/orderingDate``. In the iOS 6 style Apple writes none,
    /// and then it is `now`: what Apple said was true when it answered, and that is not later. It is stored with the fact and
    /// never requested again, so folding the facts again gives the same result.
    ///
    /// - Parameters:
    ///   - app: the app whose receipt was sent; never chosen by the answer.
    ///   - now: our clock when the answer arrived.
    /// - Returns: the answer with the body as its evidence (FACT-6), or the first reason to refuse it.
    ///
    /// Source: FACT-2, FACT-3, FACT-4; Apple, App Store Receipts, `responseBody`.
    package func fetched(
        for app: ExpectedApp, at now: Timestamp
    ) -> Result<Verified<VerifyReceiptAnswer>, FetchedAnswerRefusal> {
        let answer: VerifyReceiptAnswer
        switch meaning {
        case .answer(let said), .expired(let said): answer = said
        case .wrongEnvironment, .wrongSecret, .retry, .refused, .notAnAnswer: return .failure(.noAnswer)
        }
        guard app.hasBundleId(answer.bundleId) else { return .failure(.wrongBundleId) }
        guard app.environments.contains(answer.environment) else { return .failure(.wrongEnvironment) }
        if answer.environment == .production {
            guard answer.namedAppAppleIds.allSatisfy({ $0 == app.appAppleId }) else { return .failure(.wrongAppAppleId) }
        }
        let date = answer.orderingDate ?? now
        guard date <= now.adding(JWSLimits.default.futureTolerance) else { return .failure(.dateInFuture) }
        return .success(
            Verified(
                payload: answer, evidence: body, signedDate: date, environment: answer.environment,
                proof: .fetched(host: host.name)))
    }
}

/// Why a fetched answer does not count; in order of precedence.
///
/// Source: FACT-3, FACT-4, FACT-7.
package enum FetchedAnswerRefusal: Error, Sendable, Hashable, CaseIterable {
    /// It says nothing about purchases; ``VerifyReceiptOutcome/meaning`` says what it is instead, and what to do (FACT-7).
    case noAnswer
    /// It is about another app.
    case wrongBundleId
    /// It is of an environment that is not accepted here.
    case wrongEnvironment
    /// It is about an app with another Apple id, or names one while none is configured.
    case wrongAppAppleId
    /// Apple says that it answered later than now, by more than the tolerance.
    case dateInFuture

    /// Whether the very same body may count later without a change of configuration; whether to ask again is
    /// ``VerifyReceiptOutcome/isRetryable``.
    package var isRetryable: Bool {
        switch self {
        case .dateInFuture: true
        case .noAnswer, .wrongBundleId, .wrongEnvironment, .wrongAppAppleId: false
        }
    }
}

extension VerifyReceiptAnswer {
    /// Every Apple id of the app that the answer names; 0 names none. One that is not a number counts as a different id.
    fileprivate var namedAppAppleIds: [Int64] {
        let ofTransactions = purchases.compactMap { $0.iOS6?.appItemId }.map { Int64($0) ?? -1 }
        return ([receipt?.adamId, receipt?.appItemId].compactMap { $0 } + ofTransactions).filter { $0 != 0 }
    }
}
