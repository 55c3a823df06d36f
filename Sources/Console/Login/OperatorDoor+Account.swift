import Backend
import HTTPTypes
import Hummingbird
import OperatorFactors
import Primitives

/// What operators see and change of themselves.
extension OperatorDoor {
    /// Nil for everything else.
    func ofOneself(_ call: ConsoleCall, _ session: Session) async throws -> Response? {
        guard call.path == "/account" || call.path.hasPrefix("/account/") else { return nil }
        let parts = call.path.split(separator: "/").dropFirst().map(String.init)
        if call.isToShow, parts.isEmpty { return try await account(call, session) }
        guard call.request.method == .post else { throw Trouble.noSuchPage }
        let form = try await call.form()
        guard session.token.isFormToken(form["form"]) else { throw Trouble.fromAnotherSite }
        // A proxy asks for what it asks for; here is only the language.
        guard ways.proxy == nil || parts == ["reading"] else { throw Trouble.noSuchPage }
        do {
            return try await change(parts, form, call, session)
        } catch let refusal as OperatorRefusal {
            return try await account(call, session, refusal)
        }
    }

    private func change(
        _ parts: [String], _ form: ConsoleForm, _ call: ConsoleCall, _ session: Session
    ) async throws -> Response {
        let client = client(of: call)
        switch parts {
        case ["prove"]:
            return backToAccount(try await desk.prove(form["code"], in: session.token, from: client))
        case ["password"]:
            guard form["password"] == form["repeated"] else { return try await account(call, session, .passwordsDiffer) }
            return backToAccount(
                try await desk.changePassword(
                    from: form["present"], to: form["password"], in: session.token, client: client))
        case ["factor"]:
            return page(EnrolmentPage(try await desk.beginFactor(in: session.token)), call, for: visitor(session))
        case ["codes"]:
            let codes = try await desk.makeRecoveryCodes(in: session.token, from: client)
            return page(CodesPage(codes: codes), call, for: visitor(session))
        case ["reading"]:
            let language = Language.offered.first { $0.rawValue == form["language"] }
            let zone = ConsoleZone(rawValue: form["zone"])
            try await desk.setReading(language: language?.rawValue, timeZone: zone?.rawValue, in: session.token, from: client)
            return backToAccount(nil)
        case ["sessions"]:
            let actor = OperatorActor(session.identity, from: client)
            _ = try await desk.endSession(form["session"], of: session.identity.name, by: actor)
            return backToAccount(nil)
        default: throw Trouble.noSuchPage
        }
    }

    private func backToAccount(_ signedIn: SignedIn?) -> Response {
        .redirect(to: url.site.address(ofDoor: ["account"])).keeping(signedIn.map { cookie($0.token) })
    }

    private func account(_ call: ConsoleCall, _ session: Session, _ refusal: OperatorRefusal) async throws -> Response {
        var response = try await account(call, session, .refusal(refusal))
        response.status = refusal.status
        return response
    }

    private func account(_ call: ConsoleCall, _ session: Session, _ problem: LoginProblem? = nil) async throws -> Response {
        let visitor = visitor(session)
        let model = AccountPage(
            identity: session.identity, sessions: try await desk.sessions(of: session.identity.name).filter(\.isLive),
            notes: try await desk.loginNotes(of: session.identity.name, limit: 20), needsProof: desk.needsProof(session.identity),
            isProxied: ways.proxy != nil, zone: visitor.zone, problem: problem)
        return page(model, call, status: problem == nil ? .ok : .badRequest, for: visitor)
    }
}
