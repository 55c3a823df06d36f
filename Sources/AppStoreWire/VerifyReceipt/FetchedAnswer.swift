package import Primitives

extension VerifyReceiptOutcome {
    /// The answer as one that counts, about one app.
    ///
    /// **Calling this is the claim that our own server asked ``host`` over TLS, checked its certificate, and got this body**: an
    /// answer is signed by nobody, and nothing in it could show that it is Apple's (FACT-3). Only the code that holds the
    /// connection may say so; a body from a device, from a notification or from a file never goes through here.
    ///
    /// The date that orders what it says (FACT-2) is ``VerifyReceiptAnswer/orderingDate``. In the iOS 6 style Apple writes none,
    /// and then it is `now`: what Apple said was true when it answered, and that is not later. It is kept with the fact and
    /// never asked again, so folding the facts anew gives what they gave.
    ///
    /// - Parameters:
    ///   - app: the app whose receipt was sent; never chosen by the answer.
    ///   - now: our clock when the answer had come.
    /// - Returns: the answer with the body as its evidence (FACT-6), or the first reason that speaks against it.
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

/// Why an answer that was fetched does not count; in order of precedence.
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
    /// Apple says that it answered later than now, beyond the tolerance.
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
    /// Every Apple id of the app that the answer names; 0 names none. One that is no number is kept as a different one.
    fileprivate var namedAppAppleIds: [Int64] {
        let ofTransactions = purchases.compactMap { $0.iOS6?.appItemId }.map { Int64($0) ?? -1 }
        return ([receipt?.adamId, receipt?.appItemId].compactMap { $0 } + ofTransactions).filter { $0 != 0 }
    }
}
