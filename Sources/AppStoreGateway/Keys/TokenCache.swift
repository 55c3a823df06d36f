internal import AppStoreWire
internal import Primitives

/// The newest token of each app: signing one takes longer than everything else that is done here for a call.
///
/// It holds one token for each app that has called, so it is as small as the configuration.
struct TokenCache: Sendable {
    /// How long a token lives.
    static let lifetime = Milliseconds.minutes(5)
    /// How long before its end a token is replaced: longer than any call takes, so that none expires on its way.
    static let margin = Milliseconds.seconds(60)

    private struct Entry {
        let keyId: String
        let issuerId: String
        let token: ServerAPIToken
    }

    private var entries: [String: Entry] = [:]

    /// The token of the app, or a new one where there is none, it belongs to another key, or it is not valid long enough now.
    ///
    /// A token that was issued later than now was made before the clock was set back, and Apple would refuse it.
    mutating func token(for key: AppStoreKey, at now: Timestamp) throws(TokenError) -> ServerAPIToken {
        if let entry = entries[key.bundleId], entry.keyId == key.signingKey.keyId, entry.issuerId == key.signingKey.issuerId,
            entry.token.issuedAt <= now, now < entry.token.expiresAt.adding(Milliseconds(-Self.margin.count))
        {
            return entry.token
        }
        let token = try ServerAPIToken(key: key.signingKey, bundleId: key.bundleId, issuedAt: now, lifetime: Self.lifetime)
        entries[key.bundleId] = Entry(keyId: key.signingKey.keyId, issuerId: key.signingKey.issuerId, token: token)
        return token
    }

    /// Forgets a token that was refused. A newer one, made meanwhile for another call, stays.
    mutating func drop(_ token: ServerAPIToken, of bundleId: String) {
        guard entries[bundleId]?.token == token else { return }
        entries[bundleId] = nil
    }
}
