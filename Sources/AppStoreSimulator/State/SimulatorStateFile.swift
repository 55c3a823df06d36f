internal import Crypto
internal import FoundationEssentials
internal import Primitives
internal import StrictJSON

/// A ``SimulatorState`` as bytes: a line that says what it is, then a line of JSON.
///
/// The first line has a digest of the second. A file that was truncated or changed by hand is refused as a whole: the parts of a
/// state refer to each other in too many places to use only some of them.
package enum SimulatorStateFile {
    /// States of other versions are refused: their content may mean something else.
    static let version: Int64 = 1
    static let format = "tenure local App Store"
    /// Far more than any test needs.
    package static let maximumBytes = 1 << 30

    package static func bytes(of state: SimulatorState) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let body: [UInt8]
        do {
            body = Array(try encoder.encode(state))
        } catch EncodingError.invalidValue(_, let context) {
            throw SimulatorStateError.cannotBeSaved(context.debugDescription)
        }
        return framed(body)
    }

    /// A body with its first line before it.
    static func framed(_ body: [UInt8]) -> [UInt8] {
        var head = JSONWriter()
        head.object {
            $0.member("format", format)
            $0.member("version", version)
            $0.member("sha256", digest(of: body[...]))
        }
        return head.bytes + [newline] + body + [newline]
    }

    /// - Throws: ``SimulatorStateError``.
    package static func state(from bytes: [UInt8]) throws -> SimulatorState {
        guard bytes.count <= maximumBytes, let end = bytes.prefix(1024).firstIndex(of: newline) else {
            throw SimulatorStateError.notAState
        }
        let head: JSONObject?
        do throws(JSONError) {
            head = try JSONDocument(Array(bytes[..<end])).root.object
        } catch {
            throw SimulatorStateError.notAState
        }
        guard let head, head["format"]?.string == format, let wrote = head["version"]?.int64 else {
            throw SimulatorStateError.notAState
        }
        guard wrote == version else { throw SimulatorStateError.ofVersion(wrote) }
        var last = bytes.endIndex
        while last > end + 1, bytes[last - 1] == newline { last -= 1 }
        let body = bytes[(end + 1)..<last]
        guard head["sha256"]?.string == digest(of: body) else { throw SimulatorStateError.changed }
        do {
            let state = try JSONDecoder().decode(SimulatorState.self, from: Data(body))
            try state.check()
            return state
        } catch let error as SimulatorStateError {
            throw error
        } catch {
            // An error of the decoder, or of the reader of keys and certificates.
            throw SimulatorStateError.unreadable("\(error)")
        }
    }

    private static let newline = UInt8(ascii: "\n")

    private static func digest(of body: ArraySlice<UInt8>) -> String {
        Hexadecimal.encode(SHA256.hash(data: body))
    }
}

/// Why a state cannot be saved or loaded.
package enum SimulatorStateError: Error, Equatable, CustomStringConvertible {
    /// Something in it was made in code and has no file.
    case cannotBeSaved(String)
    case notAState
    /// Saved by a program that writes another version of states.
    case ofVersion(Int64)
    /// Not what was written: truncated or changed.
    case changed
    /// The digest is right, but the content is not a state of ours.
    case unreadable(String)

    package var description: String {
        switch self {
        case .cannotBeSaved(let why): "the state cannot be saved: \(why)"
        case .notAState: "this is not a saved state of a local App Store"
        case .ofVersion(let version):
            "this state is of version \(version), and this program reads version \(SimulatorStateFile.version)"
        case .changed: "this state was cut short or changed after it was saved"
        case .unreadable(let why): "this state cannot be read: \(why)"
        }
    }
}
