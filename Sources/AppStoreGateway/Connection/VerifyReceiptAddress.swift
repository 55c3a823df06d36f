package import AppStoreWire

/// Where a host of `/verifyReceipt` is.
package struct VerifyReceiptAddress: Sendable, Hashable {
    /// Which of the two hosts answers there, which decides what its answer means.
    package let host: VerifyReceiptHost
    /// Where to POST.
    package let url: String

    /// Another address, such as the local App Store's; only the configuration may name one, because an answer is as trustworthy
    /// as its connection (FACT-3).
    package init(host: VerifyReceiptHost, url: String) {
        self.host = host
        self.url = url
    }

    /// Apple's own.
    package init(_ host: VerifyReceiptHost) { self.init(host: host, url: host.url) }
}
