import Backend
import HTTPTypes
import Hummingbird
import OperatorFactors
import Primitives

/// Logging in and out, which needs no session.
extension OperatorDoor {
    /// Nil for everything else.
    func withoutSession(_ call: ConsoleCall) async throws -> Response? {
        guard call.path == "/login" || call.path.hasPrefix("/login/") || call.path == "/logout" else { return nil }
        let parts = call.path.split(separator: "/").map(String.init)
        // Who is asked by a proxy has no password here.
        guard ways.proxy == nil else { return trouble(.noSuchPage, call) }
        switch (call.isToShow ? .get : call.request.method, parts.count, parts.dropFirst().first) {
        case (.get, 1, _) where parts[0] == "login": return page(LoginPage(next: next(call)), call)
        case (.post, 1, _) where parts[0] == "login": return try await logIn(call)
        case (.post, 1, _): return try await logOut(call)
        case (.get, 3, "link"?): return try await showLink(parts[2], call)
        case (.post, 3, "link"?): return try await redeem(parts[2], call)
        case (.post, 2, "confirm"?): return try await confirm(call)
        default: return trouble(.noSuchPage, call)
        }
    }

    /// Where somebody wanted to go, if that is a page of ours.
    private func next(_ call: ConsoleCall) -> ConsoleRoute? {
        ConsoleQuery((call.request.uri.query ?? "")[...])?["next"].flatMap(Self.route)
    }

    private static func route(_ text: String) -> ConsoleRoute? {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = parts.first, let route = ConsoleRoute(path: path, query: parts.count > 1 ? parts[1] : ""), !route.isPost
        else { return nil }
        if case .asset = route { return nil }
        return route
    }

    private func logIn(_ call: ConsoleCall) async throws -> Response {
        let form = try await call.form()
        let next = Self.route(form["next"])
        do {
            let signedIn = try await desk.logIn(
                LoginForm(name: form["name"], password: form["password"], code: form["code"]), from: client(of: call))
            return .redirect(to: url.site.address(of: next ?? .home)).keeping(cookie(signedIn.token))
        } catch let refusal as OperatorRefusal {
            return page(LoginPage(next: next, name: form["name"], refusal: refusal), call, status: refusal.status)
        }
    }

    private func logOut(_ call: ConsoleCall) async throws -> Response {
        let shown = call.cookies(cookieName)
        if shown.count == 1, let token = SecretToken(shown[0]) {
            guard token.isFormToken(try await call.form()["form"]) else { throw Trouble.fromAnotherSite }
            try await desk.logOut(token, from: client(of: call))
        }
        return .redirect(to: url.site.address(ofDoor: ["login"])).keeping(noCookie)
    }

    // MARK: Links

    /// Nothing is used up by looking: programs that read mail open links too.
    private func showLink(_ text: String, _ call: ConsoleCall) async throws -> Response {
        guard let token = SecretToken(text), let name = try await desk.name(ofLink: token) else {
            return page(LinkPage(token: nil), call, status: .notFound)
        }
        return page(LinkPage(token: token, name: name), call)
    }

    private func redeem(_ text: String, _ call: ConsoleCall) async throws -> Response {
        let form = try await call.form()
        guard let token = SecretToken(text), let name = try await desk.name(ofLink: token) else {
            return page(LinkPage(token: nil), call, status: .notFound)
        }
        guard form["password"] == form["repeated"] else {
            return page(LinkPage(token: token, name: name, problem: .passwordsDiffer), call, status: .badRequest)
        }
        do {
            let enrolment = try await desk.redeem(token, password: form["password"], from: client(of: call))
            return page(EnrolmentPage(enrolment), call)
        } catch let refusal as OperatorRefusal {
            return page(LinkPage(token: token, name: name, problem: .refusal(refusal)), call, status: refusal.status)
        }
    }

    /// What was chosen holds from here on.
    private func confirm(_ call: ConsoleCall) async throws -> Response {
        let form = try await call.form()
        guard let token = SecretToken(form["enrolment"]) else { throw Trouble.formUnreadable }
        do {
            let welcome = try await desk.confirm(token, code: form["code"], from: client(of: call))
            return page(CodesPage(codes: welcome.recoveryCodes), call, cookie: cookie(welcome.signedIn.token))
        } catch let refusal as OperatorRefusal {
            return page(ConfirmPage(token: token, refusal: refusal), call, status: refusal.status)
        }
    }
}

extension OperatorRefusal {
    /// As browsers and programs see it.
    var status: HTTPResponse.Status {
        switch self {
        case .loginRefused, .proofRefused, .sessionOver: .unauthorized
        case .proofNeeded: .forbidden
        case .tooSoon: .tooManyRequests
        case .overloaded: .serviceUnavailable
        case .linkNotGood, .unknown, .ended: .notFound
        case .secretKeyMissing, .secretUnreadable: .internalServerError
        case .invalid, .nameTaken, .tooMany, .passwordTooShort, .passwordTooLong, .passwordTooCommon: .badRequest
        }
    }
}
