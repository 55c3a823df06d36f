package import Backend
package import Hummingbird
package import Ledger
import OperatorFactors
package import Server

/// Who is asking: an operator, as the door admitted them.
package struct ConsoleVisitor: Sendable, Hashable {
    /// The operator's name.
    package let name: String
    package let roles: Roles
    /// In which language they read; nil: what their browser prefers.
    package var language: Language?
    package var zone = ConsoleZone.utc
    /// What each form that is posted bears, so that only pages of this session can send it; empty where there is no session.
    package var formToken = ""

    /// - Parameter roles: by app, or one for all.
    package init(name: String, roles: Roles) { (self.name, self.roles) = (name, roles) }

    /// Somebody who has not logged in.
    package static let nobody = ConsoleVisitor(name: "", roles: .byApp([:]))

    package var isNobody: Bool { name.isEmpty }

    /// Whether a form bears what belongs to the visitor's session.
    func isFormToken(_ text: String) -> Bool {
        formToken.isEmpty || ConstantTime.areEqual(Array(formToken.utf8), Array(text.utf8))
    }

    /// An operator has one role for each app, or one for all.
    package enum Roles: Sendable, Hashable {
        case everywhere(OperatorRole)
        case byApp([AppID: OperatorRole])
        /// One for all, and another in some apps.
        case everywhereBut(OperatorRole, [AppID: OperatorRole])
    }

    /// Nil where the operator has nothing to do with the app.
    package func role(in app: AppID) -> OperatorRole? {
        switch roles {
        case .everywhere(let role): role
        case .byApp(let roles): roles[app]
        case .everywhereBut(let role, let roles): roles[app] ?? role
        }
    }

    /// The role for what belongs to no app; nil where the operator has roles in apps alone.
    package var roleOutsideOfApps: OperatorRole? {
        switch roles {
        case .everywhere(let role), .everywhereBut(let role, _): role
        case .byApp: nil
        }
    }

    /// The one answer to whether the visitor may see what a route shows: the control that leads there asks it, and so does what
    /// answers.
    package func may(_ route: ConsoleRoute) -> Bool {
        guard let act = route.act else { return true }
        guard act != .changeOneself else { return !isNobody }
        guard let place = route.place else { return roleOutsideOfApps?.may(act) ?? false }
        return role(in: place.app)?.may(act) ?? false
    }
}

/// What a door decided about a request.
package enum ConsoleAdmission: Sendable {
    /// - Parameter cookie: to be set with what is answered; nil where the browser has what it needs.
    case visitor(ConsoleVisitor, cookie: String? = nil)
    /// What is answered instead: the page of the login, a redirect to it, a refusal.
    case answer(Response)
}

/// Something that the console is asked for.
package struct ConsoleCall: Sendable {
    package let request: Request
    package let context: ServerContext
    package let site: ConsoleSite
    /// Behind the base path, as it came, such as `/login`.
    package let path: String
    /// What every page says beside itself.
    package let standing: Frame.Standing
    /// How many bytes of bodies are held at once, by all requests to the console together.
    package let bodies: BodyBudget
}

/// Who lets people in. Sessions, passwords and what else shows who somebody is are its own concern.
package protocol ConsoleDoor: Sendable {
    /// Asked for every request but those for assets. Pages of the door's own, such as the login, are answers.
    func admit(_ call: ConsoleCall) async throws -> ConsoleAdmission

    /// Hears what an admitted visitor opens, before it is read: opening a customer and searching are audited. Where it throws,
    /// nothing is shown.
    func note(_ route: ConsoleRoute, by visitor: ConsoleVisitor, _ call: ConsoleCall) async throws

    /// A page about those whom it lets in: ``ConsoleRoute/operators`` and ``ConsoleRoute/operatorsAudit(_:)``.
    func page(of route: ConsoleRoute, for visitor: ConsoleVisitor) async throws -> any PageModel
}
