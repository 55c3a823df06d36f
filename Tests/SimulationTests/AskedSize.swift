import Foundation

/// How many a simulation is about: what the environment says, else a number that takes seconds. `make apple-full` has the sizes
/// that the acceptance of asking Apple names.
func askedSize(_ variable: String, else usual: Int) -> Int {
    ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } ?? usual
}
