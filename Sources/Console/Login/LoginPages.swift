import Backend
import OperatorFactors
import StrictJSON

/// Asks for name, password and code.
struct LoginPage: PageModel {
    /// Where to go afterwards; nil: to the beginning.
    let next: ConsoleRoute?
    /// As it was typed.
    var name = ""
    /// Why it did not work.
    var refusal: OperatorRefusal?

    func title(_ speech: Speech) -> Said { speech.say(LoginWords.logIn) }

    func write(to html: inout HTML, _ frame: Frame) {
        html.problem(refusal.map { .refusal($0) }, frame)
        html.doorForm(["login"], frame) { html in
            html.input(LoginWords.name, frame, .fixed("name", "name"), .data(.value, name), .fixed("autocomplete", "username"))
            html.input(
                LoginWords.password, frame, .fixed("type", "password"), .fixed("name", "password"),
                .fixed("autocomplete", "current-password"))
            html.input(
                LoginWords.code, frame, .fixed("name", "code"), .fixed("autocomplete", "one-time-code"), hint: LoginWords.codeHint
            )
            if let next { html.void(.input, .fixed("type", "hidden"), .fixed("name", "next"), .data(.value, next.path)) }
            html.element(.button, .fixed("type", "submit"), say: frame.say(LoginWords.logIn))
        }
        html.element(.p, say: frame.say(LoginWords.lostThem))
    }

    func write(to json: inout JSONWriter) {
        json.object { json in if let refusal { json.member("problem", "\(refusal)") } }
    }
}

/// What is wrong with something that was typed.
enum LoginProblem: Sendable, Hashable {
    case refusal(OperatorRefusal)
    case passwordsDiffer
}

/// Asks an operator who came over a link for a new password.
struct LinkPage: PageModel {
    /// Nil: the link is not good.
    let token: SecretToken?
    var name = ""
    var problem: LoginProblem?

    func title(_ speech: Speech) -> Said { speech.say(token == nil ? LoginWords.linkNotGood : LoginWords.choosePassword) }

    func write(to html: inout HTML, _ frame: Frame) {
        guard let token else {
            html.element(.p, say: frame.say(LoginWords.askForLink))
            return
        }
        html.problem(problem, frame)
        html.element(.p, say: frame.say(LoginWords.passwordFor(name)))
        html.doorForm(["login", "link", token.text], frame) { html in
            html.ownName(name, frame)
            html.input(
                LoginWords.newPassword, frame, .fixed("type", "password"), .fixed("name", "password"),
                .fixed("autocomplete", "new-password"), hint: LoginWords.passwordHint)
            html.input(
                LoginWords.repeated, frame, .fixed("type", "password"), .fixed("name", "repeated"),
                .fixed("autocomplete", "new-password"))
            html.element(.button, .fixed("type", "submit"), say: frame.say(LoginWords.goOn))
        }
    }

    func write(to json: inout JSONWriter) { json.object { $0.member("isGood", token != nil) } }
}

/// Shows the secret of a new second factor, and asks for the first code.
struct EnrolmentPage: PageModel {
    let enrolment: Enrolment

    init(_ enrolment: Enrolment) { self.enrolment = enrolment }

    func title(_ speech: Speech) -> Said { speech.say(LoginWords.secondFactor) }

    func write(to html: inout HTML, _ frame: Frame) {
        html.element(.p, say: frame.say(LoginWords.scan))
        if let picture = enrolment.picture { html.picture(picture, frame.say(LoginWords.picture)) }
        html.element(.p) { html in
            html.say(frame.say(LoginWords.orType))
            html.fixed(" ")
            html.element(.code, .class("secret")) { $0.data(enrolment.secretText) }
        }
        html.confirmForm(enrolment.token, frame)
    }

    /// Nothing secret is for programs.
    func write(to json: inout JSONWriter) { json.object { $0.member("name", enrolment.name) } }
}

/// Asks for a code of the new secret once more.
struct ConfirmPage: PageModel {
    let token: SecretToken
    let refusal: OperatorRefusal

    func title(_ speech: Speech) -> Said { speech.say(LoginWords.secondFactor) }

    func write(to html: inout HTML, _ frame: Frame) {
        html.problem(.refusal(refusal), frame)
        html.confirmForm(token, frame)
    }

    func write(to json: inout JSONWriter) { json.object { $0.member("problem", "\(refusal)") } }
}

/// Shows recovery codes, once.
struct CodesPage: PageModel {
    let codes: [String]

    func title(_ speech: Speech) -> Said { speech.say(LoginWords.recoveryCodes) }

    func write(to html: inout HTML, _ frame: Frame) {
        html.element(.p, say: frame.say(LoginWords.keepCodes))
        html.element(.ul, .class("codes")) { html in
            for code in codes { html.element(.li) { html in html.element(.code) { $0.data(code) } } }
        }
        html.element(.p) { html in
            html.element(.a, .href(frame.site.address(of: .home)), say: frame.say(LoginWords.toOverview))
        }
    }

    /// Nothing secret is for programs.
    func write(to json: inout JSONWriter) { json.object { $0.member("count", Int64(codes.count)) } }
}

// MARK: Pieces

extension HTML {
    /// A form whose answer is the door's own.
    mutating func doorForm(_ segments: [String], _ frame: Frame, content: (inout HTML) -> Void) {
        element(
            .form, .class("ask"), .fixed("method", "post"), .action(frame.site.address(ofDoor: segments)), content: content)
    }

    /// A field with its label, and how to fill it in.
    mutating func input(
        _ label: LoginWords, _ frame: Frame, _ attributes: HTMLAttribute..., hint: LoginWords? = nil
    ) {
        element(.p) { html in
            html.element(.label) { html in
                html.element(.span, say: frame.say(label))
                html.fixed(" ")
                html.void(
                    .input, attributes + [.flag(.required), .fixed("spellcheck", "false"), .fixed("autocapitalize", "none")])
            }
            if let hint {
                html.fixed(" ")
                html.element(.small, say: frame.say(hint))
            }
        }
    }

    /// Whose password a form is about, for the browser's list of passwords: those look for a field that is seen, not for a hidden
    /// one.
    ///
    /// Source: WHATWG HTML, section 4.10.18.7 (`username`); Chromium, "Password Form Styles that Chromium Understands".
    mutating func ownName(_ name: String, _ frame: Frame) {
        input(
            LoginWords.name, frame, .fixed("name", "username"), .data(.value, name), .fixed("autocomplete", "username"),
            .fixed("readonly", ""))
    }

    mutating func problem(_ problem: LoginProblem?, _ frame: Frame) {
        guard let problem else { return }
        element(.p, .class("notice"), .fixed("role", "alert"), say: frame.say(LoginWords.problem(problem)))
    }

    fileprivate mutating func confirmForm(_ token: SecretToken, _ frame: Frame) {
        doorForm(["login", "confirm"], frame) { html in
            html.void(.input, .fixed("type", "hidden"), .fixed("name", "enrolment"), .data(.value, token.text))
            html.input(
                LoginWords.firstCode, frame, .fixed("name", "code"), .fixed("inputmode", "numeric"),
                .fixed("autocomplete", "one-time-code"))
            html.element(.button, .fixed("type", "submit"), say: frame.say(LoginWords.confirm))
        }
    }

    /// A QR code: black on white whatever the page's colours, since cameras read no other.
    fileprivate mutating func picture(_ code: QRCode, _ words: Said) {
        let side = code.width + 8
        element(
            .svg, .class("qr"), .fixed("role", "img"), .say(.label, words), .viewBox(width: side, height: side),
            .fixed("shape-rendering", "crispEdges")
        ) { html in
            html.element(
                .rect, .number("width", side), .number("height", side), .fixed("fill", "#fff")
            ) { _ in }
            for row in 0..<code.width {
                var column = 0
                while column < code.width {
                    let end = (column..<code.width).first { !code.isDark(row: row, column: $0) } ?? code.width
                    if end > column {
                        html.element(
                            .rect, .number("x", column + 4), .number("y", row + 4), .number("width", end - column),
                            .fixed("height", "1"), .fixed("fill", "#000")
                        ) { _ in }
                    }
                    column = end + 1
                }
            }
        }
    }
}
