internal import CAPIExamples

/// Requests that were sent to a server and answers that it gave: the examples of the document. `Tests/Peers/api_examples.py`
/// records them, and compares them with what a server takes and answers today.
enum RecordedExamples {
    struct Bodies: Sendable {
        var request: [UInt8]?
        var answer: [UInt8]?
    }

    /// By operation. Each line of the file is an operation, `request` or `answer`, and the body; or begins with `#`.
    static let all: [String: Bodies] = {
        var all: [String: Bodies] = [:]
        for line in text.split(separator: UInt8(ascii: "\n")) where line.first != UInt8(ascii: "#") {
            let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
            guard parts.count == 3 else { continue }
            let name = String(decoding: parts[0], as: UTF8.self)
            if parts[1].elementsEqual("request".utf8) {
                all[name, default: Bodies()].request = Array(parts[2])
            } else {
                all[name, default: Bodies()].answer = Array(parts[2])
            }
        }
        return all
    }()

    private static var text: UnsafeBufferPointer<UInt8> {
        var count = 0
        let start = api_examples(&count)
        return UnsafeBufferPointer(start: start, count: count)
    }
}
