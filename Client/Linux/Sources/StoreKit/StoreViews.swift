// A stand-in for what StoreKit adds to SwiftUI, which an app has when it imports both. Each declaration names Apple's page, below
// https://developer.apple.com/documentation. What is newer than the oldest system of the SDK says since when it is there, and a
// test looks for what uses it.
public import Foundation
public import SwiftUI

/// storekit/subscriptionstoreview
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *)
public struct SubscriptionStoreView<Content: View>: View {}

@available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *)
extension SubscriptionStoreView where Content == AutomaticSubscriptionStoreMarketingContent {
    /// storekit/subscriptionstoreview/init(productids:)
    public nonisolated init(productIDs: some Collection<String>) {}
}

/// storekit/automaticsubscriptionstoremarketingcontent
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *)
public struct AutomaticSubscriptionStoreMarketingContent: View {}

/// storekit/storeview
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *)
public struct StoreView<Icon: View, PlaceholderIcon: View>: View {}

@available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *)
extension StoreView where Icon == EmptyView, PlaceholderIcon == EmptyView {
    /// storekit/storeview/init(ids:preferspromotionalicon:)
    public nonisolated init(ids productIDs: some Collection<String>, prefersPromotionalIcon: Bool = false) {}
}

/// storekit/subscriptionstorepolicykind
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *)
public struct SubscriptionStorePolicyKind: Equatable, Sendable {
    /// storekit/subscriptionstorepolicykind/privacypolicy
    public static var privacyPolicy: SubscriptionStorePolicyKind { .init() }
    /// storekit/subscriptionstorepolicykind/termsofservice
    public static var termsOfService: SubscriptionStorePolicyKind { .init() }
}

/// storekit/storebuttonkind
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *)
public struct StoreButtonKind: Equatable, Sendable {
    /// storekit/storebuttonkind/policies
    public static var policies: StoreButtonKind { .init() }
}

extension View {
    /// swiftui/view/inapppurchaseoptions(_:)
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *)
    public nonisolated func inAppPurchaseOptions(
        _ options: ((Product) async -> Set<Product.PurchaseOption>)?
    ) -> some View { self }

    /// swiftui/view/oninapppurchasestart(perform:)
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *)
    public nonisolated func onInAppPurchaseStart(perform action: ((Product) async -> Void)?) -> some View { self }

    /// swiftui/view/oninapppurchasecompletion(perform:)
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *)
    public nonisolated func onInAppPurchaseCompletion(
        perform action: ((Product, Result<Product.PurchaseResult, any Error>) async -> Void)?
    ) -> some View { self }

    /// swiftui/view/subscriptionstorepolicydestination(url:for:)
    @available(iOS 17, macOS 14, watchOS 10, visionOS 1, *)
    public nonisolated func subscriptionStorePolicyDestination(
        url: URL, for button: SubscriptionStorePolicyKind
    ) -> some View { self }

    /// swiftui/view/storebutton(_:for:)
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *)
    public nonisolated func storeButton(_ visibility: Visibility, for buttonKinds: StoreButtonKind...) -> some View { self }

    /// swiftui/view/managesubscriptionssheet(ispresented:)
    public nonisolated func manageSubscriptionsSheet(isPresented: Binding<Bool>) -> some View { self }

    /// swiftui/view/refundrequestsheet(for:ispresented:ondismiss:)
    @preconcurrency public nonisolated func refundRequestSheet(
        for transactionID: Transaction.ID, isPresented: Binding<Bool>,
        onDismiss: (@MainActor (Result<Transaction.RefundRequestStatus, Transaction.RefundRequestError>) -> Void)? = nil
    ) -> some View { self }
}
