import AppStoreGateway
import Backend
import Ledger
import Logging

extension TenureConfiguration {
    /// Those whose purchases Apple is asked about.
    var apple: [AppID: AskedAppStore.Account] {
        Dictionary(apps.compactMap { app in app.apple.map { (app.settings.id, $0.account) } }) { first, _ in first }
    }

    /// What asks Apple; nil where no app is to be asked about.
    func gateway(clock: any TimeSource, logger: Logger) throws -> AppStoreGateway? {
        guard !apple.isEmpty else { return nil }
        do throws(GatewayConfigurationError) {
            return try AppStoreGateway(
                now: { clock.now() },
                observe: { call in
                    guard let code = call.failureCode else { return }
                    logger.warning(
                        "Apple gave no usable answer",
                        metadata: ["endpoint": "\(call.endpoint)", "host": "\(call.host)", "failure": "\(code)"])
                })
        } catch {
            throw CommandError("Apple cannot be asked: \(error).")
        }
    }
}
