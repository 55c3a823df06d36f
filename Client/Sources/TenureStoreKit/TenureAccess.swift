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
#endif
