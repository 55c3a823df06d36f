/// Compares every answer with what the rules say it must be, and fails the command at the end if one differs.
actor DemoCheck {
    private let plantedAt: Int?
    private var count = 0
    private var failures: [String] = []

    /// - Parameter plantedAt: the number of the check whose answer is falsified before it is compared.
    init(plantedAt: Int?) { self.plantedAt = plantedAt }

    /// One check; prints the answer and whether it is right.
    func expect(_ what: String, _ answer: String, is expected: String) {
        count += 1
        let answer = count == plantedAt ? "\(answer) (planted)" : answer
        if answer == expected {
            Console.print("   ok   \(what): \(answer)")
        } else {
            Console.print("   WRONG \(what): \(answer), expected \(expected)")
            failures.append("check \(count), \(what): \(answer), expected \(expected)")
        }
    }

    /// Throws if any answer was wrong, or if nothing was checked.
    func conclude() throws {
        guard count > 0 else { throw CommandError("Nothing was checked.") }
        guard failures.isEmpty else {
            throw CommandError("\(failures.count) of \(count) answers are wrong:\n" + failures.joined(separator: "\n"))
        }
        Console.print("\nAll \(count) answers are right.")
    }
}
