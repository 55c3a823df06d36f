package import Ledger
package import Primitives
import Storage

/// What became of what a file says, or an operator wants, of one app (OWN-17).
package enum SettingsStanding: Sendable, Hashable {
    /// It is the newest version already.
    case inForce(number: Int64)
    /// It is a version now.
    case applied(number: Int64, validFrom: Timestamp)
    /// It is what an earlier version says; the newest one holds.
    case superseded(number: Int64, newest: Int64)
}

/// Why a version is not applied; for operators, with what to do.
package struct SettingsRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

/// Someone applies a version by a command.
package struct SettingsOrder: Sendable {
    package let app: AppID
    package let content: SettingsContent
    /// From when it is to hold; nil: from now.
    package var from: Timestamp?
    /// Whether what an earlier version says may be applied again.
    package var again = false
    /// What `what-if` printed; needed where `from` is past.
    package var code: String?
    /// Who applies it.
    package let actor: String

    package init(app: AppID, content: SettingsContent, actor: String) {
        self.app = app
        self.content = content
        self.actor = ActingKey.signed(actor)
    }
}

/// The code by which an operator shows that they have seen what a change that reaches back does: made of the app, the number of
/// the newest version, the content and the instant, so that it fits that change alone.
package enum ConfirmationCode {
    package static func of(
        _ content: SettingsContent, app: AppID, newest: Int64, from: Timestamp?
    ) throws -> String {
        let digest = SettingsCoding.digest(of: try SettingsCoding.encode(content))
        let instant = from.map { "\($0.millisecondsSince1970)" } ?? "now"
        let code = SettingsCoding.digest(of: "\(app.rawValue.utf8.count):\(app.rawValue)/\(newest)/\(digest)/\(instant)")
        let digits = Array(code.prefix(12))
        return [digits[0..<4], digits[4..<8], digits[8..<12]].map { String($0) }.joined(separator: "-")
    }
}

/// How far a version is worked through.
package struct SettingsProgress: Sendable, Hashable, Codable {
    /// The number of the version.
    package let version: Int64
    /// The last subscription that was looked at; nil before the first.
    package var after: String?
    package var looked: Int64 = 0
    /// How many of them it changed.
    package var changed: Int64 = 0

    package init(version: Int64) { self.version = version }

    /// - Throws: `StorageError` with `corrupt` for anything that ``json`` is not.
    package init(json: String) throws { self = try StateCoding.decode(SettingsProgress.self, from: json) }

    package var json: String { get throws { try StateCoding.encode(self) } }
}
