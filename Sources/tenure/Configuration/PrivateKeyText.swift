import AppStoreWire
import Foundation
import StrictJSON

/// The text of a `.p8` file: from the environment, or from the file that `privateKeyFile` names.
struct PrivateKeyText {
    private let pem: String
    private let fileName: String?
    private let place: String

    /// - Parameter variable: of the environment, that may hold the text in place of the file.
    /// - Throws: `CommandError` that says what is missing.
    init(_ fields: JSONFields, variable: String, _ variables: [String: String]) throws {
        place = fields.place("privateKeyFile")
        if let value = variables[variable] {
            (pem, fileName) = (value, nil)
            return
        }
        guard let path = try fields.text("privateKeyFile") else {
            throw CommandError(
                "\(place) is missing: the path of the .p8 file of an In-App Purchase key, or \(variable) in the environment.")
        }
        do {
            pem = try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            throw CommandError("\(place): \(path) cannot be read: \(error.localizedDescription)")
        }
        fileName = path
    }

    /// - Throws: `CommandError` that names the member and what is wrong with the key.
    func key(keyId: String, issuerId: String) throws -> SigningKey {
        do {
            return try SigningKey(pem: pem, keyId: keyId, issuerId: issuerId, fileName: fileName)
        } catch {
            throw CommandError("\(place): \(error)")
        }
    }
}
