extension VerifyReceiptOutcome {
    /// Whose trouble it is that there is no answer about purchases; nil where there is one, and where the other host is to be
    /// asked.
    ///
    /// ``FailureScope/transaction`` means the receipt here: Apple says that asking again is useless.
    ///
    /// Source: Apple, App Store Receipts, `status`; FACT-7.
    package var scope: FailureScope? {
        switch meaning {
        case .answer, .expired, .wrongEnvironment: nil
        case .wrongSecret: .app
        case .refused: Self.scope(ofRefusal: status)
        case .retry: httpStatus == 429 ? .budget : .host
        case .notAnAnswer: .app
        }
    }

    private static func scope(ofRefusal status: VerifyReceiptStatus?) -> FailureScope {
        switch status {
        // The request was wrong, and the receipt was not looked at.
        case .notPost, .noLongerSent: .app
        // As for 4040001 of the App Store Server API: nobody's time ends because an account could not be found.
        case .accountNotFound: .request
        default: .transaction
        }
    }

    /// A stable code for what is observed and stored, such as `receipt.21004`; nil where there is an answer or another host to
    /// ask.
    package var failureCode: String? {
        guard scope != nil else { return nil }
        if let status { return "receipt.\(status.rawValue)" }
        return httpStatus == 200 ? "receipt.notAnAnswer" : "receipt.http"
    }
}
