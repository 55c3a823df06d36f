package import Backend
import HTTPTypes
package import Hummingbird
import Logging
package import Metrics
import NIOCore
import Primitives
package import PrometheusMetrics
package import Server
import StrictJSON

/// What the console needs from the outside.
package struct ConsoleDependencies: Sendable {
    package let backend: Backend
    package let door: any ConsoleDoor
    package let site: ConsoleSite
    /// Of Tenure, as the foot of every page says it.
    package let version: String
    /// Whether the backend's clock is a local App Store's.
    package var isClockSimulated = false
    /// Who knows of webhooks; nil: none are served here.
    package var deliveries: DeliveryDesk?
    /// Who asks Apple; nil: nobody does here.
    package var apple: AppleDesk?
    /// Where is counted what browsers report; nowhere, unless somebody reads it.
    package var metrics: any MetricsFactory = NOOPMetricsHandler.instance

    package init(backend: Backend, door: any ConsoleDoor, site: ConsoleSite = .atRoot, version: String) {
        (self.backend, self.door, self.site, self.version) = (backend, door, site, version)
    }
}

extension ConsoleDependencies {
    /// What the console counts.
    package static let metricFamilies = [PolicyReports.family]

    /// What is so at this moment, whatever is asked.
    fileprivate var standing: Frame.Standing {
        Frame.Standing(
            now: backend.now(), isSimulated: isClockSimulated, version: version,
            apps: backend.servedApps.map { Frame.ServedApp(id: $0.id, environments: $0.environments) })
    }
}

/// The console: one answer for each request under its base path, with every header that protects it.
package struct ConsoleResponder: HTTPResponder, HTTPResponderBuilder {
    private let dependencies: ConsoleDependencies
    private let bodies = BodyBudget(bytes: Self.mostBodies)
    private let reports: PolicyReports

    package init(_ dependencies: ConsoleDependencies) {
        self.dependencies = dependencies
        reports = PolicyReports(dependencies.metrics)
    }

    /// So many bytes of bodies are held at once: what is pasted by a dozen operators.
    private static let mostBodies = 16 << 20

    /// How many bytes a pasted text may have, as a form sends it.
    package static let longestPaste = 1 << 20

    /// Itself: an application is built around it as around a router.
    package func buildResponder() -> ConsoleResponder { self }

    package func respond(to request: Request, context: ServerContext) async throws -> Response {
        var response = await answer(request, context)
        ConsoleHeaders.secure(&response.headers, reportingTo: dependencies.site.address(ofDoor: PolicyReports.segments))
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func answer(_ request: Request, _ context: ServerContext) async -> Response {
        // Proxies and caches may take another one for the address than this server does.
        guard request.hasOneHost else { return Self.bare(.badRequest) }
        guard let path = dependencies.site.path(of: request.uri.path[...]) else { return Self.bare(.notFound) }
        let route = ConsoleRoute(path: path, query: (request.uri.query ?? "")[...])
        if case .asset(let asset)? = route { return Self.answer(asset, request) }
        let call = ConsoleCall(
            request: request, context: context, site: dependencies.site, path: String(path), standing: dependencies.standing,
            bodies: bodies)
        if call.path == PolicyReports.path { return await reports.take(call) }
        do {
            switch try await dependencies.door.admit(call) {
            case .answer(let response): return response
            case .visitor(let visitor, let cookie): return await answer(call, route, visitor).keeping(cookie)
            }
        } catch {
            context.logger.error("console.door", metadata: ["error": "\(error)"])
            return Self.bare(.internalServerError)
        }
    }

    /// An answer to somebody of whom nothing is known: it says nothing.
    private static func bare(_ status: HTTPResponse.Status) -> Response {
        Response(
            status: status, headers: [.contentType: "text/plain; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: "\(status.code)\n")))
    }

    private static func answer(_ asset: ConsoleAsset, _ request: Request) -> Response {
        guard request.method == .get || request.method == .head else { return bare(.methodNotAllowed) }
        // Another content has another name.
        return Response(
            status: .ok,
            headers: [.contentType: asset.contentType, .cacheControl: "public, max-age=31536000, immutable"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: asset.content)))
    }

    // MARK: Pages

    private func answer(_ call: ConsoleCall, _ route: ConsoleRoute?, _ visitor: ConsoleVisitor) async -> Response {
        let frame = call.frame(of: route ?? .rules, for: visitor)
        do {
            let route = try Self.allowed(call, route, visitor, frame)
            if route == .home {
                guard let place = frame.firstPlace else { throw Trouble.nothingAllowed }
                return .redirect(to: dependencies.site.address(of: .page(place, .overview)))
            }
            try await dependencies.door.note(route, by: visitor, call)
            return Self.answer(try await model(of: route, call, visitor), frame, call)
        } catch {
            let trouble = Trouble(error)
            if trouble.isFailureOfOurs { call.context.logger.error("console", metadata: ["error": "\(error)"]) }
            // A page that is not there has no ledger to lead to others of.
            let frame = trouble == .noSuchPage ? call.frame(of: .rules, for: visitor) : frame
            var response = Self.answer(TroubleModel(trouble), frame, call)
            response.status = trouble.status
            if trouble == .wrongMethod { response.headers[.allow] = route?.isPost == true ? "POST" : "GET, HEAD" }
            return response
        }
    }

    /// The route, if it exists and the visitor may go there by this method.
    ///
    /// - Throws: ``Trouble``.
    private static func allowed(
        _ call: ConsoleCall, _ route: ConsoleRoute?, _ visitor: ConsoleVisitor, _ frame: Frame
    ) throws -> ConsoleRoute {
        guard let route else { throw Trouble.noSuchPage }
        let method = call.request.method
        guard route.isPost ? method == .post : call.isToShow else { throw Trouble.wrongMethod }
        if route.isPost, call.isFromAnotherSite { throw Trouble.fromAnotherSite }
        if let place = route.place {
            // Whoever has no role in an app does not learn whether it exists.
            guard visitor.role(in: place.app) != nil,
                frame.standing.apps.contains(where: { $0.id == place.app && $0.environments.contains(place.environment) })
            else { throw Trouble.noSuchPage }
        }
        guard visitor.may(route) else { throw Trouble.notAllowed }
        return route
    }

    private func model(
        of route: ConsoleRoute, _ call: ConsoleCall, _ visitor: ConsoleVisitor
    ) async throws -> any PageModel {
        let desk = ConsoleDesk(dependencies, for: visitor)
        switch route {
        case .home, .asset: throw Trouble.noSuchPage
        case .operators, .operatorsAudit: return try await dependencies.door.page(of: route, for: visitor)
        case .rules: return RulesModel(rules: RulePages.all)
        case .rule(let id):
            guard let page = RulePages.page(of: id) else { throw Trouble.unknownRule }
            return RuleModel(rule: page)
        case .page(let place, .inspect):
            return try await call.reading(upTo: Self.longestPaste) { body in
                try await desk.inspect(try call.pastedText(in: body, by: visitor), in: place)
            }
        case .page(let place, let page): return try await desk.model(of: page, in: place)
        }
    }

    static func answer(_ model: any PageModel, _ frame: Frame, _ call: ConsoleCall) -> Response {
        let isJSON = call.wantsJSON
        let bytes = isJSON ? json(model) : Shell.document(model, frame).bytes
        var headers: HTTPFields = [
            .contentType: isJSON ? "application/json" : "text/html; charset=utf-8", .vary: "Accept, Accept-Language",
        ]
        if !isJSON { headers[.contentLanguage] = frame.speech.language.rawValue }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    private static func json(_ model: some PageModel) -> [UInt8] {
        var json = JSONWriter()
        model.write(to: &json)
        return json.bytes
    }
}

extension Response {
    /// Leads to another page of the console: what a POST did is not done again by loading the page once more.
    static func redirect(to address: ConsoleAddress) -> Response {
        Response(status: .seeOther, headers: [.location: address.text])
    }
}

extension ConsoleCall {
    /// What stands around a page: in the visitor's language, else the browser's.
    func frame(of route: ConsoleRoute, for visitor: ConsoleVisitor) -> Frame {
        let language = visitor.language ?? Language(accepting: request.headers[.acceptLanguage])
        return Frame(
            site: site, visitor: visitor, speech: Speech(language, visitor.zone), route: route, standing: standing)
    }

    /// Whether something is to be shown: HEAD is GET without the body.
    ///
    /// Source: RFC 9110, section 9.3.2.
    var isToShow: Bool { request.method == .get || request.method == .head }

    /// Whether JSON is asked for, by a program: a browser names HTML first.
    var wantsJSON: Bool {
        let accepted = (request.headers[.accept] ?? "").lowercased()
        return accepted.contains("application/json") && !accepted.contains("text/html")
    }

    /// Whether a browser says that a page of somebody else sent it.
    ///
    /// Source: W3C, Fetch Metadata Request Headers, section 2.3.
    var isFromAnotherSite: Bool {
        guard let name = HTTPField.Name("Sec-Fetch-Site"), let said = request.headers[name] else { return false }
        return said != "same-origin" && said != "none"
    }

    /// What was pasted: the field `text` of a form, which bears the token of the visitor's session, or the whole body of
    /// anything that no page of another site can send without asking first.
    ///
    /// - Throws: ``Trouble``.
    fileprivate func pastedText(in body: [UInt8], by visitor: ConsoleVisitor) throws -> [UInt8] {
        guard isForm else {
            guard !isOfAnyPage else { throw Trouble.formUnreadable }
            return body
        }
        guard visitor.isFormToken(try Self.field("form", of: body) ?? "") else { throw Trouble.fromAnotherSite }
        guard let text = try Self.field("text", of: body) else { throw Trouble.formUnreadable }
        return Array(text.utf8)
    }

    /// Whether a page of any site can send a body of this type.
    ///
    /// Source: Fetch Standard, section 2.2.2 (CORS-safelisted request-header).
    private var isOfAnyPage: Bool {
        guard let type = request.headers[.contentType]?.lowercased() else { return true }
        return type.hasPrefix("text/plain") || type.hasPrefix("multipart/form-data")
    }

    /// A field of a form that is longer than ``ConsoleForm/longest``; nil where it is not there.
    ///
    /// - Throws: ``Trouble``: `formUnreadable`.
    private static func field(_ name: String, of body: [UInt8]) throws -> String? {
        let start = Array("\(name)=".utf8)
        guard let part = body.split(separator: UInt8(ascii: "&")).first(where: { $0.starts(with: start) }) else { return nil }
        let spaced = part.dropFirst(start.count).map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        guard let text = PercentEncoding.decode(spaced[...]) else { throw Trouble.formUnreadable }
        return text
    }
}
