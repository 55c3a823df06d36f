import Backend
import Primitives
import StrictJSON

/// What an operator sees and changes of themselves.
struct AccountPage: PageModel {
    let identity: OperatorIdentity
    /// Those that let somebody in now.
    let sessions: [OperatorSessionReport]
    /// What happened lately to their login.
    let notes: [AuditedNote]
    let needsProof: Bool
    /// Whether a proxy lets operators in: then there is no password here.
    let isProxied: Bool
    let zone: ConsoleZone
    var problem: LoginProblem?

    func title(_ speech: Speech) -> Said { speech.say(LoginWords.account) }

    func write(to html: inout HTML, _ frame: Frame) {
        html.problem(problem, frame)
        html.facts { html in
            html.fact(frame.say(LoginWords.name)) { $0.data(identity.name) }
            html.fact(frame.say(LoginWords.roles)) { $0.grants(identity.grants, frame) }
        }
        if !isProxied { factors(&html, frame) }
        reading(&html, frame)
        html.part("sessions", frame.say(LoginWords.sessions)) { list(&$0, frame) }
        html.part("lately", frame.say(LoginWords.lately)) { lately(&$0, frame) }
    }

    // MARK: Parts

    private func factors(_ html: inout HTML, _ frame: Frame) {
        html.part("factors", frame.say(LoginWords.secondFactor)) { html in
            html.element(.p, say: frame.say(needsProof ? LoginWords.proofWanted : LoginWords.proved))
            guard !needsProof else {
                html.sessionForm(["account", "prove"], frame) { html in
                    html.input(
                        LoginWords.code, frame, .fixed("name", "code"), .fixed("autocomplete", "one-time-code"),
                        hint: LoginWords.codeHint)
                    html.element(.button, .fixed("type", "submit"), say: frame.say(LoginWords.proveAgain))
                }
                return
            }
            html.sessionForm(["account", "password"], frame) { html in
                html.ownName(identity.name, frame)
                html.input(
                    LoginWords.presentPassword, frame, .fixed("type", "password"), .fixed("name", "present"),
                    .fixed("autocomplete", "current-password"))
                html.input(
                    LoginWords.newPassword, frame, .fixed("type", "password"), .fixed("name", "password"),
                    .fixed("autocomplete", "new-password"), hint: LoginWords.passwordHint)
                html.input(
                    LoginWords.repeated, frame, .fixed("type", "password"), .fixed("name", "repeated"),
                    .fixed("autocomplete", "new-password"))
                html.element(.button, .fixed("type", "submit"), say: frame.say(LoginWords.changePassword))
            }
            html.sessionForm(["account", "factor"], frame) { html in
                html.element(.button, .fixed("type", "submit"), say: frame.say(LoginWords.changeFactor))
            }
            html.sessionForm(["account", "codes"], frame) { html in
                html.element(.button, .fixed("type", "submit"), say: frame.say(LoginWords.newCodes))
            }
        }
    }

    private func reading(_ html: inout HTML, _ frame: Frame) {
        html.part("reading", frame.say(LoginWords.reading)) { html in
            html.sessionForm(["account", "reading"], frame) { html in
                html.element(.label) { html in
                    html.element(.span, say: frame.say(LoginWords.language))
                    html.fixed(" ")
                    html.element(.select, .fixed("name", "language")) { html in
                        html.element(.option, .fixed("value", ""), .flag(.selected, identity.language == nil)) {
                            $0.say(frame.say(LoginWords.ofBrowser))
                        }
                        for language in Language.offered {
                            let isChosen = identity.language == language.rawValue
                            html.element(
                                .option, .data(.value, language.rawValue), .data(.lang, language.rawValue),
                                .flag(.selected, isChosen)
                            ) { $0.bareData(language.ownName) }
                        }
                    }
                }
                html.fixed(" ")
                html.element(.label) { html in
                    html.element(.span, say: frame.say(LoginWords.zone))
                    html.fixed(" ")
                    html.element(.select, .fixed("name", "zone")) { html in
                        for choice in ConsoleZone.allCases {
                            html.element(.option, .data(.value, choice.rawValue), .flag(.selected, choice == zone)) {
                                $0.bareData(choice.name)
                            }
                        }
                    }
                }
                html.fixed(" ")
                html.element(.button, .fixed("type", "submit"), say: frame.say(LoginWords.save))
            }
        }
    }

    private func list(_ html: inout HTML, _ frame: Frame) {
        let headings = [LoginWords.begun, .seen, .address, .browser, .endSession].map { frame.say($0) }
        html.table(frame.say(LoginWords.sessions), headings, sessions) { row, session in
            row.cell { $0.time(session.begunAt, frame) }
            row.cell { $0.time(session.seenAt, frame) }
            row.cell { $0.data(session.address) }
            row.cell { $0.data(session.userAgent) }
            row.cell { html in
                guard session.id != identity.sessionId else { return html.say(frame.say(LoginWords.thisSession)) }
                html.sessionForm(["account", "sessions"], frame) { html in
                    html.void(.input, .fixed("type", "hidden"), .fixed("name", "session"), .data(.value, session.id))
                    html.element(.button, .fixed("type", "submit"), say: frame.say(LoginWords.endSession))
                }
            }
        }
    }

    private func lately(_ html: inout HTML, _ frame: Frame) {
        html.element(.p, say: frame.say(LoginWords.latelyHow))
        let headings = [OperatorWords.when, .act, .from, .more].map { frame.say($0) }
        html.table(frame.say(LoginWords.lately), headings, notes) { row, note in
            row.cell { $0.time(note.at, frame, seconds: true) }
            row.cell { $0.act(note.act, frame) }
            row.data(note.address)
            row.data(note.detail)
        }
    }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("name", identity.name)
            json.member("needsProof", needsProof)
            if let problem { json.member("problem", "\(problem)") }
            json.grants(identity.grants)
            json.member("sessions") { json in
                json.array { json in
                    for session in sessions {
                        json.object { json in
                            json.member("id", session.id)
                            json.member("begunAt", session.begunAt.millisecondsSince1970)
                            json.member("seenAt", session.seenAt.millisecondsSince1970)
                            json.member("address", session.address)
                            json.member("userAgent", session.userAgent)
                            json.member("isThisOne", session.id == identity.sessionId)
                        }
                    }
                }
            }
            json.member("lately") { $0.notes(notes) }
        }
    }
}

extension HTML {
    /// A form that does something, with the token that only pages of this session have.
    mutating func sessionForm(_ segments: [String], _ frame: Frame, content: (inout HTML) -> Void) {
        doorForm(segments, frame) { html in
            html.formToken(frame)
            content(&html)
        }
    }
}

extension Language {
    /// As its readers write it.
    fileprivate var ownName: String {
        switch self {
        case .english, .pseudo: "English"
        case .simplifiedChinese: "简体中文"
        }
    }
}

extension ConsoleZone {
    /// A name that is the same in every language.
    fileprivate var name: String {
        switch self {
        case .utc: "UTC"
        case .pacific: "PST/PDT"
        }
    }
}
