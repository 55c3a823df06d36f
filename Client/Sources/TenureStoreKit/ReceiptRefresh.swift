#if canImport(StoreKit)
    import Foundation
    import StoreKit

    /// Fetches the app receipt anew.
    ///
    /// Source: Apple, `SKReceiptRefreshRequest`; deprecated since iOS 18 in favour of `AppTransaction`, and the only way to a
    /// receipt before iOS 16.
    @MainActor
    final class ReceiptRefresh: NSObject, SKRequestDelegate {
        private var continuation: CheckedContinuation<Void, any Error>?

        /// - Throws: what the request fails with, such as since the customer was asked for a password and gave none.
        static func run() async throws {
            let refresh = ReceiptRefresh()
            let request = SKReceiptRefreshRequest()
            request.delegate = refresh
            try await withCheckedThrowingContinuation { continuation in
                refresh.continuation = continuation
                request.start()
            }
            // The request does not hold its delegate, and must not end before it has answered.
            withExtendedLifetime((request, refresh)) {}
        }

        nonisolated func requestDidFinish(_ request: SKRequest) { end(.success(())) }

        nonisolated func request(_ request: SKRequest, didFailWithError error: any Error) { end(.failure(error)) }

        private nonisolated func end(_ result: Result<Void, any Error>) {
            Task { @MainActor in
                continuation?.resume(with: result)
                continuation = nil
            }
        }
    }
#endif
