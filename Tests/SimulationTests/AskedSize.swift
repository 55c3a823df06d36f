import Foundation

/// How many a simulation is about: what the environment says, else a number that takes seconds. `make apple-full` has the sizes
/// that the acceptance of asking Apple names.
func askedSize<Number: LosslessStringConvertible>(_ variable: String, else usual: Number) -> Number {
    ProcessInfo.processInfo.environment[variable].flatMap { Number($0) } ?? usual
}
