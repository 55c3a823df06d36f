import AppStoreWire
import Backend
import Ledger
import Primitives
import StrictJSON

/// How the lines of a file are to be read.
enum ImportFormat: String, CaseIterable {
    /// A header line with the names of the columns, then a record each; RFC 4180.
    case csv
    /// One JSON object per line.
    case jsonl
    /// One JWS, one receipt in base64 or one transaction id per line.
    case lines

    /// The format by the name of a file; lines, if the name does not say.
    init(path: String) {
        self = path.hasSuffix(".csv") ? .csv : path.hasSuffix(".jsonl") || path.hasSuffix(".ndjson") ? .jsonl : .lines
    }
}

/// Why a line is refused; without any of its content.
struct LineRefusal: Error {
    /// Stable.
    let code: String
    let words: String
}

/// One line of a file, by the names of its members or columns.
struct ImportLine {
    /// What a column or member may be called.
    static let names = [
        "signedPayload", "signedTransactionInfo", "signedRenewalInfo", "receipt", "transactionId", "customer", "environment",
    ]

    private var members: [String: String] = [:]

    /// A record of CSV under its header.
    init(csv bytes: [UInt8], header: [String]) throws {
        let fields = try CSVRecord.fields(of: bytes)
        guard fields.count == header.count else {
            throw LineRefusal(code: "wrongColumnCount", words: "\(fields.count) columns instead of \(header.count)")
        }
        for (name, field) in zip(header, fields) where !field.isEmpty { members[name] = field }
    }

    /// A JSON object.
    init(json bytes: [UInt8]) throws {
        let object: JSONObject
        do {
            let document = try JSONDocument(
                bytes, limits: JSONLimits(maximumBytes: 16 << 20, maximumDepth: 3, maximumElements: 64))
            guard let found = document.root.object else { throw LineRefusal(code: "notAnObject", words: "not a JSON object") }
            object = found
        } catch let error as JSONError {
            throw LineRefusal(code: "notJSON", words: "\(error)")
        }
        for member in object where !member.value.isNull {
            guard Self.names.contains(member.name) else {
                throw LineRefusal(code: "unknownMember", words: "\(member.name) is not known")
            }
            guard let text = member.value.string else {
                throw LineRefusal(code: "notText", words: "\(member.name) is not a text")
            }
            members[member.name] = text
        }
    }

    /// A line that is the item itself.
    init(line bytes: [UInt8]) throws {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw LineRefusal(code: "notUTF8", words: "not UTF-8") }
        if text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            members["transactionId"] = text
        } else if text.utf8.count(where: { $0 == UInt8(ascii: ".") }) == 2 {
            members[Self.isNotification(text) ? "signedPayload" : "signedTransactionInfo"] = text
        } else {
            members["receipt"] = text
        }
    }

    /// Whether a JWS claims to be a notification; the claim is read but not trusted.
    private static func isNotification(_ jws: String) -> Bool {
        let parts = Array(jws.utf8).split(separator: UInt8(ascii: "."))
        guard parts.count == 3, let payload = StrictBase64.decodeURL(parts[1]) else { return false }
        do { return try JSONDocument(payload).root.object?["notificationUUID"] != nil } catch { return false }
    }

    /// The item to import.
    func item(claimingAs kind: Claim.Kind) throws -> ImportItem {
        let customer = members["customer"].map { CustomerID($0) }
        let proofs = ["signedPayload", "signedTransactionInfo", "receipt", "transactionId"].filter { members[$0] != nil }
        guard proofs.count == 1 else {
            throw LineRefusal(
                code: proofs.isEmpty ? "nothingToImport" : "ambiguous",
                words: "exactly one of signedPayload, signedTransactionInfo, receipt and transactionId is needed")
        }
        return ImportItem(try proof(), customer: customer, kind: kind)
    }

    private func proof() throws -> ImportItem.Proof {
        if let payload = members["signedPayload"] { return .notification(payload) }
        if let jws = members["signedTransactionInfo"] { return .transaction(jws, renewalInfo: members["signedRenewalInfo"]) }
        if let text = members["receipt"] {
            switch ReceiptEncoding.bytes(base64: text.utf8) {
            case .success(let bytes): return .receipt(bytes)
            case .failure(let refusal): throw LineRefusal(code: "\(refusal.code.rawValue)", words: "the receipt is not base64")
            }
        }
        let spelling = members["environment"] ?? Primitives.Environment.production.rawValue
        guard let environment = Primitives.Environment(rawValue: spelling) else {
            throw LineRefusal(code: "unknownEnvironment", words: "environment must be Production or Sandbox")
        }
        return .transactionId(TransactionID(members["transactionId"] ?? ""), environment)
    }
}

/// A record of CSV.
///
/// Source: RFC 4180.
enum CSVRecord {
    static func fields(of bytes: [UInt8]) throws -> [String] {
        var fields: [[UInt8]] = [[]]
        var index = 0
        var isInside = false
        while index < bytes.count {
            let byte = bytes[index]
            let isQuote = byte == UInt8(ascii: "\"")
            if isInside, isQuote, index + 1 < bytes.count, bytes[index + 1] == byte {
                fields[fields.count - 1].append(byte)
                index += 1
            } else if isQuote {
                isInside.toggle()
            } else if byte == UInt8(ascii: ","), !isInside {
                fields.append([])
            } else {
                fields[fields.count - 1].append(byte)
            }
            index += 1
        }
        guard !isInside else { throw LineRefusal(code: "notCSV", words: "a quotation mark is not closed") }
        return try fields.map { field in
            guard let text = String(validating: field, as: UTF8.self) else {
                throw LineRefusal(code: "notUTF8", words: "a column is not UTF-8")
            }
            return text
        }
    }
}
