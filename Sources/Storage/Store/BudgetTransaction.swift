/// What calls need that all servers share a limit of.
package protocol BudgetTransaction {
    /// A budget, which is this transaction's own until it ends, also where it is not kept yet: nil then. Others wait who lock the
    /// same one. A transaction that locks several takes them in one order, the same as others do.
    func lockBudget(_ name: BudgetName) throws -> CallBudget?

    /// Keeps a locked budget, new or as it is now.
    func save(_ budget: CallBudget, as name: BudgetName) throws
}
