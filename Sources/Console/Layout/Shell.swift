import Primitives

/// A page whole: what stands around every page, and the page in it.
package enum Shell {
    /// The document. Pure: the same model and frame give the same bytes.
    package static func document(_ model: some PageModel, _ frame: Frame) -> HTML {
        var html = HTML()
        let title = model.title(frame.speech)
        html.doctype()
        html.element(
            .html, .data(.lang, frame.speech.language.rawValue), .fixed("data-environment", environment(frame))
        ) { html in
            head(&html, title, frame)
            html.element(.body) { html in
                html.element(.a, .class("skip"), .anchor("#content"), say: frame.say(LayoutWords.skip))
                header(&html, frame)
                html.element(.main, .id("content"), .fixed("tabindex", "-1")) { html in
                    html.element(.h1, say: title)
                    model.write(to: &html, frame)
                }
                footer(&html, frame)
            }
        }
        return html
    }

    /// For the frame's colour, which the words of the bar repeat.
    private static func environment(_ frame: Frame) -> StaticString {
        switch frame.place?.environment {
        case .production?, nil: "production"
        case .sandbox?: "sandbox"
        case .xcode?, .localTesting?: "test"
        }
    }

    private static func head(_ html: inout HTML, _ title: Said, _ frame: Frame) {
        html.element(.head) { html in
            html.void(.meta, .fixed("charset", "utf-8"))
            html.void(.meta, .fixed("name", "viewport"), .fixed("content", "width=device-width, initial-scale=1"))
            html.void(.meta, .fixed("name", "robots"), .fixed("content", "noindex"))
            html.void(.meta, .fixed("name", "color-scheme"), .fixed("content", "light dark"))
            html.element(.title) { html in
                html.say(title)
                html.say(frame.say(LayoutWords.titleEnd))
            }
            html.void(.link, .fixed("rel", "icon"), .href(frame.site.address(of: .asset(.svg))))
            html.void(.link, .fixed("rel", "stylesheet"), .href(frame.site.address(of: .asset(.css))))
            html.element(.script, .src(frame.site.address(of: .asset(.js))), .fixed("defer", "")) { _ in }
        }
    }

    // MARK: Header

    private static func header(_ html: inout HTML, _ frame: Frame) {
        html.element(.header, .class("bar")) { html in
            html.element(.p, .class("name")) { html in html.link(.home, say: frame.say(LayoutWords.product), frame) }
            if frame.place != nil { switches(&html, frame) }
            search(&html, frame)
            clock(&html, frame)
            if !frame.visitor.isNobody { who(&html, frame) }
        }
        if let place = frame.place, place.environment != .production {
            html.element(.p, .class("notice"), say: frame.say(LayoutWords.notProduction(place.environment)))
        }
        guard !frame.visitor.isNobody else { return }
        html.element(.nav, .class("pages"), .say(.label, frame.say(LayoutWords.pages))) { html in
            html.element(.ul) { html in
                for page in Page.allCases {
                    guard let route = page.route(frame), frame.visitor.may(route) else { continue }
                    html.element(.li) { html in
                        html.element(.a, .href(frame.site.address(of: route)), .flag(.current, page.isCurrent(frame.route))) {
                            $0.say(frame.say(page.words))
                        }
                    }
                }
            }
        }
    }

    /// Who has logged in, with which role, and the way out.
    private static func who(_ html: inout HTML, _ frame: Frame) {
        html.element(.div, .class("who")) { html in
            html.element(.a, .href(frame.site.address(ofDoor: ["account"]))) { $0.data(frame.visitor.name) }
            if let role = frame.place.flatMap({ frame.visitor.role(in: $0.app) }) {
                html.fixed(" · ")
                html.say(frame.say(role.words))
            }
            guard !frame.visitor.formToken.isEmpty else { return }
            html.fixed(" ")
            html.element(.form, .fixed("method", "post"), .action(frame.site.address(ofDoor: ["logout"]))) { html in
                html.formToken(frame)
                html.element(.button, .fixed("type", "submit"), say: frame.say(LoginWords.logOut))
            }
        }
    }

    /// The apps and the environments, each a link: a page is always of one ledger.
    private static func switches(_ html: inout HTML, _ frame: Frame) {
        guard let place = frame.place else { return }
        let apps = frame.standing.apps.filter { frame.visitor.role(in: $0.id) != nil }
        html.element(.nav, .class("switch"), .say(.label, frame.say(LayoutWords.apps))) { html in
            html.element(.ul) { html in
                for app in apps {
                    let target = app.environments.contains(place.environment) ? place.environment : app.environments.first
                    guard let target else { continue }
                    let route = ConsoleRoute.page(ConsolePlace(app.id, target), .overview)
                    html.element(.li) { html in
                        html.element(.a, .href(frame.site.address(of: route)), .flag(.current, app.id == place.app)) {
                            $0.data(app.id.rawValue)
                        }
                    }
                }
            }
        }
        html.element(.nav, .class("switch environments"), .say(.label, frame.say(LayoutWords.environments))) { html in
            html.element(.ul) { html in
                for environment in apps.first(where: { $0.id == place.app })?.environments ?? [] {
                    let route = ConsoleRoute.page(ConsolePlace(place.app, environment), .overview)
                    html.element(.li) { html in
                        let isCurrent = environment == place.environment
                        html.element(.a, .href(frame.site.address(of: route)), .flag(.current, isCurrent)) {
                            $0.say(frame.say(LayoutWords.environment(environment)))
                        }
                    }
                }
            }
        }
    }

    private static func search(_ html: inout HTML, _ frame: Frame) {
        guard let route = frame.here(.search(nil)), frame.visitor.may(route) else { return }
        var asked = ""
        if case .page(_, .search(let text?)) = frame.route { asked = text }
        html.element(
            .form, .class("search"), .fixed("role", "search"), .fixed("method", "get"), .action(frame.site.address(of: route))
        ) { html in
            html.element(.label, .fixed("for", "q"), say: frame.say(LayoutWords.search))
            html.void(
                .input, .id("q"), .fixed("type", "search"), .fixed("name", "q"), .data(.value, asked), .fixed("dir", "auto"),
                .fixed("autocomplete", "off"), .fixed("spellcheck", "false"), .fixed("aria-keyshortcuts", "/"))
            html.element(.button, .fixed("type", "submit"), say: frame.say(LayoutWords.searchNow))
        }
    }

    private static func clock(_ html: inout HTML, _ frame: Frame) {
        html.element(.p, .class("clock")) { html in
            html.say(frame.say(LayoutWords.serverTime))
            html.fixed(" ")
            html.time(frame.standing.now, frame)
            guard frame.standing.isSimulated else { return }
            html.fixed(" ")
            html.element(.strong, .class("badge warn"), say: frame.say(LayoutWords.simulatedClock))
        }
    }

    private static func footer(_ html: inout HTML, _ frame: Frame) {
        html.element(.footer) { html in
            html.element(.p) { html in
                html.say(frame.say(LayoutWords.version(frame.standing.version)))
                html.fixed(" · ")
                html.link(.rules, say: frame.say(LayoutWords.rules), frame)
            }
            // What the script says to those who do not see the page change.
            html.element(.p, .id("said"), .class("unseen"), .fixed("role", "status")) { _ in }
        }
    }
}

extension Shell {
    /// The pages that the bar leads to.
    enum Page: CaseIterable {
        case overview, search, inbox, policy, catalogue, offers, operations, jobs, verify, operators

        func route(_ frame: Frame) -> ConsoleRoute? {
            switch self {
            case .overview: frame.here(.overview)
            case .search: frame.here(.search(nil))
            case .inbox: frame.here(.inbox(after: nil))
            case .policy: frame.here(.policy)
            case .catalogue: frame.here(.catalogue)
            case .offers: frame.here(.offers)
            case .operations: frame.here(.operations)
            case .jobs: frame.here(.jobs)
            case .verify: frame.here(.verify)
            case .operators: .operators
            }
        }

        func isCurrent(_ route: ConsoleRoute) -> Bool {
            switch route {
            case .operators, .operatorsAudit: return self == .operators
            default: break
            }
            guard case .page(_, let page) = route else { return false }
            return switch (self, page) {
            case (.overview, .overview), (.search, .search), (.search, .inspect), (.inbox, .inbox), (.policy, .policy),
                (.catalogue, .catalogue), (.catalogue, .wall), (.offers, .offers), (.operations, .operations), (.jobs, .jobs),
                (.verify, .verify):
                true
            default: false
            }
        }

        var words: LayoutWords {
            switch self {
            case .overview: .overview
            case .search: .searchPage
            case .inbox: .inbox
            case .policy: .policy
            case .catalogue: .catalogue
            case .offers: .offers
            case .operations: .operations
            case .jobs: .jobs
            case .verify: .verify
            case .operators: .operators
            }
        }
    }
}
