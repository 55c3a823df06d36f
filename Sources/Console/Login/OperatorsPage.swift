import Backend
import Ledger
import Primitives
import StrictJSON

/// P15: who uses the console, and which keys the apps have.
struct OperatorsPage: PageModel {
    let operators: [OperatorReport]
    /// By app.
    let keys: [AppKeys]

    struct AppKeys: Sendable {
        let app: AppID
        let keys: [KeyReport]
    }

    func title(_ speech: Speech) -> Said { speech.say(LayoutWords.operators) }

    func write(to html: inout HTML, _ frame: Frame) {
        html.element(.p, say: frame.say(OperatorWords.howMade))
        let headings = [
            LoginWords.name.said(frame), LoginWords.roles.said(frame), frame.say(OperatorWords.state),
            frame.say(OperatorWords.codesLeft), frame.say(OperatorWords.made), frame.say(OperatorWords.ended),
        ]
        if operators.isEmpty {
            html.empty(frame.say(OperatorWords.nobody))
        } else {
            html.table(frame.say(LayoutWords.operators), headings, operators) { row, one in
                row.cell { $0.link(.operatorsAudit(.init(actor: one.name)), data: one.name, frame) }
                row.cell { $0.grants(one.grants, frame) }
                row.cell { html in
                    if one.endedAt != nil { return html.badge("badge", frame.say(OperatorWords.hasEnded)) }
                    html.badge(
                        one.isReady ? "badge good" : "badge warn",
                        frame.say(one.isReady ? OperatorWords.ready : OperatorWords.notReady))
                }
                row.cell { $0.say(frame.say(NumberWords.number(frame.speech.number(one.recoveryCodesLeft)))) }
                row.cell { html in
                    html.time(one.madeAt, frame)
                    html.fixed(" ")
                    html.data(one.madeBy)
                }
                row.cell { html in
                    guard let endedAt = one.endedAt else { return }
                    html.time(endedAt, frame)
                    html.fixed(" ")
                    html.data(one.endedBy ?? "")
                }
            }
        }
        html.element(.p) { $0.link(.operatorsAudit(.init()), say: frame.say(OperatorWords.toAudit), frame) }
        html.part("keys", frame.say(OperatorWords.keys)) { html in for app in keys { write(app, to: &html, frame) } }
    }

    private func write(_ app: AppKeys, to html: inout HTML, _ frame: Frame) {
        let caption = frame.say(OperatorWords.keysOf(app.app.rawValue))
        guard !app.keys.isEmpty else { return html.empty(frame.say(OperatorWords.noKeys(app.app.rawValue))) }
        let headings = [
            OperatorWords.name, .kind, .scopes, .state, .made, .lastUsed, .ends,
        ].map { frame.say($0) }
        html.table(caption, headings, app.keys) { row, key in
            row.data(key.name)
            row.data(key.kind)
            row.data(key.scopes.joined(separator: ", "))
            row.cell { html in
                html.badge(
                    key.holds ? "badge good" : "badge", frame.say(key.holds ? OperatorWords.holds : OperatorWords.hasEnded))
                guard key.isUsedNearEnd else { return }
                html.fixed(" ")
                html.badge("badge warn", frame.say(OperatorWords.usedNearEnd))
            }
            row.cell { html in
                html.time(key.madeAt, frame)
                html.fixed(" ")
                html.data(key.madeBy)
            }
            row.cell { $0.time(key.lastUsedAt, or: OperatorWords.never, frame) }
            row.cell { $0.time(key.endsAt, or: TimeWords.doesNotEnd, frame) }
        }
    }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("operators") { json in
                json.array { json in
                    for one in operators {
                        json.object { json in
                            json.member("name", one.name)
                            json.member("isReady", one.isReady)
                            json.member("recoveryCodesLeft", Int64(one.recoveryCodesLeft))
                            json.member("madeAt", one.madeAt.millisecondsSince1970)
                            json.member("madeBy", one.madeBy)
                            if let endedAt = one.endedAt { json.member("endedAt", endedAt.millisecondsSince1970) }
                            if let endedBy = one.endedBy { json.member("endedBy", endedBy) }
                            json.grants(one.grants)
                        }
                    }
                }
            }
            json.member("keys") { json in
                json.array { json in
                    for pair in keys.flatMap({ app in app.keys.map { (app.app, $0) } }) {
                        json.object { json in
                            json.member("app", pair.0.rawValue)
                            json.member("name", pair.1.name)
                            json.member("kind", pair.1.kind)
                            json.member("scopes") { json in
                                json.array { json in for scope in pair.1.scopes { json.string(scope) } }
                            }
                            json.member("holds", pair.1.holds)
                            json.member("madeAt", pair.1.madeAt.millisecondsSince1970)
                            json.member("madeBy", pair.1.madeBy)
                            if let used = pair.1.lastUsedAt { json.member("lastUsedAt", used.millisecondsSince1970) }
                            if let ends = pair.1.endsAt { json.member("endsAt", ends.millisecondsSince1970) }
                            json.member("isUsedNearEnd", pair.1.isUsedNearEnd)
                        }
                    }
                }
            }
        }
    }
}

/// What operators did and looked at, the newest first.
struct AuditPage: PageModel {
    let view: ConsoleRoute.AuditView
    let notes: [AuditedNote]
    /// Nil on the last page.
    let next: Int64?

    func title(_ speech: Speech) -> Said { speech.say(OperatorWords.audit) }

    func write(to html: inout HTML, _ frame: Frame) {
        html.element(.p, say: frame.say(OperatorWords.auditIs))
        if let actor = view.actor { html.element(.p, say: frame.say(OperatorWords.onlyOf(actor))) }
        guard !notes.isEmpty else { return html.empty(frame.say(OperatorWords.noNotes)) }
        let headings = [
            OperatorWords.number, .when, .who, .from, .act, .about, .more,
        ].map { frame.say($0) }
        html.table(frame.say(OperatorWords.audit), headings, notes) { row, note in
            row.cell { $0.say(frame.say(NumberWords.number(frame.speech.number(note.number)))) }
            row.cell { $0.time(note.at, frame, seconds: true) }
            row.data(note.actor)
            row.data(note.address)
            row.cell { $0.act(note.act, frame) }
            row.cell { subject(of: note, &$0, frame) }
            row.cell { html in
                let searched = note.searched == note.customer?.rawValue ? nil : note.searched
                for (index, text) in [searched, note.detail, note.reason].compactMap(\.self).enumerated() {
                    if index > 0 { html.fixed(" · ") }
                    html.data(text)
                }
            }
        }
        guard let next else { return }
        let route = ConsoleRoute.operatorsAudit(.init(before: next, actor: view.actor, act: view.act))
        html.element(.p) { $0.link(route, say: frame.say(OperatorWords.older), frame) }
    }

    private func subject(of note: AuditedNote, _ html: inout HTML, _ frame: Frame) {
        let place = note.app.flatMap { app in note.environment.map { ConsolePlace(app, $0) } }
        if let customer = note.customer {
            html.link(place.map { .page($0, .customer(customer, .init())) }, data: customer.rawValue, frame)
        } else if let subject = note.subject {
            html.data(subject)
        }
        guard let place else { return }
        html.fixed(" ")
        html.data("\(place.app.rawValue) \(place.environment.rawValue)")
    }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("notes") { $0.notes(notes) }
            if let next { json.member("before", next) }
        }
    }
}

// MARK: Pieces

extension HTML {
    /// Roles with where they are held.
    mutating func grants(_ grants: [OperatorGrant], _ frame: Frame) {
        for (index, grant) in grants.enumerated() {
            if index > 0 { fixed(", ") }
            say(frame.say(grant.role.words))
            fixed(" · ")
            if let app = grant.app { data(app.rawValue) } else { say(frame.say(LoginWords.everyApp)) }
        }
    }
}

extension HTML {
    /// What was done, by its spelling; a newer version of Tenure may have written one that is not known here.
    mutating func act(_ spelling: String, _ frame: Frame) {
        let known = AuditedAct(rawValue: spelling)
        if let known { say(frame.say(known.words)) } else { data(spelling) }
    }
}

extension JSONWriter {
    /// Rows of the operators' audit, as an array.
    mutating func notes(_ notes: [AuditedNote]) {
        array { json in
            for note in notes {
                json.object { json in
                    json.member("number", note.number)
                    json.member("at", note.at.millisecondsSince1970)
                    json.member("actor", note.actor)
                    json.member("act", note.act)
                    if let address = note.address { json.member("address", address) }
                    if let app = note.app { json.member("app", app.rawValue) }
                    if let environment = note.environment { json.member("environment", environment.rawValue) }
                    if let customer = note.customer { json.member("customer", customer.rawValue) }
                    if let subject = note.subject { json.member("subject", subject) }
                    if let searched = note.searched { json.member("searched", searched) }
                    if let detail = note.detail { json.member("detail", detail) }
                    if let reason = note.reason { json.member("reason", reason) }
                }
            }
        }
    }

    /// A member `roles`.
    mutating func grants(_ grants: [OperatorGrant]) {
        member("roles") { json in
            json.array { json in
                for grant in grants {
                    json.object { json in
                        if let app = grant.app { json.member("app", app.rawValue) }
                        json.member("role", grant.role.rawValue)
                    }
                }
            }
        }
    }
}

extension Words {
    fileprivate func said(_ frame: Frame) -> Said { frame.say(self) }
}
