#if canImport(SwiftUI)
    public import SwiftUI
    import TenureClient

    /// One view for those who may use an entitlement, and another for those who may not.
    public struct TenureAccess<Content: View, Otherwise: View>: View {
        @EnvironmentObject private var model: TenureModel
        private let entitlement: String
        private let content: () -> Content
        private let otherwise: () -> Otherwise

        /// - Parameters:
        ///   - entitlement: its id in the server's configuration.
        ///   - content: for those who may use it.
        ///   - otherwise: for those who may not, such as what the server's wall says to show.
        public init(
            _ entitlement: String, @ViewBuilder content: @escaping () -> Content,
            @ViewBuilder else otherwise: @escaping () -> Otherwise
        ) {
            (self.entitlement, self.content, self.otherwise) = (entitlement, content, otherwise)
        }

        /// One of the two views.
        public var body: some View {
            if model.access.isActive(entitlement) { content() } else { otherwise() }
        }
    }

    extension View {
        /// Gives the model to the views inside and keeps it as it is at the client, and looks at the clock and asks the server at
        /// each return to the foreground (DEV-2). For the root of each window.
        public func tenure(_ model: TenureModel) -> some View { modifier(Following(model: model)) }

        /// One view for those who may use an entitlement, and another for those who may not. The ``TenureModel`` is the
        /// environment's.
        ///
        /// ```swift
        /// tenureAccess("plus") { Editor() } else: { Offer() }
        /// ```
        public func tenureAccess<Content: View, Otherwise: View>(
            _ entitlement: String, @ViewBuilder content: @escaping () -> Content,
            @ViewBuilder else otherwise: @escaping () -> Otherwise
        ) -> some View {
            TenureAccess(entitlement, content: content, else: otherwise)
        }
    }

    private struct Following: ViewModifier {
        @Environment(\.scenePhase) private var scenePhase
        let model: TenureModel

        func body(content: Content) -> some View {
            content.environmentObject(model)
                .task { await model.follow() }
                .task(id: scenePhase) {
                    if scenePhase == .active { await model.tenure.foreground() }
                }
        }
    }
#endif
