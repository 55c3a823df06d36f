/// Where everything is kept. One implementation per database; `StorageConformance` says how each must behave.
///
/// Each part is what one kind of caller needs, and both stores have one file for each, with the same functions in the same order.
package protocol Store: WritingStore, AnsweringStore, WorkStore, LogStore, ForwardingStore, SignalStore, WebhookStore, OfferStore,
    KeyStore, IdempotencyStore, OperatorStore, JobStore, PagingStore, ListingStore, ProvingStore, ErasingStore
{}
