#if canImport(SwiftUI) && canImport(StoreKit) && (os(iOS) || os(visionOS) || STAND_IN)
    import StoreKit
    public import SwiftUI
    import TenureClient

    extension View {
        /// Apple's sheet in which subscriptions are managed. When it is closed, the server is asked. The ``TenureModel`` is the
        /// environment's.
        ///
        /// Source: Apple, `View.manageSubscriptionsSheet(isPresented:)` (iOS 15).
        public func tenureManageSheet(isPresented: Binding<Bool>) -> some View {
            manageSubscriptionsSheet(isPresented: isPresented).modifier(AskingWhenClosed(isPresented: isPresented.wrappedValue))
        }

        /// Apple's sheet in which a refund is asked for. When it is closed, the server is asked; Apple decides later. The
        /// ``TenureModel`` is the environment's.
        ///
        /// Source: Apple, `View.refundRequestSheet(for:isPresented:onDismiss:)` (iOS 15).
        ///
        /// - Parameters:
        ///   - transactionId: the transaction that is to be refunded; a text that is no number shows no sheet.
        ///   - isPresented: whether the sheet is open.
        @ViewBuilder
        public func tenureRefundSheet(for transactionId: String, isPresented: Binding<Bool>) -> some View {
            if let id = UInt64(transactionId) {
                refundRequestSheet(for: id, isPresented: isPresented)
                    .modifier(AskingWhenClosed(isPresented: isPresented.wrappedValue))
            } else {
                self
            }
        }
    }

    /// Asks the server once a sheet was closed; what went wrong is among the client's problems.
    private struct AskingWhenClosed: ViewModifier {
        @EnvironmentObject private var model: TenureModel
        @State private var wasPresented = false
        let isPresented: Bool

        func body(content: Content) -> some View {
            content.task(id: isPresented) {
                if isPresented {
                    wasPresented = true
                } else if wasPresented {
                    wasPresented = false
                    await model.tenure.foreground()
                }
            }
        }
    }
#endif
