import HTTPTypes

/// The headers of every answer of the console, whoever made it.
///
/// Source: Content Security Policy 3; Trusted Types; Fetch (CORP); HTML (COOP); Permissions Policy.
enum ConsoleHeaders {
    /// Nothing from another host, no inline script or style, no text that becomes markup in a script.
    static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'",
        "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'", "require-trusted-types-for 'script'",
        "trusted-types 'none'", "report-uri ",
    ].joined(separator: "; ")

    /// Every feature that a page could ask for and that none of ours does.
    static let permissions = [
        "accelerometer", "autoplay", "camera", "display-capture", "encrypted-media", "fullscreen", "geolocation", "gyroscope",
        "magnetometer", "microphone", "midi", "payment", "picture-in-picture",
        "screen-wake-lock", "usb", "xr-spatial-tracking",
    ].map { "\($0)=()" }.joined(separator: ", ")

    private static let pairs: [(name: String, value: String)] = [
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"), ("Referrer-Policy", "same-origin"),
        ("X-Content-Type-Options", "nosniff"), ("Permissions-Policy", permissions),
    ]

    /// Puts them into an answer. What is not kept by name is not kept at all.
    ///
    /// - Parameter reports: where a browser tells what it did not do because of the policy.
    static func secure(_ headers: inout HTTPFields, reportingTo reports: ConsoleAddress) {
        if let name = HTTPField.Name("Content-Security-Policy") { headers[name] = policy + reports.text }
        for (name, value) in pairs {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        if headers[.cacheControl] == nil { headers[.cacheControl] = "no-store" }
    }
}
