import APIContract
import Backend
import Ledger
import Primitives
import Server

/// Keys by the hand of whoever has one with the scope `admin`.
extension NativeFace {
    func addKeys(to router: inout EndpointRouter) {
        router.on(NativeAPI.makeKey, makeKey)
        router.on(NativeAPI.listKeys) { call in KeysBody(keys: try await backend.keys(of: call.app).map { KeyBody($0) }) }
        router.on(NativeAPI.endKey, endKey)
    }

    private func makeKey(_ call: OfApp<NoQuery, KeyOrderBody>) async throws -> MadeKeyBody {
        let body = call.body
        var order = KeyOrder(name: body.name, kind: body.kind, scopes: body.scopes)
        (order.endsAt, order.actor) = (body.endsAt, body.actor)
        return MadeKeyBody(
            try await backend.makeKey(order, app: call.app, digest: SecretDigest.of, once: call.once { MadeKeyBody($0) }))
    }

    private func endKey(_ call: Call<NamedKeyPath, NoQuery, KeyEndBody>) async throws -> KeyBody {
        KeyBody(try await backend.endKey(call.path.key, of: call.app, at: call.body.endsAt, by: call.body.actor))
    }
}

extension MadeKeyBody {
    fileprivate init(_ made: Backend.MadeKey) { self.init(key: made.text, made: KeyBody(made.report)) }
}

extension KeyBody {
    fileprivate init(_ key: KeyReport) {
        self.init(name: key.name, kind: key.kind, scopes: key.scopes, madeAt: key.madeAt, madeBy: key.madeBy)
        (holds, endsAt, endedBy) = (key.holds, key.endsAt, key.endedBy)
        (lastUsedAt, isUsedNearEnd) = (key.lastUsedAt, key.isUsedNearEnd)
    }
}
