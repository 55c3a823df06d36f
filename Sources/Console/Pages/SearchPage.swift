import AppStoreWire
import ArtifactInspection
import Backend
import Ledger
import Primitives

/// P2: finding what somebody names, and reading what somebody pasted. Nothing of either is kept.
enum SearchPage {
    /// - Parameters:
    ///   - text: what was searched; nil: nothing yet.
    ///   - hits: of all environments of the app.
    ///   - notified: in which of them a notification of Apple has the text for its UUID.
    static func sheet(
        _ text: String?, _ hits: [Backend.SearchHit], notified: [Environment] = [], in place: ConsolePlace
    ) -> Sheet {
        var blocks: [Block] = [.paragraph(SearchWords.how)]
        if let text {
            let (here, elsewhere) = (
                hits.filter { $0.environment == place.environment }, hits.filter { $0.environment != place.environment }
            )
            blocks.append(.facts("search", [Field("q", SearchWords.asked, .data(text))]))
            blocks += [customers(here.filter { $0.kind == .customer }), subscriptions(here.filter { $0.kind == .subscription })]
            if notified.contains(place.environment) {
                blocks.append(
                    .facts("notification", [Field("notificationUUID", SearchWords.notification, .data(text))]))
            }
            if here.isEmpty, !notified.contains(place.environment) {
                blocks += [.paragraph(SearchWords.nothing(place.environment)), .paragraph(SearchWords.notSearched)]
            }
            let others = Set(elsewhere.map(\.environment) + notified.filter { $0 != place.environment })
            if !others.isEmpty { blocks.append(.notice(SearchWords.elsewhere(others.sorted { $0.rawValue < $1.rawValue }))) }
        }
        blocks.append(.part("paste", SearchWords.paste, [.paragraph(SearchWords.pasteHow), form]))
        return Sheet(SearchWords.title, blocks)
    }

    private static func customers(_ hits: [Backend.SearchHit]) -> Block {
        .table(
            SheetTable(
                "customers", SearchWords.customers, empty: SearchWords.noCustomer,
                [.init("id", ColumnWords.id), .init("foundBy", ColumnWords.foundBy)],
                hits.map { [.customer(CustomerID($0.id)), .data($0.foundBy.rawValue)] }))
    }

    private static func subscriptions(_ hits: [Backend.SearchHit]) -> Block {
        .table(
            SheetTable(
                "subscriptions", SearchWords.subscriptions, empty: SearchWords.noSubscription,
                [
                    .init("id", ColumnWords.id), .init("foundBy", ColumnWords.foundBy),
                    .init("purchaseDate", SearchWords.periodFrom), .init("end", SearchWords.periodEnd),
                ],
                hits.map { hit in
                    [
                        .subscription(OriginalTransactionID(hit.id)), .data(hit.foundBy.rawValue),
                        .optional(hit.period?.purchaseDate), hit.period.map { .end($0.end) } ?? .none,
                    ]
                }))
    }

    static var form: Block {
        .form(
            SheetForm(
                target: .inspect, isPost: true,
                fields: [.init(name: "text", label: SearchWords.pasted, hint: SearchWords.pastedHint, kind: .longText)],
                button: SearchWords.check))
    }
}

/// What was pasted, or what a fact rests on, decoded and checked.
enum InspectionPage {
    static func sheet(_ inspection: Inspected) -> Sheet {
        Sheet(SearchWords.inspected, blocks(inspection) + [.part("paste", SearchWords.pasteAgain, [SearchPage.form])])
    }

    /// The blocks, whose members are those of one inspection.
    static func blocks(_ inspection: Inspected) -> [Block] {
        switch inspection {
        case .unusable(let form):
            return [
                .notice(SearchWords.unusable),
                .facts("result", [Field("verified", SearchWords.verified, .badge(.bad, "false", AccessWords.no))]),
                .list("meaning", [.said(form.sentence.english, InspectionWords(form.sentence))]),
            ]
        case .artifact(let inspection):
            return [
                .notice(inspection.isVerified ? SearchWords.isVerified : SearchWords.isNotVerified),
                .facts("result", fields(inspection)), .list("meaning", inspection.meaning.map { meaning($0) }),
                inside(inspection),
            ] + subscriptions(inspection) + text("payload", inspection.shownPayload)
        }
    }

    private static func fields(_ inspection: Inspection) -> [Field] {
        let (signer, refusal) = (inspection.evidence?.signer, inspection.refusal)
        return [
            Field("kind", ColumnWords.kind, kind(inspection)),
            Field(
                "verified", SearchWords.verified,
                inspection.isVerified ? .badge(.good, "true", AccessWords.yes) : .badge(.bad, "false", AccessWords.no)),
            Field("refusal", SearchWords.refusal, .optional(refusal?.code.rawValue)),
            Field("reason", SearchWords.codeMeans, .optional(refusal?.code.sentence)),
            Field("detail", SearchWords.detail, refusal.map { detail($0.detail) } ?? .none),
            Field("advice", SearchWords.advice, .optional(refusal?.advice)),
            Field("environment", ColumnWords.environment, .optional(inspection.evidence?.environment?.rawValue)),
            Field("signedDate", ColumnWords.signed, .optional(inspection.evidence?.signedDate)),
            Field("signer", SearchWords.signer, .optional(signer?.leafName)),
            Field("serial", SearchWords.serial, .optional(signer?.leafSerial)),
            Field("sha256", SearchWords.fingerprint, .optional(signer.map { Hexadecimal.encode($0.leafFingerprint) })),
            Field("root", SearchWords.root, .optional(signer?.rootName)),
        ]
    }

    private static func kind(_ inspection: Inspection) -> Cell {
        .said(inspection.kind.rawValue, InspectionWords(inspection.kind.name))
    }

    private static func meaning(_ meaning: Meaning) -> Cell {
        .said(meaning.english, InspectionWords(meaning.sentence(quoting: Speech.isolated)))
    }

    /// What a reader found is data: the name of a field, a number, or what a parser wrote.
    private static func detail(_ detail: Refusal.Detail) -> Cell {
        guard let sentence = detail.sentence(quoting: Speech.isolated) else {
            return .optional(detail.found.flatMap { $0.isEmpty ? nil : $0 })
        }
        return .said(detail.english, InspectionWords(sentence))
    }

    private static func inside(_ inspection: Inspection) -> Block {
        .table(
            SheetTable(
                "inside", SearchWords.inside, empty: SearchWords.nothingInside,
                [
                    .init("path", SearchWords.path), .init("kind", ColumnWords.kind), .init("verified", SearchWords.verified),
                    .init("meaning", ColumnWords.what),
                ],
                inspection.inside.prefix(SubscriptionPage.longest).map { inner in
                    [
                        .optional(inner.path), kind(inner),
                        inner.isVerified ? .badge(.good, "true", AccessWords.yes) : .badge(.bad, "false", AccessWords.no),
                        .phrase(inner.meaning.map { meaning($0) } + reasons(inner.refusal)),
                    ]
                }))
    }

    /// The code and what it says.
    private static func reasons(_ refusal: Refusal?) -> [Cell] {
        guard let refusal else { return [] }
        let detail = detail(refusal.detail)
        return [.data(refusal.code.rawValue), .optional(refusal.code.sentence)] + (detail.isNone ? [] : [detail])
    }

    /// Where what was pasted is known here.
    private static func subscriptions(_ inspection: Inspection) -> [Block] {
        let ids = inspection.originalTransactionIds.prefix(20)
        guard !ids.isEmpty else { return [] }
        return [
            .facts(
                "names",
                [
                    Field(
                        "originalTransactionId", SearchWords.names,
                        .list(ids.map { .subscription(OriginalTransactionID($0)) }))
                ])
        ]
    }

    /// So many characters of a payload are shown.
    private static let longestText = 20_000

    private static func text(_ key: StaticString, _ payload: [UInt8]?) -> [Block] {
        guard let payload else { return [] }
        let text = String(decoding: payload.prefix(longestText), as: UTF8.self)
        return [.text(key, payload.count > longestText ? SearchWords.payloadCut : SearchWords.payload, text)]
    }
}

extension Cell {
    /// What inspection says, or nothing.
    fileprivate static func optional(_ sentence: Sentence?) -> Cell {
        sentence.map { .said($0.english, InspectionWords($0)) } ?? .none
    }
}

/// One fact: what it says, and whether the text that it rests on verifies now.
enum FactPage {
    static func sheet(
        _ fact: Backend.FactsReport.Item, number: Int, of key: SubscriptionKey, content: Backend.FactsReport.Document?,
        _ inspection: Inspected?
    ) -> Sheet {
        var blocks: [Block] = [
            .facts(
                "fact",
                [
                    Field("originalTransactionId", ColumnWords.subscription, .subscription(key.originalTransactionId)),
                    Field("kind", ColumnWords.kind, .said(fact.fact.kindName, FactWords.kind(fact.fact))),
                    Field("key", ColumnWords.key, .data(fact.fact.key)),
                    Field("signedDate", ColumnWords.signed, .instant(fact.fact.signedDate)),
                    Field("receivedAt", ColumnWords.received, .instant(fact.receivedAt)),
                    Field("form", ColumnWords.form, .optional(content?.form)),
                ])
        ]
        if let inspection {
            blocks.append(.part("verified", SearchWords.verifiedNow, InspectionPage.blocks(inspection)))
        } else {
            blocks.append(.paragraph(SearchWords.notVerifiable))
        }
        if let content {
            let text = String(content.content.prefix(20_000))
            blocks.append(.folded(SearchWords.rawText, [.text("content", SearchWords.rawText, text)]))
        }
        return Sheet(SearchWords.fact(number, key.originalTransactionId.rawValue), blocks)
    }
}
