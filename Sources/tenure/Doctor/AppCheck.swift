import AppStoreWire
import Backend
import Ledger
import Primitives
import Server

/// Checks one app's part of the configuration: whether the server accepts what Apple sends, and what happens to purchases by App
/// Review and TestFlight (FACT-4).
struct AppCheck {
    let app: AppConfiguration
    /// Whether Apple's signatures are trusted at all; otherwise the server is for tests.
    let trustsApple: Bool

    private var settings: AppSettings { app.settings }
    private var environments: Set<Environment> { settings.expected.environments }

    func diagnoses() -> [Diagnosis] {
        var found = [environmentsTaken]
        if environments.contains(.sandbox) { found.append(sandboxAccess) }
        return found + [customerTokens, sharedSecrets, products]
    }

    private func subject(_ member: String) -> String { "\(member) of \(settings.id)" }

    private var environmentsTaken: Diagnosis {
        let names = environments.map(\.rawValue).sorted().joined(separator: ", ")
        let subject = subject("environments")
        guard environments.contains(.sandbox) else {
            return .problem(
                subject, "\(names) only. Sandbox purchases of App Review and TestFlight would be refused.",
                "add \"Sandbox\" to apps[].environments; its purchases are kept apart from Production's.")
        }
        guard environments.contains(.production) || !trustsApple else {
            return .warning(
                subject, "\(names) only. Purchases in the App Store are of Production and would be refused.",
                "before the release, set apps[].appAppleId (App Store Connect, App Information) and add \"Production\".")
        }
        return .ok(subject, names)
    }

    private var sandboxAccess: Diagnosis {
        let subject = subject("sandboxAccess")
        switch settings.sandboxAccess {
        case .everyone:
            return .ok(
                subject,
                "everyone who asks with ?environment=Sandbox is answered, App Review and TestFlight too. Such an answer says "
                    + "environment Sandbox: nobody paid, so your backend must give nothing for it that costs money.")
        case .testers(let customers) where !customers.isEmpty:
            return .ok(
                subject,
                "\(customers.count) testers are answered, and App Review if it signs in as one of them: give it that account in "
                    + "App Store Connect, App Review Information. "
                    + "TestFlight's testers are answered if they are among them."
            )
        case .testers, .nobody: return nobodyIsAnswered(subject)
        }
    }

    /// A problem where the app can be sold already; before that, a warning.
    private func nobodyIsAnswered(_ subject: String) -> Diagnosis {
        let words =
            "no customer is answered from the Sandbox, which App Review and TestFlight use: a reviewer buys, and gets nothing."
        let remedy =
            "name the customer ids of your testers and of the account that you give to App Review, as {\"testers\": [...]}, or "
            + "say \"everyone\"."
        return environments.contains(.production)
            ? .problem(subject, words, remedy) : .warning(subject, words, remedy)
    }

    private var customerTokens: Diagnosis {
        let subject = subject("customerTokenSecret")
        if let keys = app.credentials.customerTokenKeys, app.credentials.customerTokenSecret == nil {
            return .ok(subject, "devices may ask with the public key and a token of \(keys.issuer)")
        }
        guard app.credentials.customerTokenSecret != nil else {
            return .warning(
                subject, "there is none, so devices cannot ask with the public key; your backend can, with the server key.",
                "if devices are to ask, set apps[].customerTokenSecret, which your backend signs tokens with (tenure keys)."
            )
        }
        return .ok(subject, "devices may ask with the public key and a token from your backend")
    }

    private var sharedSecrets: Diagnosis {
        let words = settings.sharedSecrets.isEmpty ? "are refused: there is none" : "are accepted as hints"
        return .ok(subject("sharedSecrets"), "notifications of version 1 \(words)")
    }

    private var products: Diagnosis {
        .ok(subject("products"), Set(settings.content.products.map(\.productId)).sorted().map(\.rawValue).joined(separator: ", "))
    }
}
