internal import Crypto
internal import SwiftASN1

/// What a local App Store signs with, as one PEM file, so that its roots outlive a restart: the certificates and keys that sign
/// transactions, then those that sign receipts, if they were made.
///
/// It holds private keys. They are a simulator's own and never a real secret, but the file is still readable by its owner only.
package struct AuthorityFile: Sendable {
    package let signing: SigningAuthority
    /// The authorities of app receipts and of transaction receipts; nil in an older file that does not hold them.
    package let receipts: ReceiptAuthorities?

    package init(signing: SigningAuthority, receipts: ReceiptAuthorities?) {
        self.signing = signing
        self.receipts = receipts
    }

    /// - Throws: ``SigningAuthorityError`` where the text is not what ``pem`` writes, or the ASN.1 or key error.
    package init(pem: String) throws {
        let documents = try PEMDocument.parseMultiple(pemString: pem)
        signing = try SigningAuthority(documents: Array(documents.prefix(6)))
        switch documents.count {
        case ...6: receipts = nil
        case 15:
            receipts = ReceiptAuthorities(
                app: try ReceiptAuthority(documents: Array(documents[6..<12])),
                transaction: try TransactionReceiptAuthority(documents: Array(documents[12...])))
        default: throw SigningAuthorityError.notAnExport
        }
    }

    /// The SHA-256 of the root of app receipts.
    package var receiptRootFingerprint: [UInt8]? { receipts.map { Array(SHA256.hash(data: $0.app.rootDER)) } }

    package var pem: String {
        signing.exportedPEM() + (receipts.map { $0.app.exportedPEM() + $0.transaction.exportedPEM() } ?? "")
    }
}

/// The authorities that sign receipts of both kinds.
package struct ReceiptAuthorities: Sendable {
    package let app: ReceiptAuthority
    package let transaction: TransactionReceiptAuthority

    package init(app: ReceiptAuthority, transaction: TransactionReceiptAuthority) {
        self.app = app
        self.transaction = transaction
    }
}

extension PEMDocument {
    /// Certificates and keys as PEM, each certificate before its key.
    static func text(_ pairs: some Sequence<(certificate: [UInt8], key: String?)>) -> String {
        pairs.map { pair in
            PEMDocument(type: "CERTIFICATE", derBytes: pair.certificate).pemString + "\n" + (pair.key.map { $0 + "\n" } ?? "")
        }.joined()
    }
}

extension [PEMDocument] {
    var certificates: [[UInt8]] { filter { $0.discriminator == "CERTIFICATE" }.map(\.derBytes) }
    var keys: [String] { filter { $0.discriminator.hasSuffix("PRIVATE KEY") }.map(\.pemString) }
}
