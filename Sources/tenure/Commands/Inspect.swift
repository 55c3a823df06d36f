import AppStoreWire
import ArgumentParser
import ArtifactInspection
import Crypto
import Foundation
import Primitives
import StrictJSON
import SwiftASN1

struct Inspect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say what a receipt, JWS or answer from Apple is, whether it is genuine, and what it means.",
        discussion: """
            Reads a file or standard input: a compact JWS (notification, transaction, renewal info, app transaction, retention
            request), the body of a notification (version 2 or 1), an app receipt or a transaction receipt from before iOS 7
            (base64 or its bytes), a request to or an answer of /verifyReceipt, an answer of the App Store Server API, or a JWS
            that a server of yours signed for Apple. What surrounds it is removed first: quotation marks, the escapes of
            JSON, line breaks, a byte order mark, Bearer, lines of BEGIN and END; base64 may be URL-safe or unpadded. Nothing is
            sent anywhere.

            Prints one JSON object: kind, verified, environment, signedDate, signedBy, meaning, payload, inside. A payload is
            printed only if it was verified; that of a transaction receipt whose issuer is not proved, as unproved.

            Exit status: 0 verified; 1 refused, the reason's code is on standard error; 2 not recognised; 3 understood, not
            signed: only what is inside is proved; 64 an option is not a certificate or key; 66 the input cannot be read.
            """)

    @Argument(help: "The file; without it, or with -, standard input.", completion: .file())
    var file: String?

    @Option(name: .long, help: "Trust another root beside Apple's, such as a local App Store's: a certificate in DER or PEM.")
    var root: [String] = []

    @Option(name: .long, help: "Trust a copy of Xcode: the certificate of Editor ▸ Save Public Certificate.")
    var xcodeCertificate: [String] = []

    @Option(
        name: .long, help: "Who issues the certificates of transaction receipts from before iOS 7: a certificate in DER or PEM.")
    var intermediate: [String] = []

    @Option(name: .long, help: "The key that a JWS of your own was signed with: a .p8 or a public key in PEM.")
    var key: String?

    @Option(name: .long, help: "Refuse input for another app. A renewal info and a real-time request name no app.")
    var bundle: String?

    @Option(
        name: .long,
        help:
            "Refuse input of another environment than this: Production, Sandbox, Xcode or LocalTesting."
    )
    var environment: String?

    @Option(name: .long, help: "Refuse input with another Apple ID of the app; Apple writes it in Production only.")
    var appAppleId: Int64?

    func validate() throws {
        guard environment.map({ Primitives.Environment(rawValue: $0) != nil }) ?? true else {
            throw ValidationError("--environment must be exactly Production, Sandbox, Xcode or LocalTesting")
        }
    }

    func run() async throws {
        let bytes = try InputFailure.reported(input)
        let inspector = try InputFailure.reported(inspector)
        let (artifact, wrappings) = try Self.recognised(bytes)
        let inspection = await inspector.inspect(artifact, outOf: wrappings)
        var json = JSONWriter()
        inspection.write(to: &json)
        Console.print(json.text)
        if let refusal = inspection.refusal {
            Console.complain(refusal.line)
            if let advice = refusal.advice { Console.complain(advice.english) }
            throw ExitCode(1)
        }
        guard inspection.isVerified else {
            Console.complain("\(InspectionCode.notSigned.rawValue): understood, not signed; only what is inside is proved")
            throw ExitCode(3)
        }
    }

    private static func recognised(_ bytes: [UInt8]) throws -> (AppleArtifact, [TextWrapping]) {
        switch Recognition(of: bytes) {
        case .artifact(let artifact, let wrappings): return (artifact, wrappings)
        case .unusable(let form):
            Console.complain("\(InspectionCode.notRecognised.rawValue): \(form.sentence.english)")
            throw ExitCode(2)
        }
    }

    /// No artifact of Apple's is longer.
    private static let longest = 16 << 20

    private func input() throws -> [UInt8] {
        guard let file, file != "-" else { return try Self.bytes(of: .standardInput) }
        return try Self.bytes(of: file)
    }

    private static func bytes(of handle: FileHandle) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count <= longest, let chunk = try handle.read(upToCount: 1 << 20), !chunk.isEmpty { bytes += chunk }
        guard bytes.count <= longest else { throw CommandError("it is longer than 16 MiB, and nothing from Apple is that long") }
        return bytes
    }

    private func inspector() throws -> Inspector {
        var roots = TrustRoots.apple
        for path in root { roots = roots.adding(der: try Self.certificate(path, of: "--root")) }
        for path in xcodeCertificate {
            roots = roots.adding(xcodeCertificate: try Self.certificate(path, of: "--xcode-certificate"))
        }
        for path in intermediate {
            roots = roots.adding(transactionReceiptIssuer: try Self.certificate(path, of: "--intermediate"))
        }
        return Inspector(
            verifier: AppStoreVerifier(roots: roots),
            expecting: .init(
                bundleId: bundle, environment: environment.flatMap { Primitives.Environment(rawValue: $0) },
                appAppleId: appAppleId),
            ownKey: try key.map { path in
                try Self.option("--key", path, "a P-256 key in PEM") { try Self.publicKey(path) }
            }, at: MachineClock().now())
    }

    private static func bytes(of path: String) throws -> [UInt8] {
        try bytes(of: try FileHandle(forReadingFrom: URL(fileURLWithPath: path)))
    }

    /// Reads the file that an option names; errors name the option.
    private static func option<Value>(_ name: String, _ path: String, _ wanted: String, _ read: () throws -> Value) throws
        -> Value
    {
        do {
            return try read()
        } catch {
            let reason = (error as? CommandError)?.description ?? (error as NSError).localizedDescription
            throw OptionFailure(words: "\(name) \(path) is not \(wanted): \(reason)")
        }
    }

    /// The file that an option names has the wrong content.
    fileprivate struct OptionFailure: Error {
        let words: String
    }

    /// A certificate's DER, from DER or PEM.
    private static func certificate(_ path: String, of name: String) throws -> [UInt8] {
        try option(name, path, "a certificate in DER or PEM") {
            let bytes = try bytes(of: path)
            // Tools write text before the block and more blocks after it; the first block counts.
            guard let begin = bytes.firstRange(of: Array("-----BEGIN CERTIFICATE-----".utf8))?.lowerBound,
                let end = bytes.firstRange(of: Array("-----END CERTIFICATE-----".utf8))?.upperBound, begin < end
            else { return try checked(bytes) }
            return try checked(PEMDocument(pemString: String(decoding: bytes[begin..<end], as: UTF8.self)).derBytes)
        }
    }

    private static func checked(_ der: [UInt8]) throws -> [UInt8] {
        guard TrustRoots.isCertificate(der) else { throw CommandError("it has another form") }
        return der
    }

    private static func publicKey(_ path: String) throws -> P256.Signing.PublicKey {
        let pem = String(decoding: try bytes(of: path), as: UTF8.self)
        if pem.contains("PRIVATE KEY") { return try P256.Signing.PrivateKey(pemRepresentation: pem).publicKey }
        return try P256.Signing.PublicKey(pemRepresentation: pem)
    }
}

/// Input that cannot be inspected at all: a missing file, an invalid key.
private enum InputFailure {
    /// Runs the body; its error is printed on standard error, and the program exits with EX_NOINPUT.
    static func reported<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let failure as Inspect.OptionFailure {
            Console.complain(failure.words)
            throw ExitCode(64)
        } catch {
            Console.complain("\(InspectionCode.unreadable.rawValue): \((error as NSError).localizedDescription)")
            throw ExitCode(66)
        }
    }
}
