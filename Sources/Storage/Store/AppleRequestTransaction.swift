/// What those need who ask Apple to do something.
package protocol AppleRequestTransaction {
    /// A request as it is kept, which is this transaction's own until it ends, also where none is kept yet: nil then.
    func appleRequest(_ name: AppleRequestName) throws -> AppleRequest?

    /// Keeps a request, new or with what came of it.
    func record(_ request: AppleRequest) throws
}
