import AppStoreWire
import Primitives

extension Meaning.Hint {
    func sentence(_ quote: Sentence.Quoting) -> Sentence {
        switch self {
        case .unknownType:
            return Sentence("A type of notification that is newer than this program.", "通知类型比本程序更新。")
        case .provesNothing:
            return Sentence(
                "A notification of version 1 is a hint and proves nothing.", "版本 1 的通知只是提示，不证明任何事。")
        case .perhaps(let notification):
            let sentence = notification.sentence(quote)
            return Sentence("Perhaps: " + sentence.english, "可能是：" + sentence.chinese)
        }
    }
}

extension Meaning.Receipt {
    func sentence(_ quote: Sentence.Quoting) -> Sentence {
        switch self {
        case .appReceipt(let purchases, let periods):
            Sentence(
                "App receipt with \(purchases) purchases, \(periods) of them periods of subscriptions.",
                "App 收据，含 \(purchases) 笔购买，其中 \(periods) 笔是订阅的周期。")
        case .latestPeriod(let end):
            Sentence(
                "The latest period in it ends on \(end); later renewals are not in a receipt until the device refreshes it.",
                "其中最后的周期于 \(end.chinese(seconds: true)) 结束；此后的续订要等设备刷新收据才会出现在其中。")
        case .environmentNotSigned:
            Sentence(
                "The environment of a transaction receipt is not signed: only Apple can tell whether it is Production.",
                "交易收据的环境未经签名：是否为 Production 只有 Apple 知道。")
        case .appTransaction(let version):
            Sentence(
                "The app" + (version.map { ", version \(quote($0))" } ?? "") + ", as this Apple Account obtained it.",
                "此 Apple 账户所获取的 App" + (version.map { "，版本 \(quote($0))" } ?? "") + "。")
        case .realtimeRequest(let product, let locale):
            Sentence(
                "Apple asks what to show to a subscriber of \(quote(product)) who is about to cancel, in \(quote(locale)).",
                "Apple 询问应向即将取消 \(quote(product)) 的订阅者显示什么，语言为 \(quote(locale))。")
        }
    }
}

extension Meaning.Answer {
    func sentence(_ quote: Sentence.Quoting) -> Sentence {
        switch self {
        case .provesToAsker:
            Sentence(
                "Not signed: what the answer itself says is proved only for the party that asked Apple.",
                "未经签名：答复本身的内容只对询问 Apple 的一方得到证明。")
        case .genuine(let purchases):
            Sentence(
                "It says that the receipt is genuine, and lists \(purchases) purchases.",
                "它说该收据是真实的，并列出 \(purchases) 笔购买。")
        case .expired:
            Sentence(
                "Not signed. It says that the subscription of a genuine receipt has expired (iOS 6 style).",
                "未经签名。它说一份真实收据的订阅已过期（iOS 6 的样式）。")
        case .otherEnvironment(let host):
            Sentence(
                "The receipt belongs to the other environment: ask \(host.url).", "该收据属于另一环境：请询问 \(host.url)。")
        case .wrongSecret:
            Sentence("The password is not the app's shared secret.", "password 不是该 App 的共享密钥。")
        case .temporaryFault:
            Sentence(
                "A temporary fault at Apple: ask again. It says nothing about the customer.",
                "Apple 的暂时故障：请再次询问。这对顾客没有说明任何事。")
        case .malformedOrTemporary:
            Sentence(
                "The receipt-data that was sent was malformed or missing, or the service had a temporary issue: Apple does not "
                    + "say which. It says nothing about the customer.",
                "所发送的 receipt-data 格式错误或缺失，或者服务出现暂时问题：Apple 没有说是哪一种。这对顾客没有说明任何事。")
        case .inspectWhatWasSent:
            Sentence(
                "Inspect what was sent: it must be standard base64, padded, in one line. If it is, ask again later; "
                    + "if it is not, asking again is useless.",
                "请检查所发送的内容：必须是标准 base64，带填充，在一行之内。如果是，请稍后再次询问；如果不是，再次询问也无济于事。")
        case .refusedForEver:
            Sentence(
                "Apple refuses this receipt permanently; that shortens no customer's access.",
                "Apple 永久拒绝此收据；这不缩短任何顾客的访问权限。")
        case .notApples:
            Sentence(
                "Not an answer of Apple's. It says nothing about the customer.", "不是 Apple 的答复。它对顾客没有说明任何事。")
        case .apiRefused(let message):
            Sentence(
                "The App Store Server API refused a request" + (message.map { ": \(quote($0))" } ?? "."),
                "App Store Server API 拒绝了一个请求" + (message.map { "：\(quote($0))" } ?? "。"))
        case .isRetryable(true): Sentence("A later request may succeed.", "稍后的请求可能成功。")
        case .isRetryable(false): Sentence("Repeating the request is useless.", "重复该请求无济于事。")
        }
    }
}

extension Meaning.Form {
    func sentence(_ quote: Sentence.Quoting) -> Sentence {
        switch self {
        case .digits:
            return Sentence(
                "Digits, like a transactionId, an originalTransactionId or a webOrderLineItemId. They name no "
                    + "app, customer or environment.",
                "一串数字，如同 transactionId、originalTransactionId 或 webOrderLineItemId。它不指明 App、顾客或环境。")
        case .askApple(let id):
            let (production, sandbox) = (ServerAPIHost.production.baseURL, ServerAPIHost.sandbox.baseURL)
            let call = "\(production)/inApps/v1/transactions/\(id)"
            return Sentence(
                "Ask Apple what it is, with your app's key for the API: GET \(call), or \(sandbox) for Sandbox; then inspect the "
                    + "answer.",
                "请用您的 App 的 API 密钥询问 Apple 它是什么：GET \(call)，沙盒则用 \(sandbox)；然后检查答复。")
        case .importAsks:
            return Sentence(
                "tenure import stores such ids as questions to Apple: they give no access before Apple has answered.",
                "tenure import 把这样的标识符存为对 Apple 的询问：在 Apple 答复之前，它们不提供访问权限。")
        case .brokenLines:
            return Sentence(
                "It has several lines; servers accept a JWS in one line, without white space.",
                "它有多行；服务器只接受在一行之内、不含空白的 JWS。")
        case .otherBase64:
            return Sentence(
                "It is in URL-safe or unpadded base64. Servers, including /verifyReceipt, accept a receipt in the standard "
                    + "alphabet with padding: Apple answers 21002 to others.",
                "它是 URL 安全的或没有填充的 base64。包括 /verifyReceipt 在内的服务器只接受标准字母表且带填充的收据：对其他写法，"
                    + "Apple 答复 21002。")
        }
    }
}

extension UnusableForm {
    /// What an input that cannot be inspected is, and what to do with it.
    package var sentence: Sentence {
        switch self {
        case .empty: Sentence("there is nothing in it", "其中没有任何内容。")
        case .severalNumbers:
            Sentence(
                "several numbers, as transaction ids are: they prove nothing; tenure import takes a list of them",
                "数个数字，如同交易标识符：它们不证明任何事；tenure import 接受它们的列表。")
        case .privateKey:
            Sentence(
                "a private key. Keep it secret; inspect takes it with --key, to verify what it signed",
                "一个私钥。请保密；tenure inspect 通过 --key 接受它，用来核验它所签名的内容。")
        case .publicKey:
            Sentence(
                "a public key; inspect takes it with --key, to verify what its private key signed",
                "一个公钥；tenure inspect 通过 --key 接受它，用来核验其私钥所签名的内容。")
        case .certificate:
            Sentence(
                "a certificate. It proves nothing by itself; inspect takes it with --root, --xcode-certificate or --intermediate",
                "一份证书。它本身不证明任何事；tenure inspect 通过 --root、--xcode-certificate 或 --intermediate 接受它。")
        case .incompleteJWS:
            Sentence(
                "it begins like a JWS but does not have three parts separated by full stops: usually cut short",
                "开头像 JWS，但不是由句点分隔的三个部分：通常是被截断了。")
        case .otherJWS:
            Sentence(
                "a JWS whose header cannot be read, or names neither certificates (x5c) nor a key (kid)",
                "一个 JWS，但其头部无法读取，或既不指明证书 (x5c) 也不指明密钥 (kid)。")
        case .brokenJSON:
            Sentence(
                "it begins like JSON but is not valid, or has a name twice: usually cut short",
                "开头像 JSON，但无效，或某个名称出现两次：通常是被截断了。")
        case .otherJSON: Sentence("JSON without a member of any of Apple's bodies", "JSON，但不含 Apple 任何正文的成员。")
        case .brokenBase64:
            Sentence(
                "it begins like a receipt in base64 but is not base64: usually cut short or changed in transit",
                "开头像 base64 收据，但不是 base64：通常是被截断，或在传输中被改动。")
        case .otherBase64: Sentence("base64 of something that is not a receipt", "base64，但内容不是收据。")
        case .other: Sentence("not something from Apple, or cut short", "不是来自 Apple 的内容，或被截断了。")
        }
    }
}
