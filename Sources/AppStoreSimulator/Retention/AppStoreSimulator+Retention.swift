package import AppStoreModel
package import Primitives
internal import StrictJSON

/// What a customer who is about to leave sees.
package struct RetentionShowing: Sendable, Hashable {
    /// What the app's server answered; nil where it did not in time.
    package let answer: Answer?
    /// The message that is shown; nil: none.
    package let message: RetentionMessage?
    /// Whether it is the default message, in place of an answer.
    package let isDefault: Bool
    /// Why the answer was not followed.
    package let problem: String?

    package struct Answer: Sendable, Hashable {
        package let status: Int
        package let body: [UInt8]
    }
}

// MARK: - What customers and reviewers do

extension AppStoreSimulator {
    /// Asks the app's server what to show to a customer who is about to turn auto-renew off. Where the answer contains nothing
    /// that can be shown, the default message of the product and the language is shown.
    package func askInRealtime(about id: TransactionNumber, locale: String) async throws -> RetentionShowing {
        let subscription = try store.subscription(id)
        let environment = store[subscription.account].environment
        let endpoint = AppEnvironment(app: subscription.app, environment: environment)
        guard let url = retention[endpoint].realtimeURL else { throw SimulatorRefusal.noNotificationURL }
        let body = try realtimeBody(about: subscription, locale: locale, store.newRequestIdentifier())
        let (answer, _) = await poster.answer(to: body, from: url)
        // Read after the answer: the server may have uploaded something before it answered.
        let shelf = retention[endpoint]
        let heard = answer.map { RetentionShowing.Answer(status: $0.status, body: $0.body) }
        do throws(APIError) {
            guard let heard, heard.status == 200 else { throw APIError(0, "The server did not answer 200.") }
            guard let said = RealtimeAnswer(heard.body) else { throw APIError(0, "The answer is none of the four kinds.") }
            let message = try shelf.shown(said.messageIdentifier)
            if said.kind == "alternateProduct",
                said.product.flatMap({ store[subscription.app].catalogue.number(of: $0) }) == nil
            {
                throw APIError(0, "alternateProduct names no product of the app.")
            }
            return RetentionShowing(answer: heard, message: message, isDefault: false, problem: nil)
        } catch {
            let product = store[subscription.app].catalogue[subscription.product].id
            return RetentionShowing(
                answer: heard, message: shelf.defaultMessage(of: product, locale), isDefault: true, problem: error.errorMessage)
        }
    }

    func realtimeBody(
        about subscription: StoreSubscription, locale: String, _ identifier: CompactUUID
    ) throws -> [UInt8] {
        let payload = store.realtimePayload(
            of: subscription, locale: locale, requestIdentifier: identifier, signedDate: store.signingInstant)
        return NotificationPoster.body(signedPayload: try printer.signed(payload))
    }

    /// The images, messages and settings of an app.
    package func retentionShelf(
        of app: AppNumber, in environment: Environment
    ) -> (images: [RetentionImage], messages: [RetentionMessage]) {
        let shelf = retention[AppEnvironment(app: app, environment: environment)]
        return (shelf.images, shelf.messages)
    }

    /// Apple's reviewers approve or reject an image or a message.
    package func review(_ id: CompactUUID, of app: AppNumber, in environment: Environment, approves: Bool) throws {
        let endpoint = AppEnvironment(app: app, environment: environment)
        var shelf = retention[endpoint]
        let state = approves ? ReviewState.approved : .rejected
        if let place = shelf.images.firstIndex(where: { $0.imageIdentifier == id }) {
            shelf.images[place].state = state
        } else if let place = shelf.messages.firstIndex(where: { $0.messageIdentifier == id }) {
            shelf.messages[place].state = state
        } else {
            throw SimulatorRefusal.unknownMessage
        }
        retention[endpoint] = shelf
    }
}

extension RetentionShelf {
    /// A message that may be shown, with all of its images.
    func shown(_ id: CompactUUID) throws(APIError) -> RetentionMessage {
        guard let message = message(id) else { throw .messageNotFound }
        guard message.state == .approved else { throw .messageNotApproved }
        guard message.images.allSatisfy({ image($0)?.state == .approved }) else { throw .imageNotApproved }
        return message
    }
}

// MARK: - The calls of an app's server

extension AppStoreSimulator {
    func retention(_ route: RetentionRoute, _ call: APICall) throws -> APIAnswer {
        let endpoint = AppEnvironment(app: call.app, environment: call.environment)
        var shelf = retention[endpoint]
        defer { retention[endpoint] = shelf }
        switch route {
        case .uploadImage(let id): try shelf.upload(try RetentionImage(try Self.uuid(id), call))
        case .deleteImage(let id): try shelf.deleteImage(try Self.uuid(id))
        case .images: return Self.list(shelf.images)
        case .uploadMessage(let id): try shelf.upload(try RetentionMessage(try Self.uuid(id), call, shelf))
        case .deleteMessage(let id): try shelf.deleteMessage(try Self.uuid(id))
        case .messages: return Self.list(shelf.messages)
        case .setDefault(let product, let locale): try setDefault(ID(product), locale, call, &shelf)
        case .default(let product, let locale):
            guard let found = shelf.defaults.first(where: { $0.product.rawValue == product && $0.locale == locale }) else {
                throw APIError.defaultMessageNotFound
            }
            return APIAnswer { $0.member("messageIdentifier", found.messageIdentifier.description) }
        case .deleteDefault(let product, let locale):
            let count = shelf.defaults.count
            shelf.defaults.removeAll { $0.product.rawValue == product && $0.locale == locale }
            guard shelf.defaults.count < count else { throw APIError.defaultMessageNotFound }
        case .setRealtimeURL: shelf.realtimeURL = try realtimeURL(call)
        case .realtimeURL:
            guard let url = shelf.realtimeURL else { throw APIError.realtimeURLNotFound }
            return APIAnswer { $0.member("realtimeURL", url) }
        case .deleteRealtimeURL:
            guard shelf.realtimeURL != nil else { throw APIError.realtimeURLNotFound }
            shelf.realtimeURL = nil
        case .startTest: return try startTest(call, &shelf)
        case .testResult(let id): return try testResult(id, shelf)
        }
        return APIAnswer()
    }

    private static func uuid(_ text: String) throws(APIError) -> CompactUUID {
        guard let uuid = CompactUUID(text) else { throw .generalBadRequest }
        return uuid
    }

    private func setDefault(
        _ product: StoreProductID, _ locale: String, _ call: APICall, _ shelf: inout RetentionShelf
    ) throws(APIError) {
        guard store[call.app].catalogue.product(product)?.terms != nil else { throw .invalidProductId }
        let isLocale = locale.unicodeScalars.allSatisfy { $0.isASCII && ($0.properties.isAlphabetic || $0 == "-") }
        guard (2...12).contains(locale.utf8.count), isLocale else { throw .invalidLocale }
        guard let id = try call.object()["messageIdentifier"]?.string.flatMap({ CompactUUID($0) }) else {
            throw .generalBadRequest
        }
        _ = try shelf.shown(id)
        shelf.defaults.removeAll { $0.product == product && $0.locale == locale }
        guard shelf.defaults.count < RetentionShelf.maximumDefaults else { throw .maximumMessages }
        shelf.defaults.append(DefaultMessage(product: product, locale: locale, messageIdentifier: id))
    }

    /// Source: Apple, "Configure Realtime URL": production accepts one only after a passed test in Sandbox.
    private func realtimeURL(_ call: APICall) throws(APIError) -> String {
        guard let url = try call.object()["realtimeURL"]?.string, url.utf8.count <= 256, Self.isNotificationURL(url) else {
            throw .invalidRealtimeURL
        }
        let tried = retention[AppEnvironment(app: call.app, environment: .sandbox)]
        guard call.environment == .sandbox || tried.tests.contains(where: \.hasPassed) else { throw .noPassingTest }
        return url
    }

    private static func list(_ images: [RetentionImage]) -> APIAnswer {
        APIAnswer { json in
            json.list("imageIdentifiers", images) { json, image in
                json.member("imageIdentifier", image.imageIdentifier.description)
                json.member("imageState", image.state.rawValue)
                json.member("imageSize", image.size.rawValue)
            }
        }
    }

    private static func list(_ messages: [RetentionMessage]) -> APIAnswer {
        APIAnswer { json in
            json.list("messageIdentifiers", messages) { json, message in
                json.member("messageIdentifier", message.messageIdentifier.description)
                json.member("messageState", message.state.rawValue)
            }
        }
    }
}

extension RetentionShelf {
    mutating func upload(_ image: RetentionImage) throws(APIError) {
        guard self.image(image.imageIdentifier) == nil else { throw .imageExists }
        guard images.count < Self.maximumImages else { throw .maximumImages }
        images.append(image)
    }

    mutating func deleteImage(_ id: CompactUUID) throws(APIError) {
        guard image(id) != nil else { throw .imageNotFound }
        guard !messages.contains(where: { $0.images.contains(id) }) else { throw .imageInUse }
        images.removeAll { $0.imageIdentifier == id }
    }

    mutating func upload(_ message: RetentionMessage) throws(APIError) {
        guard self.message(message.messageIdentifier) == nil else { throw .messageExists }
        guard messages.count < Self.maximumMessages else { throw .maximumMessages }
        messages.append(message)
    }

    /// A deleted message is no longer the default of a product.
    mutating func deleteMessage(_ id: CompactUUID) throws(APIError) {
        guard message(id) != nil else { throw .messageNotFound }
        messages.removeAll { $0.messageIdentifier == id }
        defaults.removeAll { $0.messageIdentifier == id }
    }
}
