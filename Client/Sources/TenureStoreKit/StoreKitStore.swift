#if canImport(StoreKit)
    public import Foundation
    import StoreKit
    public import TenureClient

    /// The App Store by StoreKit 2.
    ///
    /// Source: Apple, StoreKit, "In-App Purchase".
    public struct StoreKitStore: DeviceStore {
        /// Where a purchase is confirmed.
        private let confirmation: PurchaseConfirmation
        /// Where the app receipt is; a test has a place of its own.
        var receiptURL: @Sendable () -> URL? = { Bundle.main.appStoreReceiptURL }

        /// Purchases are confirmed where the system finds the app's window by itself. Not on visionOS, where it does not.
        public init() { confirmation = PurchaseConfirmation() }

        /// - Parameter confirmation: where a purchase is confirmed, such as in a scene of the app's.
        public init(confirmation: PurchaseConfirmation) { self.confirmation = confirmation }

        // MARK: What comes by itself

        /// `Transaction.updates`, also of transactions that StoreKit could not verify: the server judges.
        public func deliveries() -> AsyncStream<StoreTransaction> {
            Self.stream { continuation in
                for await result in Transaction.updates { continuation.yield(await Self.delivered(result)) }
            }
        }

        /// `PurchaseIntent.intents` (iOS 16.4, macOS 14.4), before that the payment queue's observer; nothing on other systems.
        public func promoted() -> AsyncStream<String> {
            Self.stream { continuation in
                #if !os(tvOS) && !os(watchOS) && !os(visionOS)
                    if #available(iOS 16.4, macOS 14.4, macCatalyst 16.4, *) {
                        for await intent in PurchaseIntent.intents { continuation.yield(intent.product.id) }
                    } else {
                        await PromotedPayments.follow { continuation.yield($0) }
                    }
                #endif
            }
        }

        /// `Product.SubscriptionInfo.Status.updates`.
        public func hints() -> AsyncStream<Void> {
            Self.stream { continuation in
                for await _ in Product.SubscriptionInfo.Status.updates { continuation.yield() }
            }
        }

        private static func stream<Element: Sendable>(
            _ body: @escaping @Sendable (AsyncStream<Element>.Continuation) async -> Void
        ) -> AsyncStream<Element> {
            AsyncStream { continuation in
                let task = Task {
                    await body(continuation)
                    continuation.finish()
                }
                continuation.onTermination = { _ in task.cancel() }
            }
        }

        // MARK: What is asked for

        /// `Product.products(for:)`.
        public func products(_ ids: [String]) async throws -> [StoreProduct] {
            try await Product.products(for: ids).map {
                StoreProduct(id: $0.id, displayName: $0.displayName, displayPrice: $0.displayPrice)
            }
        }

        /// `Transaction.unfinished`.
        public func unfinished() async throws -> [StoreTransaction] {
            var found: [StoreTransaction] = []
            for await result in Transaction.unfinished { found.append(await Self.delivered(result)) }
            return found
        }

        /// Of `Transaction.all`, the one of each product that was bought last.
        public func latest() async throws -> [StoreTransaction] {
            var latest: [String: VerificationResult<Transaction>] = [:]
            for await result in Transaction.all {
                let transaction = result.unsafePayloadValue
                if let other = latest[transaction.productID], other.unsafePayloadValue.purchaseDate > transaction.purchaseDate {
                    continue
                }
                latest[transaction.productID] = result
            }
            let ordered = latest.values.sorted { $0.unsafePayloadValue.purchaseDate > $1.unsafePayloadValue.purchaseDate }
            return ordered.map { StoreTransaction(signedTransactionInfo: $0.jwsRepresentation) }
        }

        /// `Product.purchase(options:)`, with the customer's `appAccountToken` and the offer that was signed for it.
        public func purchase(
            _ productId: String, appAccountToken: UUID?, offer: SignedOffer?
        ) async throws -> StorePurchase {
            guard let product = try await Product.products(for: [productId]).first else {
                throw TenureProblem.noProducts([productId])
            }
            var options: Set<Product.PurchaseOption> = []
            if let appAccountToken { options.insert(.appAccountToken(appAccountToken)) }
            if let offer {
                options.insert(
                    .promotionalOffer(
                        offerID: offer.offerIdentifier, keyID: offer.keyId, nonce: offer.nonce, signature: offer.signature,
                        timestamp: offer.timestamp))
            }
            do {
                return await Self.purchase(try await confirmation.purchase(product, options))
            } catch StoreKitError.userCancelled {
                return .cancelled
            }
        }

        /// What StoreKit's word for a purchase comes to.
        static func purchase(_ result: Product.PurchaseResult) async -> StorePurchase {
            switch result {
            case .success(let verification): return .bought(await Self.delivered(verification))
            case .pending: return .pending
            case .userCancelled: return .cancelled
            // What a newer system may say is not known to be a purchase, nor to be none.
            @unknown default: return .pending
            }
        }

        /// `Transaction.finish()`, of the one in `Transaction.unfinished` that has the id.
        public func finish(_ transaction: StoreTransaction) async {
            guard let id = transaction.transactionId.flatMap(UInt64.init) else { return }
            for await result in Transaction.unfinished where result.unsafePayloadValue.id == id {
                await result.unsafePayloadValue.finish()
                return
            }
        }

        /// `AppTransaction.shared`; nil below iOS 16, macOS 13, tvOS 16 and watchOS 9.
        public func signedAppTransaction() async throws -> String? {
            guard #available(iOS 16, macOS 13, tvOS 16, watchOS 9, *) else { return nil }
            return try await AppTransaction.shared.jwsRepresentation
        }

        /// `AppStore.sync()`.
        public func synchronize() async throws { try await AppStore.sync() }

        // MARK: The receipt

        /// The file of `Bundle.appStoreReceiptURL`; nil where there is none.
        public func receipt() async throws -> Data? {
            guard let url = receiptURL() else { return nil }
            do {
                return try Data(contentsOf: url)
            } catch CocoaError.fileReadNoSuchFile {
                return nil
            }
        }

        /// `SKReceiptRefreshRequest`.
        public func refreshReceipt() async throws -> Data? {
            try await ReceiptRefresh.run()
            return try await receipt()
        }

        // MARK: Renewal infos

        /// A transaction with its renewal info, which says what a deferred change will be (PER-4); without where the store has
        /// none.
        private static func delivered(_ result: VerificationResult<Transaction>) async -> StoreTransaction {
            StoreTransaction(
                signedTransactionInfo: result.jwsRepresentation, signedRenewalInfo: await renewal(of: result.unsafePayloadValue))
        }

        private static func renewal(of transaction: Transaction) async -> String? {
            guard let group = transaction.subscriptionGroupID else { return nil }
            do {
                let statuses = try await Product.SubscriptionInfo.status(for: group)
                let own = statuses.first { $0.transaction.unsafePayloadValue.originalID == transaction.originalID }
                return own?.renewalInfo.jwsRepresentation
            } catch {
                // The transaction is what must not wait.
                return nil
            }
        }
    }
#endif
