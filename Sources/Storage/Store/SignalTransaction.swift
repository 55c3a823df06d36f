/// Keeps signals of abuse (ABUSE-1).
package protocol SignalTransaction {
    /// A signal as it is kept, which is this transaction's own until it ends, also where none is kept yet: nil then. Whoever asks
    /// for several asks in the order of their names.
    func signal(_ name: SignalName) throws -> StoredSignal?

    /// Keeps a signal, new or as it is now.
    func keep(_ signal: StoredSignal) throws
}
