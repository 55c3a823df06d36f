import LedgerOracle
import StrictJSON

/// One app of the server under test, with its own bundle and policy.
struct ChaosApp: Sendable {
    let number: Int
    let policy: OraclePolicy

    var id: String { "app-\(number)" }
    var bundleId: String { "com.example.chaos.app\(number)" }
    var appAppleId: Int64 { 1_000_000_000 + Int64(number) }
    var publicKey: String { "appl_chaos_\(number)" }

    /// Whether a restore by another customer may move a subscription. Then it matters what was known when a claim was weighed
    /// (decision 0010, 14), and the claims of a life wait until all its facts are acknowledged.
    var restoresMove: Bool { policy.onRestore == .transfer || policy.onRestore == .transferIfInactive }

    /// The app's part of the server's configuration.
    func write(to writer: inout JSONWriter, serverKeyDigest: String) {
        writer.object { writer in
            writer.member("id", id)
            writer.member("bundleId", bundleId)
            writer.member("appAppleId", appAppleId)
            writer.member("publicKey", publicKey)
            writer.member("serverKeySHA256", serverKeyDigest)
            writer.member("policy") { writer in
                writer.object { writer in
                    writer.member("onPurchase", policy.onPurchase.spelling)
                    writer.member("onRestore", policy.onRestore.spelling)
                    writer.member("partialRefunds", policy.partialRefunds == .keep ? "keep" : "endSubscriptions")
                    writer.member("familySharing", policy.familySharing == .serve ? "serve" : "ignore")
                    writer.member("purchaseEvidence", policy.tokenOnly ? "tokenOnly" : "claims")
                    writer.member("promptWindowSeconds", policy.promptWindow / 1000)
                    writer.member("purchaseWindowSeconds", policy.purchaseWindow / 1000)
                    writer.member("tokenLocks", policy.tokenLocks)
                    writer.member("restoreLimit", Int64(policy.restoreLimit))
                    writer.member("restoreWindowDays", policy.restoreWindowDays)
                    writer.member("productionLeewaySeconds", policy.leeway / 1000)
                    writer.member("billingGracePeriodDays", policy.graceDays)
                }
            }
            writer.member("products") { writer in
                writer.object { writer in
                    for product in OracleProduct.all {
                        writer.member(named: product.id) { $0.array { $0.string(ChaosLife.entitlement) } }
                    }
                }
            }
        }
    }
}

extension OraclePolicy {
    /// Without what no endpoint of the server supports yet: anonymous customers, merges, and a limit of customers for each Apple
    /// Account.
    var asFarAsTheServerHears: OraclePolicy {
        var policy = self
        policy.anonymousMayTake = false
        policy.mergeOnClaim = false
        policy.customersPerAppleAccount = nil
        return policy
    }
}

extension OraclePolicy.OnPurchase {
    fileprivate var spelling: String {
        switch self {
        case .followPurchase: "followPurchase"
        case .stay: "stay"
        case .ask: "ask"
        }
    }
}

extension OraclePolicy.OnRestore {
    fileprivate var spelling: String {
        switch self {
        case .keep: "keep"
        case .transfer: "transfer"
        case .transferIfInactive: "transferIfInactive"
        case .ask: "ask"
        }
    }
}
