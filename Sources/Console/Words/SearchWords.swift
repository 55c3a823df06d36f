import ArtifactInspection
import Primitives

/// Texts of the search and of what was pasted.
enum SearchWords: Words {
    case title, how, asked, customers, subscriptions, notification, notSearched
    case nothing(Environment)
    case elsewhere([Environment])
    case noCustomer, noSubscription, periodFrom, periodEnd
    case paste, pasteHow, pasteAgain, pasted, pastedHint, check
    case inspected, unusable, isVerified, isNotVerified, verified
    case refusal, codeMeans, detail, advice, signer, serial, fingerprint, root
    case inside, nothingInside, path, names, payload, payloadCut, verifiedNow, notVerifiable, rawText
    case fact(Int, String)

    var english: String {
        switch self {
        case .title: "Search"
        case .how:
            "Finds exact ids: a customer, an originalTransactionId, a transactionId, a webOrderLineItemId, a claim's id, an "
                + "appAccountToken, an appTransactionId, a notificationUUID. Every search is audited."
        case .asked: "Searched"
        case .customers: "Customers"
        case .subscriptions: "Subscriptions"
        case .nothing(let environment):
            "Nothing in \(environment.rawValue) has exactly this id. Check that it was copied whole. The order id of Apple's "
                + "mail is not a transactionId."
        case .elsewhere(let environments):
            "Found in \(environments.map(\.rawValue).joined(separator: ", ")): change the environment above."
        case .notification: "A notification of Apple with this UUID was kept"
        case .notSearched:
            "Searched in were customers, subscriptions, transactions, periods, claims, tokens, app transactions and "
                + "notifications of every environment. An order id cannot be found here: tenure call lookUpOrder asks Apple "
                + "about it. A reservation is found by its subscription or its customer."
        case .noCustomer: "No customer has this id."
        case .noSubscription: "No subscription has this id."
        case .periodFrom: "Its period from"
        case .periodEnd: "Its period until"
        case .paste: "Paste a receipt, a JWS or a notification"
        case .pasteHow: "It is decoded, and its signature is checked against Apple's roots. Nothing of it is kept."
        case .pasteAgain: "Paste another one"
        case .pasted: "Receipt in base64, JWS, or the body of a notification (version 1 or 2) or of an answer"
        case .pastedHint: "At most 1 MB."
        case .check: "Check"
        case .inspected: "What was pasted"
        case .unusable: "This is nothing that Apple signs."
        case .isVerified: "The signature is valid and the signer is trusted here."
        case .isNotVerified: "This proves nothing: see the reason below."
        case .verified: "Verified"
        case .refusal: "Refused because"
        case .codeMeans: "It means"
        case .detail: "Found"
        case .advice: "What to do"
        case .signer: "Signed by"
        case .serial: "Serial number"
        case .fingerprint: "SHA-256 of the certificate"
        case .root: "Root"
        case .inside: "What is signed inside it"
        case .nothingInside: "Nothing else is signed inside it."
        case .path: "Place"
        case .names: "Names the subscription"
        case .payload: "Content, decoded"
        case .payloadCut: "Content, decoded; only its beginning"
        case .verifiedNow: "Verified again now"
        case .notVerifiable: "Nothing is kept that could be verified: Apple did not answer."
        case .rawText: "The text as it came"
        case .fact(let number, let id): "Fact \(number) of \(Speech.isolated(id))"
        }
    }

    var chinese: String {
        switch self {
        case .title: "搜索"
        case .how:

            "按完整标识符查找：顾客、originalTransactionId、transactionId、webOrderLineItemId、认领编号、appAccountToken、"
                + "appTransactionId、notificationUUID。每次搜索都会记入审计。"
        case .asked: "搜索内容"
        case .customers: "顾客"
        case .subscriptions: "订阅"
        case .nothing(let environment):
            "\(environment.rawValue) 中没有与此完全相同的标识符。请检查是否完整复制。Apple 邮件中的订单号不是 transactionId。"
        case .elsewhere(let environments): "在 \(environments.map(\.rawValue).joined(separator: "、")) 中找到：请在上方切换环境。"
        case .notification: "已保存具有此 UUID 的 Apple 通知"
        case .notSearched:
            "已在所有环境中搜索顾客、订阅、交易、周期、认领、令牌、App 交易和通知。此处无法查找订单号："
                + "tenure call lookUpOrder 可向 Apple 查询。预留可通过其订阅或顾客找到。"
        case .noCustomer: "没有顾客使用此标识符。"
        case .noSubscription: "没有订阅使用此标识符。"
        case .periodFrom: "所指周期自"
        case .periodEnd: "所指周期至"
        case .paste: "粘贴收据、JWS 或通知"
        case .pasteHow: "将其解码，并以 Apple 的根证书核验签名。不保存任何内容。"
        case .pasteAgain: "再粘贴一个"
        case .pasted: "base64 收据、JWS，或通知（版本 1 或 2）、答复的正文"
        case .pastedHint: "最多 1 MB。"
        case .check: "核验"
        case .inspected: "粘贴的内容"
        case .unusable: "这不是 Apple 签名的内容。"
        case .isVerified: "签名有效，且签名者在此受信任。"
        case .isNotVerified: "这不能证明任何事：原因见下。"
        case .verified: "已核验"
        case .refusal: "拒绝原因"
        case .codeMeans: "含义"
        case .detail: "所见"
        case .advice: "处理办法"
        case .signer: "签名者"
        case .serial: "序列号"
        case .fingerprint: "证书的 SHA-256"
        case .root: "根证书"
        case .inside: "其中签名的内容"
        case .nothingInside: "其中没有其他签名内容。"
        case .path: "位置"
        case .names: "所指订阅"
        case .payload: "解码后的内容"
        case .payloadCut: "解码后的内容（仅开头）"
        case .verifiedNow: "刚刚重新核验"
        case .notVerifiable: "没有保存可核验的内容：Apple 未答复。"
        case .rawText: "收到的原文"
        case .fact(let number, let id): "\(Speech.isolated(id)) 的事实 \(number)"
        }
    }
}

/// What inspection says: it has its own words, since the command line says them too.
struct InspectionWords: Words {
    let english: String
    let chinese: String

    init(_ sentence: Sentence) { (english, chinese) = (sentence.english, sentence.chinese) }
}
