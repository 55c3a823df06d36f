import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Primitives
import StrictJSON

/// An action in a local App Store, from the command line: a control call with a name and words in order.
struct SimulatorVerb: Sendable {
    let name: String
    let help: String
    let method: String
    /// With `{word}` where an argument goes.
    let path: String
    /// The arguments, in their order. Those named in the path go there, the others into the body, with their type, or into the
    /// query where there is no body.
    let words: [Word]
    /// Members of the body that the verb itself adds, as JSON.
    var fixed: [(name: String, json: String)] = []
    /// Whether its body is a file, whose path is the only argument.
    var takesFile = false

    /// An argument and its JSON type.
    struct Word: Sendable {
        let name: String
        var kind = Kind.text
        var isOptional = false

        enum Kind: Sendable {
            case text, number
            /// `on` or `off`; or `fails` or `works`, and the like.
            case flag(on: String, off: String)
        }
    }

    /// Whether a word is a member, `name=value`; base64 and JWS are not.
    static func isMember(_ word: String) -> Bool {
        let name = word.prefix { $0 != "=" }
        return name.count < word.count && (1...32).contains(name.count) && name.allSatisfy { $0.isASCII && $0.isLetter }
    }

    /// As it is typed.
    var usage: String {
        if takesFile { return "\(name) FILE" }
        return
            ([name]
            + words.map { word in
                let shown: String =
                    switch word.kind {
                    case .text, .number: word.name.uppercased()
                    case .flag(let on, let off): "\(on)|\(off)"
                    }
                return word.isOptional ? "[\(shown)]" : shown
            }).joined(separator: " ")
    }

    /// The call for the arguments; `members` are the additional ones, `name=value`.
    func call(_ arguments: [String], members: [(name: String, json: String)]) throws -> (path: String, body: [UInt8]?) {
        if takesFile {
            guard arguments.count == 1, members.isEmpty else { throw CommandError("Usage: \(usage)") }
            return (path, try StateFile.bytes(arguments[0]))
        }
        let needed = words.count { !$0.isOptional }
        guard (needed...words.count).contains(arguments.count) else { throw CommandError("Usage: \(usage)") }
        var (path, body) = (path, fixed)
        for (word, argument) in zip(words, arguments) {
            let place = "{\(word.name)}"
            if path.contains(place) {
                path = path.replacing(place, with: PercentEncoding.encode(argument))
            } else {
                body.append((word.name, try word.json(argument)))
            }
        }
        guard method != "GET", method != "DELETE" else { return (path + (try Self.query(body + members)), nil) }
        var json = JSONWriter()
        json.object { json in for member in body + members { json.member(named: member.name) { $0.raw(member.json.utf8) } } }
        return (path, json.bytes)
    }
}

extension SimulatorVerb {
    /// `?limit=50&app=…`; empty where there are no members.
    private static func query(_ members: [(name: String, json: String)]) throws -> String {
        let pairs = try members.map { member in
            let text = try JSONDocument(Array(member.json.utf8)).root.string ?? member.json
            return "\(member.name)=\(PercentEncoding.encode(text))"
        }
        return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
    }
}

extension SimulatorVerb {
    /// Simulating a year of a shop takes a while.
    private static let timeout = TimeAmount.seconds(600)

    /// - Parameter key: of a server that requires one.
    func send(_ body: [UInt8]?, to url: String, key: String? = nil) async throws -> HTTPClientResponse {
        var request = HTTPClientRequest(url: url)
        request.method = HTTPMethod(rawValue: method)
        if let key { request.headers.add(name: "Authorization", value: "Bearer \(key)") }
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: body))
        }
        return try await HTTPClient.shared.execute(request, timeout: Self.timeout)
    }
}

extension SimulatorVerb.Word {
    func json(_ argument: String) throws -> String {
        var json = JSONWriter()
        switch kind {
        case .text: json.string(argument)
        case .number:
            guard let number = Int64(argument) else { throw CommandError("\(name) must be a whole number.") }
            json.integer(number)
        case .flag(let on, let off):
            guard argument == on || argument == off else { throw CommandError("\(name) is \(on) or \(off).") }
            json.bool(argument == on)
        }
        return json.text
    }
}

extension SimulatorVerb {
    private static func get(_ name: String, _ path: String, _ words: [Word], _ help: String) -> SimulatorVerb {
        SimulatorVerb(name: name, help: help, method: "GET", path: path, words: words)
    }

    private static func post(_ name: String, _ path: String, _ words: [Word], _ help: String) -> SimulatorVerb {
        SimulatorVerb(name: name, help: help, method: "POST", path: path, words: words)
    }

    private static let account = Word(name: "account")
    private static let id = Word(name: "id")
    private static let onOff = Word(name: "enabled", kind: .flag(on: "on", off: "off"))
    private static let fails = Word(name: "fails", kind: .flag(on: "fails", off: "works"))

    /// All of them, in the order of the help.
    static let all: [SimulatorVerb] = people + purchases + owner + store

    private static let people = [
        post("account", "/accounts", [Word(name: "id", isOptional: true)], "open an Apple Account; environment=, storefront="),
        get("accounts", "/accounts", [], "list the accounts; from=, limit="),
        get("show", "/accounts/{account}", [account], "show an account"),
        post("card", "/accounts/{account}/payment", [account, fails], "make the account's card fail, or work again"),
        post(
            "change-address", "/accounts/{account}/address", [account],
            "give the account another address: later copies of its purchases carry no appAccountToken"),
        post(
            "move", "/accounts/{account}/storefront", [account, Word(name: "storefront")], "move an account to another country"),
        post("family", "/families", [Word(name: "id"), Word(name: "organizer")], "open a family"),
        get("show-family", "/families/{family}", [Word(name: "family")], "show a family"),
        post("join", "/families/{family}/members", [Word(name: "family"), account], "add an account to a family"),
        SimulatorVerb(
            name: "leave", help: "remove a member of a family", method: "DELETE", path: "/families/{family}/members/{account}",
            words: [Word(name: "family"), account]),
        post("sharing", "/families/{family}/sharing", [Word(name: "family"), onOff], "share purchases, or stop sharing"),
        post("device", "/devices", [Word(name: "id"), Word(name: "account", isOptional: true)], "add a device, signed in"),
        get("show-device", "/devices/{device}", [Word(name: "device")], "show a device"),
        post(
            "sign-in", "/devices/{device}/account", [Word(name: "device"), Word(name: "account", isOptional: true)],
            "sign a device in with another account, or with none"),
        post(
            "rescind-consent", "/accounts/{account}/rescind-consent", [account],
            "withdraw a parent's consent to a child's use of the app"),
        get("queue", "/devices/{device}/queue", [Word(name: "device")], "list the app's queue on a device; limit="),
        get(
            "app-transaction", "/devices/{device}/appTransaction", [Word(name: "device")],
            "show the signed app transaction; app="),
    ]

    private static let purchases = [
        post(
            "buy", "/accounts/{account}/purchases", [account, Word(name: "productId")],
            "buy; appAccountToken=, app=, offer=, offerIdentifier=, billingPlanType=, besideFailing=, beginsAnew="),
        post("redeem", "/accounts/{account}/redeem", [account, Word(name: "code")], "redeem an offer code"),
        post("restore", "/accounts/{account}/restore", [account], "restore on a new device"),
        get("purchases", "/accounts/{account}/transactions", [account], "list purchases, newest first; app=, limit="),
        get("receipt", "/accounts/{account}/receipt", [account], "show the app receipt, in base64; app=, device="),
        post("lose-receipt", "/accounts/{account}/receipt/lose", [account], "remove the receipt until a purchase or restore"),
        get("subscription", "/subscriptions/{id}", [id], "show a subscription"),
        post("auto-renew", "/subscriptions/{id}/auto-renew", [id, onOff], "turn auto-renew on or off"),
        post(
            "payment", "/subscriptions/{id}/payment", [id, fails],
            "fail one subscription's charges; gracePeriodDays=, graceEnd="),
        post(
            "consent", "/subscriptions/{id}/price-increase", [id, Word(name: "agrees", kind: .flag(on: "yes", off: "no"))],
            "answer a price increase"),
        post("extend", "/subscriptions/{id}/extend", [id, Word(name: "days", kind: .number)], "extend a subscription"),
        post(
            "silence", "/subscriptions/{id}/silence", [id, onOff], "stop a subscription's notifications, or resume; inHistory="),
        post("retention", "/subscriptions/{id}/retention", [id], "ask the app's server for a retention message; locale="),
        post("late-failure", "/subscriptions/{id}/late-failure", [id], "notify of a failed renewal again, after its recovery"),
        post("reissue", "/subscriptions/{id}/reissue", [id], "let the newest period come back under another id"),
        post(
            "switch", "/subscriptions/{id}/switch", [id, Word(name: "productId")],
            "switch from a standalone subscription to a bundle, or back"),
        post("assign-seat", "/subscriptions/{id}/seats", [id, account], "assign a seat to an account"),
        SimulatorVerb(
            name: "revoke-seat", help: "take a seat back", method: "DELETE", path: "/subscriptions/{id}/seats/{account}",
            words: [id, account]),
        get("transaction", "/transactions/{id}", [id], "show a transaction"),
        post(
            "sign-token", "/transactions/{id}/token", [id, Word(name: "appAccountToken", isOptional: true)],
            "sign later copies of a transaction with another token; appAccountToken=null for none"),
        get("transaction-receipt", "/transactions/{id}/receipt", [id], "show its receipt in the form before iOS 7, in base64"),
        post("finish", "/transactions/{id}/finish", [id], "finish a transaction"),
        post("refund", "/transactions/{id}/refund", [id], "refund; percentage=, reason=, requestedByCustomer="),
        post("reverse", "/transactions/{id}/refund/reverse", [id], "reverse a refund"),
        post(
            "ask-refund", "/transactions/{id}/refund/request", [id, Word(name: "reason", isOptional: true)], "request a refund"),
        post(
            "decide", "/transactions/{id}/refund/decide", [id, Word(name: "grants", kind: .flag(on: "grant", off: "decline"))],
            "decide a requested refund"),
    ]

    private static let owner = [
        get("apps", "/apps", [], "list the apps and their terms"),
        get("products", "/products", [], "list the products of the first app, or of app="),
        get("keys", "/keys", [], "the In-App Purchase keys"),
        post("add-key", "/keys", [Word(name: "keyId")], "make a further In-App Purchase key; app="),
        post(
            "revoke", "/keys/{keyId}/revocation", [Word(name: "keyId"), onOff],
            "refuse a key with 401, or accept it again; app="),
        post(
            "price", "/products/{product}/price",
            [
                Word(name: "product"), Word(name: "price", kind: .number),
                Word(name: "needsConsent", kind: .flag(on: "ask", off: "tell")),
            ], "raise a price, in thousandths, and ask customers or inform them"),
        post(
            "sale", "/products/{product}/sale",
            [Word(name: "product"), Word(name: "isForSale", kind: .flag(on: "on", off: "off"))],
            "stop selling a product, or sell it again"),
        post(
            "external-purchase", "/external-purchases", [Word(name: "event")],
            "notify of a token for an external purchase: created, reminder, unreported"),
        post("terms", "/terms", [], "billingGracePeriodDays=, earlyChargeHours=, sandboxMonthMinutes=, tokenOfPlanChange="),
    ]

    private static let store = [
        get("clock", "/clock", [], "show the time"),
        post("advance", "/clock/advance", [Word(name: "days", kind: .number, isOptional: true)], "move the clock; seconds=, to="),
        post("rate", "/clock", [Word(name: "rate", kind: .number)], "set how fast the clock runs by itself; 0 stops it"),
        get("notifications", "/notifications", [], "list the notifications, newest first; limit="),
        post("redeliver", "/notifications/{uuid}/redeliver", [Word(name: "uuid")], "send a notification again"),
        get("delivery", "/delivery", [], "show how notifications are delivered; app=, environment="),
        post(
            "deliver", "/delivery", [Word(name: "mode")],
            "deliver, drop, hold, duplicate or delay; count=, seconds=, url=, version="),
        post(
            "release", "/delivery/release", [Word(name: "order", isOptional: true)],
            "release held notifications: given, reversed, shuffled"),
        get("faults", "/faults", [], "show the faults that are set"),
        post("break", "/faults", [], "set faults in answers; faults=[…], seed="),
        get("behaviour", "/behaviour", [], "show what Apple's services show late, and the like"),
        post(
            "behave", "/behaviour", [],
            """
            notificationLagSeconds=, transactionLagSeconds=, paginationTokenSeconds=, deadPaginationTokens=, \
            notificationWindow=, retryAfter=, limitClock=, notificationTransactionId=, partsApartMilliseconds=
            """),
        get("limits", "/limits", [], "show the limit of each endpoint; app=, environment="),
        post(
            "limit", "/limits", [Word(name: "endpoint"), Word(name: "perHour", kind: .number, isOptional: true)],
            "limit an endpoint; perHour=null for Apple's limit, app=, environment="),
        get("calls", "/calls", [], "count the calls of each endpoint, and of the busiest hour; app=, environment=, limit="),
        post("forget-calls", "/calls/forget", [], "begin to count calls anew"),
        get("root", "/root", [], "the SHA-256 of the root certificate"),
        post("signing", "/signing", [Word(name: "signing")], "right, wrongChain, newLeaf, endedLeaf or endingLeaf"),
        get("retention-messages", "/retention", [], "list images and messages for customers who are about to cancel"),
        post(
            "review", "/retention/review",
            [Word(name: "identifier"), Word(name: "approves", kind: .flag(on: "approve", off: "reject"))],
            "review an image or a message"),
        get("save", "/state", [], "print the whole state, to save in a file"),
        SimulatorVerb(
            name: "load", help: "restore the store to a saved state", method: "PUT", path: "/state", words: [],
            takesFile: true),
    ]
}
