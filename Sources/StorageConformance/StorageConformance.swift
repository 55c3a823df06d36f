/// What every store must do, as data: a store's tests run all of it, each behaviour on an empty store.
package enum StorageConformance {
    package static let behaviours: [Behaviour] =
        evidence + decisions + registrations + concurrency + work + proof + settings
        + customers + jobs + accounts + budgets + shares + sweeps + appleRequests + offers + erasure + log + webhooks + forwarding
        + refunds + signals + keys + idempotency + listing + operators + operatorAudit
}
