internal import AppStoreModel
internal import Primitives
internal import StrictJSON

/// Test notifications, the notification history, and the URL of real-time requests.
extension AppStoreSimulator {
    func requestTest(_ call: APICall) async throws -> APIAnswer {
        let endpoint = AppEnvironment(app: call.app, environment: call.environment)
        guard targets[endpoint]?.url != nil else { throw APIError.noNotificationURL }
        let token = try await inTurn {
            let notification = store.testNotification(for: call.app, in: call.environment)
            // Before it is sent: the receiver may ask for its status at once.
            testNotifications.insert(notification.notificationUUID)
            try await tell([notification])
            return notification.notificationUUID
        }
        // Apple's token has the shape of `<uuid>_<milliseconds>`.
        let text = "\(token)_\(store.now.millisecondsSince1970)"
        return APIAnswer { $0.member("testNotificationToken", text) }
    }

    func testStatus(_ token: String, _ call: APICall) throws -> APIAnswer {
        guard let uuid = CompactUUID(String(token.prefix(36))) else { throw APIError.invalidTestToken }
        guard testNotifications.contains(uuid), let record = outbox.record(uuid), record.notification.subject.app == call.app,
            record.notification.environment == call.environment
        else { throw APIError.testNotFound }
        return try APIAnswer { try write(record, to: &$0) }
    }

    func notificationHistory(_ call: APICall) throws -> APIAnswer {
        let object = try call.object()
        let filter = try NotificationFilter(object, call, behaviour.notificationWindow, store)
        let subject = "\(call.app.index)/\(call.environment.rawValue)"
        let start = try notificationPlace(in: call.value("paginationToken"), of: subject)
        let shown = start..<max(start, shownNotifications)
        let (records, next) = outbox.page(of: shown, limit: HistoryPage.limit) { filter.admits($0) }
        let token = next.map { notificationToken(of: $0, about: subject) }
        return try APIAnswer { json in
            json.optionalMember("paginationToken", token?.text)
            json.member("hasMore", next != nil)
            try json.member("notificationHistory") { json in
                try json.array { list in
                    for record in records { try list.object { try write(record, to: &$0) } }
                }
            }
        }
    }

    /// Where a page begins; the first one where there is no token.
    private func notificationPlace(in text: String?, of subject: String) throws(APIError) -> Int {
        guard let text, !text.isEmpty else { return 0 }
        guard let token = NotificationPageToken(text), token.subject == subject else { throw .invalidPaginationToken }
        let isTooOld = behaviour.paginationTokenLifetime.map { store.now.since(token.givenAt) >= $0 } ?? false
        guard !token.isDead, !isTooOld else { throw .paginationTokenExpired }
        return token.place
    }

    private func notificationToken(of place: Int, about subject: String) -> NotificationPageToken {
        let isDead = behaviour.deadPaginationTokens > 0
        if isDead { behaviour.deadPaginationTokens -= 1 }
        return NotificationPageToken(place: place, subject: subject, givenAt: store.now, isDead: isDead)
    }

    private func write(_ record: OutboxRecord, to json: inout JSONWriter) throws {
        json.member("signedPayload", try printer.signedAgain(record.notification, record.signatures, in: store))
        json.member("sendAttempts") { json in
            json.array { list in
                for attempt in record.attempts.suffix(6) {
                    list.object {
                        $0.member("attemptDate", attempt.attemptDate.millisecondsSince1970)
                        $0.member("sendAttemptResult", attempt.result.rawValue)
                    }
                }
            }
        }
    }
}

/// Which notifications a history request asks for.
///
/// Source: Apple, `NotificationHistoryRequest`.
private struct NotificationFilter {
    private let app: AppNumber
    private let environment: Environment
    private let range: Range<Timestamp>
    private let window: ServiceBehaviour.NotificationWindow
    private let type: String?
    private let subtype: String?
    /// Nil: all transactions.
    private let transactions: Set<TransactionNumber>?
    private let onlyFailures: Bool

    init(
        _ object: JSONObject, _ call: APICall, _ window: ServiceBehaviour.NotificationWindow, _ store: AppStore
    ) throws(APIError) {
        guard let start = object["startDate"]?.int64, let startDate = Timestamp(validating: start) else {
            throw .invalidStartDate
        }
        guard let end = object["endDate"]?.int64, let endDate = Timestamp(validating: end) else { throw .invalidEndDate }
        guard startDate < endDate else { throw .startDateAfterEndDate }
        let kept = Milliseconds.days(call.environment == .production ? 180 : 30)
        guard store.now.since(startDate) <= kept else { throw .startDateTooFarInPast }
        type = object["notificationType"]?.string
        subtype = object["notificationSubtype"]?.string
        let known = StoreNotification.Event.allCases
        if let type, !known.contains(where: { $0.notificationType == type }) { throw .invalidNotificationType }
        if let subtype, type == nil || !known.contains(where: { $0.subtype == subtype }) { throw .invalidNotificationType }
        if let text = object["transactionId"]?.string {
            guard type == nil else { throw .multipleFilters }
            guard let id = TransactionNumber(text) else { throw .invalidTransactionId }
            transactions = store.idsOfCharge(id)
        } else {
            transactions = nil
        }
        app = call.app
        environment = call.environment
        range = startDate..<endDate
        self.window = window
        onlyFailures = object["onlyFailures"]?.bool ?? false
    }

    /// The date that decides whether a notification is in the window.
    private func date(of record: OutboxRecord) -> Timestamp {
        switch window {
        case .signedDate: record.notification.signedDate
        case .firstAttempt: record.firstAttemptDate ?? record.notification.signedDate
        }
    }

    func admits(_ record: OutboxRecord) -> Bool {
        let notification = record.notification
        guard notification.subject.app == app, notification.environment == environment, range.contains(date(of: record)),
            type.map({ $0 == notification.event.notificationType }) ?? true,
            subtype.map({ $0 == notification.event.subtype }) ?? true
        else { return false }
        // Also those that will be tried again.
        if onlyFailures, record.attempts.isEmpty || record.isDelivered { return false }
        guard let transactions else { return true }
        guard let about = notification.subject.transaction else { return false }
        return transactions.contains(about.transactionId) || transactions.contains(about.originalTransactionId)
    }
}
