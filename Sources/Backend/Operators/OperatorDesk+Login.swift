import OperatorFactors
import Primitives
import Storage

/// What somebody typed to be let in.
package struct LoginForm: Sendable {
    package let name: String
    package let password: String
    /// Of the authenticator application, or a recovery code.
    package let code: String

    package init(name: String, password: String, code: String) {
        (self.name, self.password, self.code) = (name, password, code)
    }
}

/// Password and code.
extension OperatorDesk {
    /// Lets an operator in. A name that nobody has is refused after the same work and in the same words as a wrong password and a
    /// wrong code.
    ///
    /// - Throws: ``OperatorRefusal/loginRefused``, ``OperatorRefusal/tooSoon(seconds:)``, ``OperatorRefusal/overloaded``; and,
    ///   where the password was right, ``OperatorRefusal/secretUnreadable``.
    package func logIn(_ form: LoginForm, from client: OperatorClient) async throws -> SignedIn {
        let name = OperatorName.checked(form.name) ?? ""
        let known = try await translatingStorageErrors { try await store.storedOperator(name) }
        let attempt = try await begin(form.name, from: client)
        let checked = known?.endedAt == nil ? known?.factors?.passwordHash : nil
        let isRight = try await takingBackIfOverloaded(attempt) { try await matches(form.password, checked) }
        let (now, begun) = (clock.now(), chance.token())
        let session = Self.session(begun, of: name, from: client, at: now)
        let outcome: Outcome = try await write { transaction in
            let outcome = try prove(form.code, of: name, isRight ? checked : nil, at: now, in: transaction)
            switch outcome {
            case .proved(let stored, let words):
                if try transaction.lockOperatorSession(begun.digest) != nil { return .proved(stored, words) }
                try transaction.save(session)
                _ = try transaction.append(Self.note(.loggedIn, of: name, from: client, at: now, detail: words))
                _ = try transaction.forgetSearches(
                    before: Timestamp(millisecondsSince1970: now.millisecondsSince1970 - Self.keptSearches.count), limit: 1000)
            case .refused where attempt.isNoted:
                let noted = known == nil ? OperatorName.nobody : name
                _ = try transaction.append(Self.note(.loginFailed, of: noted, from: client, at: now, detail: attempt.words))
            case .refused, .unreadable: break
            }
            return outcome
        }
        return SignedIn(token: begun, identity: OperatorIdentity(try await finish(attempt, outcome), session))
    }

    /// What showing a code came to.
    enum Outcome: Sendable {
        /// - Parameter words: with what; nil for a code of the application.
        case proved(StoredOperator, String?)
        case refused
        case unreadable
    }

    /// Checks a code, and uses it up.
    ///
    /// - Parameter checked: the hash that was found to be the password's, or that needs no password; nil: it is to be refused.
    func prove(
        _ code: String, of name: String, _ checked: String?, at now: Timestamp, in transaction: any OperatorTransaction
    ) throws -> Outcome {
        guard var stored = try transaction.lockOperator(name), stored.endedAt == nil, var factors = stored.factors,
            let checked, factors.passwordHash == checked
        else { return .refused }
        if let digest = RecoveryCode.digest(of: code) {
            guard let place = factors.recoveryCodes.firstIndex(of: digest) else { return .refused }
            factors.recoveryCodes.remove(at: place)
            stored.factors = factors
            try transaction.save(stored)
            return .proved(stored, "with a recovery code; \(factors.recoveryCodes.count) are left")
        }
        guard let secret = secrets.reveal(factors.codeSecret, of: Self.owner(name)) else { return .unreadable }
        guard let step = TimeBasedCodes(secret: secret).step(of: code, at: now, after: factors.lastStep) else { return .refused }
        factors.lastStep = step
        stored.factors = factors
        try transaction.save(stored)
        return .proved(stored, nil)
    }

    /// - Parameter refusal: for what was refused.
    func finish(
        _ attempt: CountedAttempt, _ outcome: Outcome, otherwise refusal: OperatorRefusal = .loginRefused
    ) async throws -> StoredOperator {
        switch outcome {
        case .proved(let stored, _):
            try await write { try attempt.succeed(in: $0) }
            return stored
        case .refused: throw refusal
        case .unreadable: throw OperatorRefusal.secretUnreadable
        }
    }

    /// What was never looked at is no failure.
    func takingBackIfOverloaded<Value>(_ attempt: CountedAttempt, _ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch OperatorRefusal.overloaded {
            try await write { try attempt.takeBack(in: $0) }
            throw OperatorRefusal.overloaded
        }
    }
}
