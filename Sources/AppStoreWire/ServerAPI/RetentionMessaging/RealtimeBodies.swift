/// What Apple sends to the real-time URL when a customer is about to leave.
///
/// Source: Apple, Retention Messaging, `RealtimeRequestBody`.
public struct RealtimeRequestBody: Codable, Sendable, Hashable {
    /// The question, a compact JWS: not verified.
    public var signedPayload: String

    /// Every field as Apple names it.
    public init(signedPayload: String) { self.signedPayload = signedPayload }
}

/// What the server answers to Apple's real-time question: exactly one of four things.
///
/// Apple shows the default message when no answer arrives in time, so a server that has no answer need not send one.
///
/// Source: Apple, Retention Messaging, `RealtimeResponseBody`.
public enum RealtimeResponseBody: Codable, Sendable, Hashable {
    /// A message alone; its identifier, a UUID.
    case message(messageIdentifier: String?)
    /// Another product, to switch to.
    case alternateProduct(AlternateProduct)
    /// A promotional offer.
    case promotionalOffer(RealtimePromotionalOffer)
    /// An Advanced Commerce offer.
    case advancedCommerceInfo(RetentionAdvancedCommerceInfo)

    /// Reads an object that has exactly one of the four members; `null` counts as absent.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let present = try CodingKeys.allCases.filter { try container.contains($0) && !container.decodeNil(forKey: $0) }
        guard let key = present.first, present.count == 1 else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "not exactly one of four members"))
        }
        switch key {
        case .message:
            self = .message(messageIdentifier: try container.decode(Message.self, forKey: key).messageIdentifier)
        case .alternateProduct: self = .alternateProduct(try container.decode(AlternateProduct.self, forKey: key))
        case .promotionalOffer: self = .promotionalOffer(try container.decode(RealtimePromotionalOffer.self, forKey: key))
        case .advancedCommerceInfo:
            self = .advancedCommerceInfo(try container.decode(RetentionAdvancedCommerceInfo.self, forKey: key))
        }
    }

    /// Writes an object with the one member.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .message(let identifier): try container.encode(Message(messageIdentifier: identifier), forKey: .message)
        case .alternateProduct(let product): try container.encode(product, forKey: .alternateProduct)
        case .promotionalOffer(let offer): try container.encode(offer, forKey: .promotionalOffer)
        case .advancedCommerceInfo(let commerce): try container.encode(commerce, forKey: .advancedCommerceInfo)
        }
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case message, alternateProduct, promotionalOffer, advancedCommerceInfo
    }

    private struct Message: Codable {
        let messageIdentifier: String?
    }
}

/// A promotional offer in the answer to Apple's real-time question.
///
/// Source: Apple, Retention Messaging, `PromotionalOffer`.
public struct RealtimePromotionalOffer: Codable, Sendable, Hashable {
    /// How the offer is signed; Apple accepts either of the two.
    public enum Signature: Sendable, Hashable {
        /// The compact JWS of ``OfferSigner``.
        case v2(String)
        /// The older signature with all fields that it covers.
        case v1(PromotionalOfferSignatureV1)
    }

    /// The message, a UUID.
    public var messageIdentifier: String?
    /// The signed offer.
    public var signature: Signature

    /// An offer with its message.
    public init(messageIdentifier: String?, signature: Signature) {
        self.messageIdentifier = messageIdentifier
        self.signature = signature
    }

    /// Reads an object that has exactly one of the two signatures.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        messageIdentifier = try container.decodeIfPresent(String.self, forKey: .messageIdentifier)
        let v2 = try container.decodeIfPresent(String.self, forKey: .promotionalOfferSignatureV2)
        let v1 = try container.decodeIfPresent(PromotionalOfferSignatureV1.self, forKey: .promotionalOfferSignatureV1)
        switch (v2, v1) {
        case (let v2?, nil): signature = .v2(v2)
        case (nil, let v1?): signature = .v1(v1)
        default:
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "not exactly one of two signatures"))
        }
    }

    /// Writes an object with the one signature.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(messageIdentifier, forKey: .messageIdentifier)
        switch signature {
        case .v2(let jws): try container.encode(jws, forKey: .promotionalOfferSignatureV2)
        case .v1(let signature): try container.encode(signature, forKey: .promotionalOfferSignatureV1)
        }
    }

    private enum CodingKeys: String, CodingKey {
        case messageIdentifier, promotionalOfferSignatureV2, promotionalOfferSignatureV1
    }
}
