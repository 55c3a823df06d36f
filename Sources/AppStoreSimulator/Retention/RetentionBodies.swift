internal import AppStoreModel
internal import Primitives
internal import StrictJSON

/// The content of the first bytes of a PNG.
///
/// Source: PNG (Third Edition), W3C, sections 5.2 and 11.2.1.
struct PNGHeader {
    let width: UInt32
    let height: UInt32
    /// Whether pixels have an alpha value.
    let hasTransparency: Bool

    private static let start: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)

    /// Nil for what is not a PNG.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 26, bytes.starts(with: Self.start) else { return nil }
        width = bytes[16..<20].reduce(0) { $0 << 8 | UInt32($1) }
        height = bytes[20..<24].reduce(0) { $0 << 8 | UInt32($1) }
        hasTransparency = bytes[25] == 4 || bytes[25] == 6
    }
}

extension RetentionImage {
    /// Source: Apple, "Upload Image": a full-size image is 3840 pixels wide and 160 to 2160 high; no transparency.
    init(_ id: CompactUUID, _ call: APICall) throws(APIError) {
        let word = call.value("imageSize") ?? Size.fullSize.rawValue
        guard let size = Size(rawValue: word) else { throw .invalidImageSize }
        guard let header = PNGHeader(call.body), !header.hasTransparency else { throw .invalidImage }
        switch size {
        case .fullSize: guard header.width == 3840, (160...2160).contains(header.height) else { throw .invalidImage }
        // Its required size is not documented; a bullet is square.
        case .bulletPoint: guard header.width == header.height, header.width > 0 else { throw .invalidImage }
        }
        self.init(imageIdentifier: id, size: size, state: .first(in: call.environment))
    }
}

extension RetentionMessage {
    private static let longestHeader = 66
    private static let longestBody = 144
    private static let longestAltText = 150
    private static let longestBulletPoint = 66
    private static let mostBulletPoints = 5

    init(_ id: CompactUUID, _ call: APICall, _ shelf: RetentionShelf) throws(APIError) {
        let object = try call.object()
        guard let header = object["header"]?.string, let body = object["body"]?.string else { throw .generalBadRequest }
        guard header.count <= Self.longestHeader else { throw .headerTooLong }
        guard body.count <= Self.longestBody else { throw .bodyTooLong }
        var images: [CompactUUID] = []
        if let image = object["image"], !image.isNull { images.append(try Self.image(image, .fullSize, shelf)) }
        switch object["headerPosition"]?.string {
        case nil, "ABOVE_BODY": break
        case "ABOVE_IMAGE": guard !images.isEmpty else { throw .headerAboveNoImage }
        default: throw .generalBadRequest
        }
        if let points = object["bulletPoints"], !points.isNull {
            guard let points = points.array else { throw .generalBadRequest }
            guard points.count <= Self.mostBulletPoints else { throw .tooManyBulletPoints }
            for point in points {
                guard let text = point.object?["text"]?.string else { throw .generalBadRequest }
                guard text.count <= Self.longestBulletPoint else { throw .bulletPointTooLong }
                images.append(try Self.image(point, .bulletPoint, shelf))
            }
        }
        self.init(
            messageIdentifier: id, header: header, body: body, images: images, state: .first(in: call.environment))
    }

    /// An image of the given size that was uploaded before.
    private static func image(
        _ value: JSONValue, _ size: RetentionImage.Size, _ shelf: RetentionShelf
    ) throws(APIError) -> CompactUUID {
        guard let object = value.object, let id = object["imageIdentifier"]?.string.flatMap({ CompactUUID($0) }),
            let altText = object["altText"]?.string
        else { throw .generalBadRequest }
        guard altText.count <= longestAltText else { throw .altTextTooLong }
        guard let image = shelf.image(id) else { throw .imageNotFound }
        guard image.size == size else { throw .invalidImageSize }
        return id
    }
}

/// What an app's server answers to a real-time request.
///
/// Source: Apple, `RealtimeResponseBody`.
struct RealtimeAnswer {
    let messageIdentifier: CompactUUID
    /// `message`, `alternateProduct`, `promotionalOffer` or `advancedCommerceInfo`.
    let kind: String
    /// What `alternateProduct` offers.
    let product: StoreProductID?

    private static let kinds = ["message", "alternateProduct", "promotionalOffer", "advancedCommerceInfo"]

    /// Nil where it is not valid: it must have exactly one of the four, with a message.
    init?(_ body: [UInt8]) {
        let root: JSONObject?
        do throws(JSONError) { root = try JSONDocument(body).root.object } catch { return nil }
        guard let root else { return nil }
        let present = Self.kinds.filter { root[$0].map { !$0.isNull } ?? false }
        guard present.count == 1, let object = root[present[0]]?.object,
            let id = object["messageIdentifier"]?.string.flatMap({ CompactUUID($0) })
        else { return nil }
        kind = present[0]
        messageIdentifier = id
        product = object["productId"]?.string.map { ID($0) }
    }
}
