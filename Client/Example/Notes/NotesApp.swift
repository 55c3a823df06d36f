// A whole app: log in, what may be used, what is for sale, buy, restore, manage. CI compiles it.
import Foundation
import SwiftUI
import TenureClient
import TenureStoreKit

@main
struct NotesApp: App {
    @StateObject private var model = TenureModel(NotesApp.tenure)

    private static let tenure: Tenure = {
        do {
            let folder = try FileManager.default
                .url(for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
                .appendingPathComponent("Tenure", isDirectory: true)
            guard let server = URL(string: "https://tenure.example.com") else { throw URLError(.badURL) }
            return try Tenure(
                .init(
                    server: server, app: "notes", publicKey: "tnr_pk_…", store: StoreKitStore(), folder: folder,
                    customerToken: { customer in try await Backend.tenureToken(of: customer) }))
        } catch {
            fatalError("no folder for Tenure: \(error)")
        }
    }()

    // Before anything else at launch.
    init() { Task { await NotesApp.tenure.start() } }

    var body: some Scene {
        WindowGroup { NotesView().tenure(model) }
    }
}

struct NotesView: View {
    @EnvironmentObject private var model: TenureModel
    @State private var name = ""
    @State private var said = ""
    @State private var isManaging = false

    var body: some View {
        VStack {
            Text("\(model.access.customer): \(said)")
            TextField("Name", text: $name)
            Button("Log in") { act { try await model.tenure.identify(name) } }
            Button("Log out") { act { try await model.tenure.signOut() } }
            Button("Restore") { act { try await model.restore(.account) } }
            Button("Restore from the App Store") { act { try await model.restore(.appStore) } }
            Button("Manage") { isManaging = true }
            TenureAccess("plus") {
                Text("All your notes, until \(model.access.end?.description ?? "for good")")
            } else: {
                TenureStoreView(otherwise: ["plus.monthly", "plus.yearly"]) { productId, result in
                    said = "\(productId): \(result)"
                } absent: { absence in
                    Text(absence.reason.rawValue)
                }
            }
        }
        .tenureManageSheet(isPresented: $isManaging)
    }

    private func act(_ body: @escaping @MainActor () async throws -> Void) {
        Task {
            do {
                try await body()
                said = "done"
            } catch {
                said = "\(error)"
            }
        }
    }
}
