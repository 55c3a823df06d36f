package import APIContract
package import Backend
package import Ledger
package import Primitives

/// A request that was read and admitted as its endpoint says: nothing of it is left to be checked but what it asks for.
package struct Call<Path: PathParameters, Query: QueryParameters, Body: RequestContent>: Sendable {
    package let path: Path
    package let query: Query
    package let body: Body
    /// Who asks; nil where no key is asked for.
    package let caller: Caller?
    /// The instant at which it came, by the server's clock.
    package let now: Timestamp
    /// Of the body, as the request says it; nil where it says nothing.
    package let contentType: String?
    /// Whether another server passed on what came to it (TELL-5).
    package let isForwarded: Bool
    /// Nil where it bears no idempotency key, or its endpoint takes none.
    var keyed: IdempotentRequest?

    /// How a use case does once what is asked, with what is answered then.
    package func once<Value>(_ answer: @escaping @Sendable (Value) -> some AnswerContent) -> Once<Value> {
        Once(keyed) { value in
            let answer = answer(value)
            return GivenAnswer(status: answer.status.rawValue, bytes: answer.json)
        }
    }
}

extension Call where Path: AppPathParameters {
    package var app: AppID { AppID(path.app) }
}

extension Call where Path: CustomerPathParameters {
    package var customer: CustomerID { CustomerID(path.customer) }
}
