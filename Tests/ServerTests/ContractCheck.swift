import APIContract
import HTTPTypes
import Testing

/// Compares the server's answers with the contract; the tests' client does so for every answer.
enum ContractCheck {
    static func check(_ answer: Answer, to method: HTTPRequest.Method, _ uri: String) {
        guard let operation = NativeAPI.all.first(where: { $0.answers(method, uri) }) else { return }
        guard answer.isProblem else {
            #expect(
                operation.statuses.map(\.rawValue).contains(answer.status.code),
                "\(operation.operationId) answers \(answer.status.code), which its contract does not have")
            checkBody(of: answer, to: operation)
            return
        }
        let kinds = operation.problems.filter { $0.isName(of: answer.code ?? "", status: answer.status.code) }
        #expect(
            !kinds.isEmpty,
            "\(operation.operationId) answers \(answer.status.code) \(answer.code ?? ""), which its contract does not have")
    }
}

extension ContractCheck {
    /// The answer, decoded by the contract and encoded again, must equal what was sent: the contract reads every member, and
    /// there is no other.
    private static func checkBody(of answer: Answer, to operation: EndpointDescription) {
        do {
            let reading = try #require(readings[operation.operationId])
            let again = try reading(Array(answer.text.utf8))
            #expect(String(decoding: again, as: UTF8.self) == answer.text, "\(operation.operationId) answers other members")
        } catch {
            Issue.record("\(operation.operationId) answers what its contract does not read: \(error)")
        }
    }

    private typealias Reading = @Sendable ([UInt8]) throws -> [UInt8]

    private static let readings: [String: Reading] = Dictionary(
        uniqueKeysWithValues: [
            reading(NativeAPI.receiveNotification), reading(NativeAPI.uploadTransaction), reading(NativeAPI.uploadReceipt),
            reading(NativeAPI.askPurchase), reading(NativeAPI.issueAppAccountToken), reading(NativeAPI.askWall),
            reading(NativeAPI.changeAttributes),
            reading(NativeAPI.askOffers), reading(NativeAPI.signPromotionalOffer), reading(NativeAPI.signIntroductoryOffer),
            reading(NativeAPI.exportCustomer), reading(NativeAPI.readCustomerPage), reading(NativeAPI.eraseCustomer),
            reading(NativeAPI.readOffers), reading(NativeAPI.listIssuedOffers),
            reading(NativeAPI.registerAppAccountToken), reading(NativeAPI.confirmDelivery),
            reading(NativeAPI.noteConsumption), reading(NativeAPI.readEntitlements), reading(NativeAPI.readManyEntitlements),
            reading(NativeAPI.readContent), reading(NativeAPI.unlockContent), reading(NativeAPI.readLicences),
            reading(NativeAPI.showAppTransaction), reading(NativeAPI.readCustomer), reading(NativeAPI.registerDevice),
            reading(NativeAPI.identifyCustomer), reading(NativeAPI.grantEntitlement), reading(NativeAPI.holdEntitlement),
            reading(NativeAPI.creditTime), reading(NativeAPI.joinCustomer), reading(NativeAPI.withdrawVote),
            reading(NativeAPI.allowRedelivery),
            reading(NativeAPI.transferSubscription),
            reading(NativeAPI.decideClaim), reading(NativeAPI.consentClaim), reading(NativeAPI.reserveSubscription),
            reading(NativeAPI.readSubscription), reading(NativeAPI.searchNames), reading(NativeAPI.listWarnings),
            reading(NativeAPI.listParkedNotifications), reading(NativeAPI.listAppleRequests),
            reading(NativeAPI.readApple), reading(NativeAPI.sweepNotifications),
            reading(NativeAPI.refreshSubscription),
            reading(NativeAPI.readDocument), reading(NativeAPI.readTimeline), reading(NativeAPI.listFacts),
            reading(NativeAPI.listWaitingClaims), reading(NativeAPI.listRefunds), reading(NativeAPI.listProposals),
            reading(NativeAPI.listSignals), reading(NativeAPI.readSignal), reading(NativeAPI.acknowledgeSignal),
            reading(NativeAPI.listEvents), reading(NativeAPI.listSubscriptionEvents), reading(NativeAPI.listCustomerEvents),
            reading(NativeAPI.listWebhookEndpoints), reading(NativeAPI.saveWebhookEndpoint),
            reading(NativeAPI.readWebhookEndpoint), reading(NativeAPI.deleteWebhookEndpoint),
            reading(NativeAPI.pauseWebhookEndpoint), reading(NativeAPI.resumeWebhookEndpoint),
            reading(NativeAPI.rotateWebhookSecret), reading(NativeAPI.testWebhookEndpoint),
            reading(NativeAPI.listWebhookAttempts), reading(NativeAPI.listParkedEvents), reading(NativeAPI.resendEvents),
            reading(NativeAPI.listReservations), reading(NativeAPI.reserveTransaction),
            reading(NativeAPI.listSettings), reading(NativeAPI.applySettings),
            reading(NativeAPI.startTrial), reading(NativeAPI.listJobs), reading(NativeAPI.readJob), reading(NativeAPI.cancelJob),
            reading(NativeAPI.startVerification), reading(NativeAPI.listJobResults), reading(NativeAPI.makeKey),
            reading(NativeAPI.listKeys),
            reading(NativeAPI.endKey),
            reading(NativeAPI.listChangedSubscriptions), reading(NativeAPI.listChangedCustomers),
            reading(NativeAPI.exportSubscriptions), reading(NativeAPI.exportCustomers),
            reading(NativeAPI.exportPeriods), reading(NativeAPI.exportEvents),
            reading(NativeAPI.readSignedEntitlements),
            reading(NativeAPI.readAnswerKeys),
            reading(NativeAPI.readDocumentPage), reading(NativeAPI.checkLive), reading(NativeAPI.checkReady),
        ])

    private static func reading<Path, Query, Body, Content>(
        _ endpoint: Endpoint<Path, Query, Body, Content>
    ) -> (String, Reading) {
        let read: Reading = { bytes in
            let content = try Content(json: bytes)
            return content.json
        }
        return (endpoint.operationId, read)
    }
}

extension EndpointDescription {
    /// Whether a request is for this endpoint.
    fileprivate func answers(_ method: HTTPRequest.Method, _ uri: String) -> Bool {
        guard self.method.rawValue == method.rawValue else { return false }
        let there = uri.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
        let template = path.split(separator: "/", omittingEmptySubsequences: false)
        return there.count == template.count && zip(there, template).allSatisfy { $1.hasPrefix("{") ? !$0.isEmpty : $0 == $1 }
    }
}

extension ProblemKind {
    /// Whether a problem of this kind can have the code; for a kind with many codes only the status is compared.
    fileprivate func isName(of code: String, status: Int) -> Bool {
        self.status == status && (hasManyCodes || name == code)
    }
}
