package import StrictJSON

/// The secret by which an anonymous customer's device is known.
package struct DeviceBody: RequestContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "Device", "An anonymous customer uses the id for the first time (OWN-10).",
        [
            .required(
                "secret", .text, "At least 22 characters: 128 random bits or more, made and kept by the device.",
                example: "yT3qv0m8kQe1WfZ5uJ7x2A")
        ])

    /// The shortest that is taken, in characters: 128 bits in base64url.
    package static let shortestSecret = 22
    package static let longestSecret = 256

    package var secret: String

    package init(secret: String) { self.secret = secret }

    package init(_ fields: JSONFields) throws(JSONFieldError) { secret = try fields.requiredText("secret") }

    package func write(to writer: inout JSONWriter) { writer.member("secret", secret) }
}

/// An anonymous customer logs in as the customer of the path.
package struct IdentifyBody: RequestContent, JSONBody, Hashable {
    package static let schema = ObjectSchema(
        "Identify", "An anonymous customer has logged in as the customer of the path (OWN-10).",
        [
            .required("anonymous", .text, "The anonymous customer.", example: "0f3c9a52-7c1e-4d41-9d0b-3a5b8e6f1c22"),
            .required("deviceSecret", .text, "What that customer's device said first.", example: "yT3qv0m8kQe1WfZ5uJ7x2A"),
        ])

    package var anonymous: String
    package var deviceSecret: String

    package init(anonymous: String, deviceSecret: String) {
        self.anonymous = anonymous
        self.deviceSecret = deviceSecret
    }

    package init(_ fields: JSONFields) throws(JSONFieldError) {
        anonymous = try fields.requiredText("anonymous")
        deviceSecret = try fields.requiredText("deviceSecret")
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("anonymous", anonymous)
        writer.member("deviceSecret", deviceSecret)
    }
}
