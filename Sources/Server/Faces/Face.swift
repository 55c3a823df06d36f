/// Routes of one protocol over the same server: what a client of one kind speaks. A handler decodes, makes one call to `Backend`,
/// and encodes; who asks, how much, and what a failure answers is the same for all faces.
package protocol Face: Sendable {
    /// Adds each endpoint with its handler.
    func add(to router: inout EndpointRouter)
}
