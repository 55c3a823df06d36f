#if canImport(StoreKit)
    import StoreKit

    #if canImport(UIKit) && !os(watchOS)
        public import UIKit
    #endif

    /// Where a purchase is confirmed by the customer.
    ///
    /// Source: Apple, `Product.purchase(confirmIn:options:)` (iOS 17) and `Product.purchase(options:)`.
    public struct PurchaseConfirmation: Sendable {
        #if canImport(UIKit) && !os(watchOS)
            private let scene: (@MainActor @Sendable () -> UIScene?)?

            /// - Parameter scene: a scene of the app's, such as the one that is active; nil where there is none at that moment.
            public init(in scene: @escaping @MainActor @Sendable () -> UIScene?) { self.scene = scene }
        #endif

        init() {
            #if canImport(UIKit) && !os(watchOS)
                scene = nil
            #endif
        }

        func purchase(_ product: Product, _ options: Set<Product.PurchaseOption>) async throws -> Product.PurchaseResult {
            #if canImport(UIKit) && !os(watchOS)
                if #available(iOS 17, tvOS 17, macCatalyst 17, *), let scene = await scene?() {
                    return try await product.purchase(confirmIn: scene, options: options)
                }
            #endif
            #if os(visionOS)
                throw StoreKitError.unknown
            #else
                return try await product.purchase(options: options)
            #endif
        }
    }
#endif
