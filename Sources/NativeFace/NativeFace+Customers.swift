import APIContract
import Backend
import Ledger
import Primitives
import Server

/// Customers, their content and their licences.
extension NativeFace {
    func addContent(to router: inout EndpointRouter) {
        router.on(NativeAPI.readContent, readContent)
        router.on(NativeAPI.unlockContent, unlockContent)
        router.on(NativeAPI.readLicences, readLicences)
        router.on(NativeAPI.showAppTransaction, showAppTransaction)
    }

    func addCustomers(to router: inout EndpointRouter) {
        router.on(NativeAPI.readCustomer, readCustomer)
        router.on(NativeAPI.readTimeline, readTimeline)
        router.on(NativeAPI.registerDevice, registerDevice)
        router.on(NativeAPI.identifyCustomer, identifyCustomer)
    }

    // MARK: Content and licences

    private func readContent(_ call: Call<ContentPath, ContentQuery, NoBody>) async throws -> ContentUseBody {
        ContentUseBody(
            try await backend.use(
                of: request(call), app: call.app, environment: call.query.environment, at: call.query.at))
    }

    private func unlockContent(_ call: Call<ContentPath, ContentQuery, NoBody>) async throws -> ContentUnlockBody {
        guard call.query.at == nil else { throw ParameterError("at", "cannot be chosen: what is unlocked is unlocked now") }
        return ContentUnlockBody(
            try await backend.unlock(request(call), app: call.app, environment: call.query.environment))
    }

    private func request(_ call: Call<ContentPath, ContentQuery, NoBody>) -> Backend.ContentRequest {
        Backend.ContentRequest(
            customer: call.customer, kind: ContentKindID(call.path.kind), content: ContentID(call.path.content),
            publishedAt: call.query.publishedAt ?? Timestamp(millisecondsSince1970: 0))
    }

    private func readLicences(_ call: OfCustomer<InstantQuery, NoBody>) async throws -> LicencesBody {
        LicencesBody(
            try await backend.licences(
                of: call.customer, app: call.app, environment: call.query.environment, at: call.query.at))
    }

    private func showAppTransaction(_ call: OfCustomer<NoQuery, AppTransactionBody>) async throws -> AppPurchaseBody {
        AppPurchaseBody(
            try await backend.show(appTransaction: call.body.signedAppTransaction, by: call.customer, app: call.app))
    }

    // MARK: Who is who

    private func readCustomer(_ call: OfCustomer<InstantQuery, NoBody>) async throws -> CustomerBody {
        let report = try await backend.customer(
            call.customer, app: call.app, environment: call.query.environment, at: call.query.at)
        return CustomerBody(report, environment: call.query.environment)
    }

    private func readTimeline(_ call: OfCustomer<EnvironmentQuery, NoBody>) async throws -> TimelineBody {
        let entries = try await backend.timeline(of: call.customer, app: call.app, environment: call.query.environment)
        return TimelineBody(items: entries.map { TimelineBody.Item($0) })
    }

    private func registerDevice(_ call: OfCustomer<NoQuery, DeviceBody>) async throws -> NoContent {
        let secret = call.body.secret
        guard (DeviceBody.shortestSecret...DeviceBody.longestSecret).contains(secret.utf8.count) else {
            throw InvalidBody(
                member: "secret",
                reason: "must have \(DeviceBody.shortestSecret) to \(DeviceBody.longestSecret) bytes")
        }
        try await backend.registerDevice(of: call.customer, secretDigest: SecretDigest.of(secret), app: call.app)
        return NoContent()
    }

    private func identifyCustomer(_ call: OfCustomer<NoQuery, IdentifyBody>) async throws -> NoContent {
        try await backend.identify(
            CustomerID(call.body.anonymous), as: call.customer, secretDigest: SecretDigest.of(call.body.deviceSecret),
            app: call.app)
        return NoContent()
    }
}
