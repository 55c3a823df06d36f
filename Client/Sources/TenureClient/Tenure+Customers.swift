import Foundation

/// Who the customer is.
extension Tenure {
    /// The app's own user has logged in. An anonymous customer of this device becomes them, with everything that was bought
    /// (OWN-10), also where the server can be asked only later; somebody who was logged in before does not.
    ///
    /// With the server's answer the customer's token for purchases is fetched and kept (OWN-18).
    ///
    /// - Parameter customer: as the app's backend names them, 1 to 200 characters.
    /// - Throws: ``TenureProblem``: `notKept`; then nobody has logged in.
    @discardableResult
    public func identify(_ customer: String) async throws -> Access {
        try await change { $0.identify(customer) }
        await send()
        beginShowingApp()
        do {
            return try await refresh()
        } catch {
            report(TenureProblem(.notAnswered, error))
            return current()
        }
    }

    /// The app's user has logged out. Nothing is uploaded or asked under their name any more; what they bought and what was not
    /// uploaded waits for them. An anonymous customer begins.
    ///
    /// - Throws: ``TenureProblem``: `notKept`.
    public func signOut() async throws {
        try await change { identity in identity.signOut(AnonymousCustomer(by: configuration.chance)) }
        tell(access())
    }

    private func change(_ body: (inout Identity) -> Void) async throws {
        let before = identity
        body(&identity)
        guard identity != before else { return }
        do {
            try keepIdentity()
        } catch {
            identity = before
            throw TenureProblem(.notKept, error)
        }
        await tokens.forget()
        // What waited for this customer may be sent now.
        await hurry()
        do {
            held = try configuration.keep.decoded(HeldAnswer.self, Kept.answer(to: identity.customer))
        } catch {
            held = nil
            report(TenureProblem(.notKept, error))
        }
        claims = Self.claims(of: held, for: identity.customer, configuration)
        tell(access())
    }

    /// Asks the server for the customer's token where none is kept, so that a purchase which begins while the server is away
    /// bears it too (OWN-18). Where it is not to be had, the next answer brings another try.
    func fetchToken(of customer: String) async {
        guard identity.appAccountToken(of: customer) == nil else { return }
        do {
            let response = try await authorized(customer) { server, _, who in
                try await server.appAccountToken(of: customer, by: who)
            }
            guard response.status == 200, let answer = response.decoded(AppAccountTokenAnswer.self) else {
                throw Self.problem(response)
            }
            keep(answer.appAccountToken, of: customer)
        } catch {
            report(TenureProblem(.notAnswered, error))
        }
    }

    /// Keeps a customer's token.
    func keep(_ token: UUID, of customer: String) {
        let before = identity
        identity.learn(token, of: customer)
        guard identity != before else { return }
        do {
            try keepIdentity()
        } catch {
            report(TenureProblem(.notKept, error))
        }
    }

    /// Says to the server who an anonymous customer is, where it could not be said before.
    func merge() async {
        for merge in identity.merges where merge.customer == identity.customer {
            guard let former = identity.anonymous(merge.anonymous) else { continue }
            do {
                let response = try await authorized(former.id) { server, environment, _ in
                    // The server must know the secret; then it is the customer who says that they are one.
                    try await self.identified(merge.customer, former)
                }
                // 409: they were merged before, into this customer or another one; 403: the secret is not the device's.
                guard response.status == 204 || [403, 409].contains(response.status) && response.problemCode != nil else {
                    throw Self.problem(response)
                }
                if response.status != 204 { report(Self.problem(response)) }
                identity.ended(merge)
                try keepIdentity()
            } catch {
                report(TenureProblem(.notAnswered, error))
            }
        }
    }

    private func identified(_ customer: String, _ former: AnonymousCustomer) async throws -> ServerResponse {
        try await authorized(customer) { server, _, who in try await server.identify(customer, as: former, by: who) }
    }
}

/// Source: `AppAccountToken` in the server's OpenAPI document.
private struct AppAccountTokenAnswer: Decodable {
    let appAccountToken: UUID
}
