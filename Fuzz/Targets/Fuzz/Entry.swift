import Foundation

/// What libFuzzer calls with each input. A trap, a failed check, five seconds or too much memory end the run, and the input is
/// saved.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = start.map { Array(UnsafeBufferPointer(start: $0, count: count)) } ?? []
    target(bytes)
    return 0
}

/// The target that TENURE_FUZZ names.
private let target: @Sendable ([UInt8]) -> Void = {
    let name = ProcessInfo.processInfo.environment["TENURE_FUZZ"] ?? ""
    if name == "seeds", let folder = CommandLine.arguments.last {
        do {
            try Seeds.write(to: folder)
            _exit(0)
        } catch {
            violated("no seeds: \(error)")
        }
    }
    guard let target = FuzzTarget(rawValue: name) else {
        FileHandle.standardError.write(
            Data("TENURE_FUZZ must be one of \(FuzzTarget.allCases.map(\.rawValue).joined(separator: " "))\n".utf8))
        _exit(64)
    }
    return target.function()
}()

/// Ends the run with a reason: a condition does not hold.
func violated(_ reason: String) -> Never {
    FileHandle.standardError.write(Data("violated: \(reason)\n".utf8))
    abort()
}
