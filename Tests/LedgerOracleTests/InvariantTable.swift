/// Where each invariant of section D of `reference/reliability.md` is checked.
enum InvariantTable {
    struct Place {
        let invariant: Invariant
        /// Whether `LifeInvariants` checks it; if not, `words` says in which room it belongs.
        let isHere: Bool
        /// With which interpretation it is checked here, or why it is not.
        let words: String
    }

    static var checkedHere: [Invariant] { places.filter(\.isHere).map(\.invariant) }

    static let places: [Place] = [
        here(.i01, "tenures begin with the first period, follow each other without gap, and no two customers are served at once"),
        here(.i02, "each tenure rests on one known claim, vote or registered token and ends where the next begins"),
        here(
            .i03,
            "a registered token on a first period names the first owner, one on a later bought period its owner from "
                + "then on under followPurchase (unless its customer is anonymous); no restore takes from whom a token "
                + "names, by what was known of owners when it was weighed; without merges. Operators' votes are no "
                + "automatic path"),
        here(.i04, "everything that a customer has lies in their tenures; facts make periods whether or not they have an owner"),
        here(
            .i05,
            "by 0017.18 a merge is no equivalence of equals: only an anonymous customer is merged away, once. So: who "
                + "was merged owns nothing, and neither the reverse nor a later merge moves anything"),
        here(.i06, "shared time is an own subscription; it counts as no purchase, no introductory offer, no refund"),
        elsewhere(.i07, "Storage: foreign keys with app and environment; the conformance suite"),
        here(
            .i08,
            "the facts, votes, merges and kept claims in any order, some twice: the same history and state. A claim that"
                + " says nothing new is not kept (OWN-3); under onRestore keep the claims left out would have moved nothing"),
        here(.i09, "two to four servers that hear parts and store what is news to them; what they stored, put together"),
        here(.i10, "every step told again, at cuts any kept input. Other encodings of a JWS are Intake's"),
        here(.i11, "a period's words are those signed last of all that was told; older words change no period and no span"),
        here(
            .i12,
            "every step keeps all facts, claims and votes, and all names of periods. The table's append-only rights "
                + "are Storage's"),
        here(.i13, "the state carried along equals the folded one after every step; at cuts from what a store keeps"),
        elsewhere(.i14, "AppStoreWire and Storage: raw bytes and the roots that they were verified with"),
        elsewhere(.i15, "Intake: a fact from the future is not taken; the ledger has no clock"),
        elsewhere(.i16, "Storage: notification UUIDs under a unique constraint"),
        here(.i17, "input with nothing new changes nothing and produces no event; a refused claim moves no tenure and no span"),
        here(
            .i18,
            "the last paid end is the greatest end of a period that gives access; grace ends at a signed date, or "
                + "within 24 h where the notification bears none (0010.9). Provisional time is I30's"),
        here(
            .i19,
            "paid time, as a union, lies inside what the newest words of all charges give, refunds and upgrades taken "
                + "off; customers together have no more than the subscription"),
        here(.i20, "whatever is not paid follows a period that ran out, is labelled in the span and in the answer"),
        here(
            .i21,
            "the last row of each customer and subscription has the present extent; each row has evidence and begins "
                + "where access first differs; a take-back names whom the period was credited to"),
        here(
            .i22,
            "no paid access from a fully refunded period; a refund told and reversed leaves spans and owners as they "
                + "were"),
        here(.i23, "a partial refund takes nothing under keep; under revoke it only shortens, and revokes no other period"),
        here(
            .i24,
            "two products run at once in one subscription only where Apple's facts overlap (an early renewal, PER-6); "
                + "two subscriptions of one customer are told of as DoublePayment, and only those; the question before buying "
                + "says whether anything serves the customer or may be charged still"),
        here(
            .i25,
            "a switch ends what ran at its purchaseDate; nothing is between a period and the renewal that follows "
                + "without a gap. A renewal charged early overlaps by Apple's word (PER-6)"),
        here(
            .i26,
            "grace rests on a signed date or a status-4 notification; late news ends with a word that shows retry or "
                + "an end"),
        here(.i27, "a period that ran ends at the expiresDate of the newest signed word. Request ids are the server's"),
        here(
            .i28,
            "an introductory offer once used by a customer or by the Apple Account of their device stays used, over "
                + "instants; over new knowledge the customer's may go with the ownership, the Apple Account's may not"),
        here(
            .i29,
            "each charge is one credited period with one price, in milliunits; no refund above the whole. Accounts by "
                + "currency come with RECON-5"),
        here(
            .i30,
            "without the failed questions paid and grace time is the same and late news no longer; never past 24 h "
                + "after the end"),
        here(
            .i31,
            "the same arguments give the same decision, with the state given or folded again; that the future is not "
                + "known is I15's"),
        here(
            .i32,
            "from each announced change to the next the answer is the same, under follow and balance; each end of a "
                + "span is announced"),
        elsewhere(.i33, "Server and Storage: read your write"),
        elsewhere(.i34, "Server: versions of answers"),
        here(
            .i35,
            "every row, event and state bears the key of its history, environment included; what is filed under it is "
                + "Intake's"),
        elsewhere(.i36, "Server: an error is no denial"),
        here(
            .i37,
            "one event for each row and each stretch of time with another owner, one announcement of each period that serves, "
                + "none for a repetition. The same transaction is Storage's"),
        here(.i38, "after every step the events, folded from nothing, tell the state's story. Their numbers are Storage's"),
        elsewhere(.i39, "Server: webhooks and their retries"),
        elsewhere(.i40, "Server: leases of jobs"),
        elsewhere(.i41, "Server and simulator: liveness after faults"),
        elsewhere(.i42, "OfferRules (WALL-5) for who may have what; nonces are Storage's"),
        elsewhere(.i43, "Intake and Server: conservation of what was received"),
        elsewhere(.i44, "Storage: the chain of audit rows (AUDIT-2)"),
        elsewhere(.i45, "Backend: erasing comes later; that names do not matter is checked by LedgerMetamorphic (renaming)"),
    ]

    private static func here(_ invariant: Invariant, _ words: String) -> Place {
        Place(invariant: invariant, isHere: true, words: words)
    }

    private static func elsewhere(_ invariant: Invariant, _ words: String) -> Place {
        Place(invariant: invariant, isHere: false, words: words)
    }
}
