/// What servers need to look through notification histories together.
package protocol SweepTransaction {
    /// The plan of an app's environment, which is this transaction's own until it ends, also where there is none yet: nil then.
    func lockSweeps(of scope: Scope) throws -> SweepPlan?

    /// Keeps a locked plan, new or as it is now.
    func save(_ plan: SweepPlan, of scope: Scope) throws
}
