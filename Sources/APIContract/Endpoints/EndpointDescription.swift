package import Primitives

/// What an endpoint's type says, as values: for lists, documents and the tests that hold them against each other.
package struct EndpointDescription: Sendable, Hashable {
    package let operationId: String
    package let tag: EndpointTag
    /// What it does, in one sentence.
    package let summary: String
    package let method: Method
    /// Such as `/api/v1/apps/{app}/warnings`.
    package let path: String
    package let callers: CallerKind
    /// What the caller's key must be allowed to do; nil where no key is asked for.
    package let scope: KeyScope?
    /// The names in its path, in their order.
    package let parameters: [String]
    /// The names in its query; nil where any is taken and none is read.
    package let query: [String]?
    package let takesBody: Bool
    package let request: ContentSchema
    package let answer: ContentSchema
    /// Whether it takes an idempotency key.
    package let isKeyed: Bool
    /// Whether a client may ask whether anything has changed, and be answered 304.
    package let isConditional: Bool
    /// With what it answers when it can.
    package let statuses: [AnswerStatus]
    /// Everything it can be refused with.
    package let problems: Set<ProblemKind>
}

extension Endpoint {
    package var description: EndpointDescription {
        EndpointDescription(
            operationId: operationId, tag: tag, summary: summary, method: method, path: template.text, callers: callers.kind,
            scope: callers.scope, parameters: template.names, query: Query.names, takesBody: Body.self != NoBody.self,
            request: Body.content,
            answer: Answer.content, isKeyed: isKeyed, isConditional: Answer.self is any ConditionalContent.Type,
            statuses: Answer.statuses,
            problems: allProblems)
    }

    private var allProblems: Set<ProblemKind> {
        var all = Set(problems).union([.requestMalformed, .methodNotAllowed, .internalError])
        if !template.names.isEmpty { all.formUnion([.invalidParameter, .hostMissing]) }
        if Query.names != nil { all.insert(.invalidParameter) }
        if callers.app != nil { all.formUnion([.unknownApp, .store]) }
        if Query.names?.contains("environment") == true { all.insert(.environmentNotTaken) }
        if Body.self != NoBody.self {
            all.formUnion([.invalidBody, .bodyUnfinished, .bodyTooLarge, .overloaded, .invalidText, .tooLarge])
        }
        if Query.names?.contains("after") == true { all.insert(.cursorInvalid) }
        if case .json = Body.content { all.insert(.unsupportedMediaType) }
        if isOneAtATime { all.insert(.oneAtATime) }
        if isKeyed { all.formUnion([.idempotencyKeyInvalid, .idempotencyKeyReused]) }
        if isKeyed, callers.kind == .customer { all.insert(.tooManyIdempotencyKeys) }
        if callers.scope != nil { all.insert(.scopeMissing) }
        switch callers.kind {
        case .anyone, .apple: break
        case .appBackend: all.formUnion(ProblemKind.ofCredentials.union([.serverKeyNeeded]))
        case .customer: all.formUnion(ProblemKind.ofCredentials.union([.anotherCustomer]))
        case .newDevice: all.formUnion(ProblemKind.ofCredentials)
        }
        return all
    }
}
