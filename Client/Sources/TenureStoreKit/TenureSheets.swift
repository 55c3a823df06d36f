// Never compiled yet: where this was written there is no SwiftUI.
#if canImport(SwiftUI) && canImport(StoreKit) && (os(iOS) || os(visionOS))
    import StoreKit
    public import SwiftUI
    import TenureClient

    extension View {
        /// Apple's sheet in which subscriptions are managed. When it is closed, the server is asked.
        ///
        /// Source: Apple, `View.manageSubscriptionsSheet(isPresented:)`.
        public func tenureManageSheet(isPresented: Binding<Bool>) -> some View {
            modifier(ManageSheet(isPresented: isPresented))
        }

        /// Apple's sheet in which a refund is asked for. When it is closed, the server is asked; Apple decides later.
        ///
        /// Source: Apple, `View.refundRequestSheet(for:isPresented:onDismiss:)`.
        ///
        /// - Parameter transactionId: the transaction that is to be refunded; a text that is no number shows no sheet.
        public func tenureRefundSheet(for transactionId: String, isPresented: Binding<Bool>) -> some View {
            modifier(RefundSheet(transactionId: UInt64(transactionId), isPresented: isPresented))
        }
    }

    private struct ManageSheet: ViewModifier {
        @EnvironmentObject private var model: TenureModel
        @Binding var isPresented: Bool

        func body(content: Content) -> some View {
            content.manageSubscriptionsSheet(isPresented: $isPresented)
                .onChange(of: isPresented) { isOpen in
                    if !isOpen { model.ask() }
                }
        }
    }

    private struct RefundSheet: ViewModifier {
        @EnvironmentObject private var model: TenureModel
        let transactionId: UInt64?
        @Binding var isPresented: Bool

        func body(content: Content) -> some View {
            if let transactionId {
                content.refundRequestSheet(for: transactionId, isPresented: $isPresented) { _ in model.ask() }
            } else {
                content
            }
        }
    }

    extension TenureModel {
        /// Asks the server without anybody waiting for it; what went wrong is among the problems.
        fileprivate func ask() { Task { [tenure] in await tenure.foreground() } }
    }
#endif
