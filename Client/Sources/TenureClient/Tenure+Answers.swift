import Foundation

/// Asking the server.
extension Tenure {
    /// Asks the server what the customer may use, once for all who ask at the same time. What waits to be uploaded is sent
    /// before, so that the answer contains it.
    ///
    /// - Throws: ``TenureProblem`` where there is no complete answer; then everything is as it was.
    @discardableResult
    public func refresh() async throws -> Access {
        if let refreshing { return try await refreshing.value }
        let task = Task {
            await self.send()
            return try await self.ask()
        }
        refreshing = task
        defer { refreshing = nil }
        return try await task.value
    }

    /// As ``refresh()``, and nothing is sent before.
    func ask() async throws -> Access {
        let customer = identity.customer
        let reading = configuration.clock.read()
        let response = try await authorized(customer) { server, environment, who in
            try await server.entitlements(of: customer, in: environment, by: who)
        }
        guard response.status == 200, let answer = response.decoded(ServerAnswer.self), answer.customer == customer,
            answer.entitlements.count <= ServerAnswer.mostEntitlements
        else { throw Self.problem(response) }
        // Somebody else may be the customer by now, or another answer may have come that is newer.
        guard identity.customer == customer, (held?.answer.at).map({ $0 <= answer.at }) ?? true else { return access() }
        var fresh = HeldAnswer(answer, asked: reading)
        fresh.signed = held?.signed
        held = fresh
        claims = Self.claims(of: held, for: customer, configuration)
        keepAnswer()
        let window = access(isFresh: true)
        tell(window)
        await fetchToken(of: customer)
        await askSigned(customer)
        guard configuration.signedOnly, identity.customer == customer else { return window }
        let signed = access(isFresh: true)
        tell(signed)
        return signed
    }

    /// What the server signs, for the time without it. Where it is not to be had, the window alone counts.
    private func askSigned(_ customer: String) async {
        guard configuration.answerKeys != .none else { return }
        let nonce = Digest.hexadecimal(configuration.chance.bytes(16))
        var asked = environment
        do {
            let response = try await authorized(customer) { server, environment, who in
                asked = environment
                return try await server.signedEntitlements(of: customer, in: environment, nonce: nonce, by: who)
            }
            // The server signs none.
            if response.status == 404, response.problemCode == "signingNotConfigured" { return }
            guard response.status == 200 else { throw Self.problem(response) }
            let compact = String(decoding: response.body, as: UTF8.self)
            guard identity.customer == customer, let now = judged() else { return }
            claims = try Self.verifier(configuration).verify(
                compact, .init(customer: customer, environment: asked, nonce: nonce, now: now, newest: claims?.issuedAt))
            held?.signed = compact
            keepAnswer()
        } catch {
            report(TenureProblem(.signatureRefused, error))
        }
    }

    private func judged() -> Instant? {
        guard var clock = held?.clock else { return nil }
        return clock.judge(configuration.clock.read()).instant
    }

    private static func verifier(_ configuration: Configuration) -> SignedAnswerVerifier {
        SignedAnswerVerifier(app: configuration.app, keys: configuration.answerKeys)
    }

    /// What is kept is verified again each time: whoever can write the file cannot sign.
    static func claims(of held: HeldAnswer?, for customer: String, _ configuration: Configuration) -> SignedClaims? {
        guard let held, let signed = held.signed else { return nil }
        var clock = held.clock
        guard let now = clock.judge(configuration.clock.read()).instant else { return nil }
        do {
            return try verifier(configuration).verify(
                signed, .init(customer: customer, environment: held.answer.environment, now: now))
        } catch {
            return nil
        }
    }

    // MARK: Who asks

    /// Sends a request as a customer; once more with another token where the server does not take the first.
    func authorized(
        _ customer: String,
        _ send: (TenureServer, String, TenureServer.Authorization) async throws -> ServerResponse
    ) async throws -> ServerResponse {
        do {
            let who = try await authorization(of: customer)
            let response = try await send(server, environment, who)
            guard response.status == 401, case .token(let refused) = who else { return response }
            let other = try await tokens.token(of: customer, instead: refused)
            return try await send(server, environment, .token(other))
        } catch let problem as TenureProblem {
            throw problem
        } catch {
            throw TenureProblem(.notAnswered, error)
        }
    }

    /// What shows that a request is from a customer of this device.
    ///
    /// - Throws: ``TenureProblem``: `notAuthorized` where it is neither the one who is logged in nor an anonymous one of this
    ///   device.
    private func authorization(of customer: String) async throws -> TenureServer.Authorization {
        if let anonymous = identity.anonymous(customer) {
            if !anonymous.isRegistered { try await register(anonymous) }
            return .deviceSecret(anonymous.secret)
        }
        guard customer == identity.customer else {
            throw TenureProblem(.notAuthorized, words: "another customer is logged in")
        }
        do {
            return .token(try await tokens.token(of: customer))
        } catch {
            throw TenureProblem(.notAuthorized, words: "no customer token: \(error)")
        }
    }

    /// Says an anonymous customer's secret to the server; saying it again changes nothing.
    private func register(_ anonymous: AnonymousCustomer) async throws {
        let response = try await server.register(anonymous.id, secret: anonymous.secret)
        guard response.status == 204 else { throw Self.problem(response) }
        identity.registered(anonymous.id)
        try keepIdentity()
    }

    func keepIdentity() throws { try configuration.keep.keep(identity, as: Kept.identity) }

    static func problem(_ response: ServerResponse) -> TenureProblem {
        guard let code = response.problemCode else {
            return TenureProblem(.notAnswered, words: "status \(response.status), and no answer of the server's")
        }
        switch response.status {
        case 401, 403: return TenureProblem(.notAuthorized, words: code)
        case 500...: return TenureProblem(.notAnswered, words: code)
        default: return TenureProblem(.refused, words: code)
        }
    }
}
