import Ledger
import Primitives
import Storage
import Testing

@Suite struct `The stored form of holdings` {
    private static let products = [
        "plus.monthly", "", "a\"b\\c", "Jose\u{301}", "\u{1F48E}", "\u{0}\u{1F}\n\t", "null", "]", "\u{2028}", "007",
        "18446744073709551615",
    ]

    private static let holdings: [Holding] = products.flatMap { product in
        [nil, true, false].map { renews in
            Holding(
                originalTransactionId: OriginalTransactionID("1000" + product),
                spans: [
                    span(product, 0, 1, .paid, .expired), span(product, .min, .max, .gracePeriod, .graceOver),
                    span(product, 5, nil, .provisional, .noNewsFromApple), span(product, -1, -1, .paid, .ownershipMoved),
                ],
                words: [
                    RenewalWord(
                        from: at(7), autoRenewStatus: renews, autoRenewProductId: renews.map { _ in ProductID(product) })
                ])
        }
    }

    private static func at(_ milliseconds: Int64) -> Timestamp { Timestamp(millisecondsSince1970: milliseconds) }

    private static func span(
        _ product: String, _ from: Int64, _ until: Int64?, _ kind: AccessSpan.Kind, _ end: AccessSpan.End
    ) -> AccessSpan {
        AccessSpan(from: at(from), until: until.map(at), productId: ProductID(product), kind: kind, endsBecause: end)
    }

    @Test(arguments: holdings)
    func `A holding is read back unchanged, whatever its products are called`(_ holding: Holding) throws {
        let bytes = HoldingCoding.encode(holding)
        let back = try HoldingCoding.decode(bytes)
        #expect(back == holding)
        #expect(HoldingCoding.encode(back) == bytes)
    }

    @Test(arguments: AccessSpan.Kind.allCases, AccessSpan.End.allCases)
    func `Every kind and every end of a span is read back unchanged`(_ kind: AccessSpan.Kind, _ end: AccessSpan.End) throws {
        var span = Self.span("p", 1, nil, kind, end)
        span.periodStarts = [Self.at(-5), Self.at(1), Self.at(1 << 41)]
        let holding = Holding(originalTransactionId: OriginalTransactionID("1"), spans: [span], words: [])
        #expect(try HoldingCoding.decode(HoldingCoding.encode(holding)) == holding)
    }

    @Test func `What Apple said of renewals is read back unchanged`() throws {
        let words = [nil, true, false].enumerated().map { index, renews in
            RenewalWord(
                from: Self.at(Int64(index)), autoRenewStatus: renews, autoRenewProductId: renews.map { _ in ProductID("p") },
                priceIncreaseStatus: index == 1 ? 0 : nil, expirationIntent: index == 2 ? 3 : nil)
        }
        let holding = Holding(originalTransactionId: OriginalTransactionID("1"), spans: [], words: words)
        #expect(try HoldingCoding.decode(HoldingCoding.encode(holding)) == holding)
    }

    private static func credited(_ expiresDate: Int64? = nil, _ returns: [PeriodReturn] = []) -> CreditedPeriod {
        CreditedPeriod(
            productId: ProductID("p"), transactionId: TransactionID("20"), purchaseDate: at(3), expiresDate: expiresDate.map(at),
            returns: returns, quantity: 2, type: .nonRenewingSubscription)
    }

    private static func holding(_ credited: [CreditedPeriod]) -> Holding {
        Holding(originalTransactionId: OriginalTransactionID("1"), spans: [], words: [], credited: credited)
    }

    @Test(arguments: [nil, 5, 1 << 41] as [Int64?])
    func `Credited periods are read back unchanged`(_ expiresDate: Int64?) throws {
        let returns = [
            PeriodReturn(.whole, at: Self.at(-5), withdrawnAt: Self.at(1 << 42)),
            PeriodReturn(.units(2), at: Self.at(7)), PeriodReturn(.units(.max), at: Self.at(7), withdrawnAt: Self.at(9)),
            PeriodReturn(.rest, at: Self.at(1 << 42)),
        ]
        let holding = Self.holding([[], returns, Array(returns.prefix(1))].map { Self.credited(expiresDate, $0) })
        #expect(try HoldingCoding.decode(HoldingCoding.encode(holding)) == holding)
    }

    @Test func `A holding of the form before is read, with one return of a part`() throws {
        let none = HoldingCoding.encode(Self.holding([Self.credited()]))
        let holding = Self.holding([Self.credited(nil, [PeriodReturn(.rest, at: Self.at(1 << 42))])])
        let one = HoldingCoding.encode(holding)
        // That form had the instant alone where this one has a list; the quantity, one byte, comes last.
        let end = none.count - 1
        #expect(one[end] == 1 && one[end + 1] == 0)
        var before = Array(one[..<end] + one[(end + 2)...])
        before[0] = 1
        #expect(try HoldingCoding.decode(before) == holding)
    }

    @Test(
        arguments: [
            [], [0], [1], [3, 0, 1, 0, 0, 0], [1, 0, 1, 0, 0, 0, 0], [1, 0, 1, 0, 0], [1, 1, 0, 0, 0, 0],
            // A span of an unknown kind, with an unknown end, without the rest.
            [1, 0, 1, 1, 3, 0, 3, 0x70, 0, 0, 0], [1, 0, 1, 1, 0, 11, 3, 0x70, 0, 0, 0], [1, 0, 1, 1, 0],
            // More spans than there are bytes; a number that does not end.
            [1, 0, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 0, 0], [UInt8](repeating: 0xFF, count: 100_000),
            // A word with a status that is none.
            [1, 0, 1, 0, 1, 1, 0, 0],
        ] as [[UInt8]])
    func `T33 Bytes that are not a holding are reported as corrupt and end no process`(_ bytes: [UInt8]) {
        #expect(throws: StorageError(.corrupt, "")) { try HoldingCoding.decode(bytes) }
    }

    @Test func `T33 Any change of any byte is read or reported as corrupt, and ends no process`() throws {
        let bytes = HoldingCoding.encode(Self.holdings[1])
        for index in bytes.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = bytes
                changed[index] = byte
                do {
                    let holding = try HoldingCoding.decode(changed)
                    #expect(try HoldingCoding.decode(HoldingCoding.encode(holding)) == holding, "byte \(index) as \(byte)")
                } catch {
                    #expect(error as? StorageError == StorageError(.corrupt, ""), "byte \(index) as \(byte)")
                }
            }
        }
    }
}
