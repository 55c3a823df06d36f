internal import Primitives

/// How receipts are transmitted: base64, which databases and e-mails often break into lines.
///
/// Source: RFC 4648, section 4.
public enum ReceiptEncoding {
    /// The bytes in base64 of the standard alphabet with padding. White space between characters is skipped; everything else that
    /// is not canonical is refused.
    ///
    /// - Returns: a refusal with `notBase64`, also for an empty text.
    public static func bytes(base64 text: some Sequence<UInt8>) -> Result<[UInt8], ReceiptRefusal> {
        let compact = text.filter { !isSpace($0) }
        guard !compact.isEmpty, let bytes = StrictBase64.decodePadded(compact[...]) else {
            return .failure(ReceiptRefusal(.notBase64))
        }
        return .success(bytes)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
