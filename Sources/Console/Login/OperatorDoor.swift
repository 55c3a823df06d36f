package import Backend
import HTTPTypes
package import Hummingbird
import Ledger
import OperatorFactors
package import Primitives
import Server

/// The door of the console: operators log in with password and second factor, or a trusted proxy says who they are.
package struct OperatorDoor: ConsoleDoor {
    let desk: OperatorDesk
    let url: ConsoleURL
    let ways: Ways
    private let backend: Backend

    /// How operators are let in, and who may say from where they come.
    package struct Ways: Sendable {
        /// Nil: by password and second factor.
        package var proxy: TrustedProxy?
        /// Proxies whose `X-Forwarded-For` is believed; empty: none is, and the address is the connection's.
        package var forwarders: [AddressRange] = []

        package init() {}
    }

    /// - Parameter backend: has the keys of the apps, for the page that names them.
    package init(_ desk: OperatorDesk, _ backend: Backend, at url: ConsoleURL, _ ways: Ways = Ways()) {
        (self.desk, self.backend, self.url, self.ways) = (desk, backend, url, ways)
    }

    package func admit(_ call: ConsoleCall) async throws -> ConsoleAdmission {
        if call.request.method == .post, !isOurs(call) { return .answer(trouble(.fromAnotherSite, call)) }
        do {
            if let answer = try await withoutSession(call) { return .answer(answer) }
            guard let session = try await session(of: call) else { return .answer(askToLogIn(call)) }
            if let answer = try await ofOneself(call, session) { return .answer(answer.keeping(session.cookie)) }
            return .visitor(visitor(session), cookie: session.cookie)
        } catch let trouble as Trouble {
            return .answer(self.trouble(trouble, call))
        } catch let refusal as OperatorRefusal where refusal == .overloaded {
            return .answer(trouble(.notRead(code: "overloaded", mayHelp: true), call))
        }
    }

    /// A form must come from a page of this console. Old browsers that say nothing of it are not served.
    ///
    /// Source: OWASP ASVS 4.0.3, 4.2.2 and 13.2.3.
    private func isOurs(_ call: ConsoleCall) -> Bool {
        call.request.headers[values: .origin] == [url.origin] && !call.isFromAnotherSite
    }

    // MARK: Sessions

    /// Somebody who was let in.
    struct Session: Sendable {
        let token: SecretToken
        let identity: OperatorIdentity
        /// To be set with the answer; nil where the browser has it.
        var cookie: String?
    }

    /// Nil where somebody must log in.
    private func session(of call: ConsoleCall) async throws -> Session? {
        var found: Session?
        let shown = call.cookies(cookieName)
        // Two of one name: one of them was set by somebody else, and nobody knows which.
        if shown.count == 1, let token = SecretToken(shown[0]), let identity = try await desk.identity(token) {
            found = Session(token: token, identity: identity)
        }
        guard let proxy = ways.proxy else { return found }
        let name = HTTPField.Name(proxy.header)
        let values = name.map { call.request.headers[values: $0] } ?? []
        guard case .of(let name) = proxy.word(values, from: peer(of: call)) else { return nil }
        if let found, found.identity.name == name { return found }
        do {
            let signedIn = try await desk.logIn(proxied: name, from: client(of: call))
            return Session(token: signedIn.token, identity: signedIn.identity, cookie: cookie(signedIn.token))
        } catch OperatorRefusal.loginRefused {
            return nil
        }
    }

    /// Lets in an operator for whom somebody else vouches, and leads to the beginning.
    ///
    /// - Throws: `OperatorRefusal.loginRefused` where there is no such operator.
    package func letIn(_ name: String, _ call: ConsoleCall) async throws -> Response {
        let signedIn = try await desk.logIn(proxied: name, from: client(of: call))
        return .redirect(to: url.site.address(of: .home)).keeping(cookie(signedIn.token))
    }

    func visitor(_ session: Session) -> ConsoleVisitor {
        let identity = session.identity
        var visitor = ConsoleVisitor(name: identity.name, roles: .init(identity.grants))
        visitor.language = identity.language.flatMap(Language.init(rawValue:))
        visitor.zone = identity.timeZone.flatMap(ConsoleZone.init(rawValue:)) ?? .utc
        visitor.formToken = session.token.formToken
        return visitor
    }

    /// To where somebody is sent who must log in; a program is told.
    private func askToLogIn(_ call: ConsoleCall) -> Response {
        guard ways.proxy == nil, !call.wantsJSON else { return trouble(.notLoggedIn, call) }
        let route = ConsoleRoute(path: call.path[...], query: (call.request.uri.query ?? "")[...])
        let next = call.request.method == .get && route != .home ? route?.path : nil
        return .redirect(to: url.site.address(ofDoor: ["login"], query: [("next", next)]))
    }

    /// Opening a customer or a subscription and searching are audited, before anything is read.
    package func note(_ route: ConsoleRoute, by visitor: ConsoleVisitor, _ call: ConsoleCall) async throws {
        guard case .page(let place, let page) = route else { return }
        func deed(_ act: AuditedAct) -> OperatorDeed { OperatorDeed(act, app: place.app, environment: place.environment) }
        var noted: OperatorDeed
        switch page {
        case .customer(let id, _):
            noted = deed(.openedCustomer)
            noted.customer = try Backend.checked(id)
            // Of whom nothing is known there is no number: the id is kept as what was searched, where an erasure finds it.
            noted.searched = id.rawValue
        case .subscription(let id, _):
            noted = deed(.openedSubscription)
            noted.subject = id.rawValue
        case .records(let id, let records, _):
            noted = deed(.openedSubscription)
            (noted.subject, noted.detail) = (id.rawValue, records.rawValue)
        case .fact(let id, let number):
            noted = deed(.openedEvidence)
            (noted.subject, noted.detail) = (id.rawValue, "fact \(number)")
        case .wall(let view):
            guard let customer = view.customer else { return }
            noted = deed(.openedCustomer)
            (noted.customer, noted.detail) = (try Backend.checked(customer), "wall")
        case .search(let text?):
            noted = deed(.searched)
            noted.searched = text
        case .inspect: noted = deed(.inspected)
        case .search(nil), .overview, .inbox, .policy, .policyVersion, .catalogue, .offers, .operations, .jobs, .verify: return
        }
        try await desk.note(noted, by: OperatorActor(name: visitor.name, from: client(of: call)))
    }

    /// P15.
    package func page(of route: ConsoleRoute, for visitor: ConsoleVisitor) async throws -> any PageModel {
        guard case .operatorsAudit(let view) = route else {
            var keys: [OperatorsPage.AppKeys] = []
            for app in backend.servedApps.map(\.id) { keys.append(.init(app: app, keys: try await backend.keys(of: app))) }
            return OperatorsPage(operators: try await desk.operators(), keys: keys)
        }
        let page = try await desk.audit(before: view.before, actor: view.actor, act: view.act, limit: 100)
        return AuditPage(view: view, notes: page.notes, next: page.next)
    }

    // MARK: Cookies

    /// Browsers take a name with such a beginning only over TLS, and `__Host-` only for the whole host, so that no other page of
    /// a shared host can set it.
    ///
    /// Source: RFC 6265bis, section 4.1.3; OWASP ASVS 4.0.3, 3.4.1 to 3.4.5.
    var cookieName: String {
        guard url.isSecure else { return "tenure" }
        return url.site.basePath.isEmpty ? "__Host-tenure" : "__Secure-tenure"
    }

    func cookie(_ token: SecretToken) -> String { cookie(value: token.text) }

    /// Takes the cookie away.
    var noCookie: String { cookie(value: "") + "; Max-Age=0" }

    private func cookie(value: String) -> String {
        let path = url.site.basePath.isEmpty ? "/" : url.site.basePath
        return "\(cookieName)=\(value); Path=\(path); HttpOnly; SameSite=Lax" + (url.isSecure ? "; Secure" : "")
    }

    // MARK: From where

    private func peer(of call: ConsoleCall) -> String { call.context.remoteAddress?.ipAddress ?? "" }

    /// Who asks: the connection's address, or the one that a believed proxy saw.
    func client(of call: ConsoleCall) -> OperatorClient {
        var address = peer(of: call)
        let name = HTTPField.Name("X-Forwarded-For")
        let named = name.map { call.request.headers[values: $0] } ?? []
        // From the last one on: each was added by the proxy behind it.
        for text in named.flatMap({ $0.split(separator: ",") }).reversed() {
            guard let known = IPAddress(address), ways.forwarders.contains(where: { $0.contains(known) }) else { break }
            let said = String(text.filter { $0 != " " })
            guard IPAddress(said) != nil else { break }
            address = said
        }
        return OperatorClient(address: address, userAgent: call.request.headers[.userAgent] ?? "")
    }

    // MARK: Answers

    /// A page of the door's own.
    func page(
        _ model: any PageModel, _ call: ConsoleCall, status: HTTPResponse.Status = .ok, cookie: String? = nil,
        for visitor: ConsoleVisitor = .nobody
    ) -> Response {
        var response = ConsoleResponder.answer(model, call.frame(of: .rules, for: visitor), call)
        response.status = status
        return response.keeping(cookie)
    }

    func trouble(_ trouble: Trouble, _ call: ConsoleCall) -> Response {
        page(TroubleModel(trouble), call, status: trouble.status)
    }
}

extension Response {
    /// The same with a cookie, where there is one to set.
    func keeping(_ cookie: String?) -> Response {
        guard let cookie else { return self }
        var response = self
        response.headers[.setCookie] = cookie
        return response
    }
}

extension ConsoleVisitor.Roles {
    fileprivate init(_ grants: [OperatorGrant]) {
        let named = grants.compactMap { grant in grant.app.map { ($0, grant.role) } }
        let byApp = Dictionary(named) { first, _ in first }
        let general = grants.first { $0.app == nil }?.role
        self = general.map { byApp.isEmpty ? .everywhere($0) : .everywhereBut($0, byApp) } ?? .byApp(byApp)
    }
}
