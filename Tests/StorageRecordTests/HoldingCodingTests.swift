import Ledger
import Primitives
import Storage
import Testing

@Suite struct `How holdings are written` {
    private static let products = [
        "plus.monthly", "", "a\"b\\c", "Jose\u{301}", "\u{1F48E}", "\u{0}\u{1F}\n\t", "null", "]", "\u{2028}",
    ]

    private static let holdings: [Holding] = products.flatMap { product in
        [nil, true, false].map { renews in
            Holding(
                originalTransactionId: OriginalTransactionID("1000" + product),
                spans: [
                    span(product, 0, 1, .paid, .expired), span(product, .min, .max, .gracePeriod, .graceOver),
                    span(product, 5, nil, .provisional, .noNewsFromApple), span(product, -1, -1, .paid, .ownershipMoved),
                ], autoRenewStatus: renews, autoRenewProductId: renews == nil ? nil : ProductID(product))
        }
    }

    private static func span(
        _ product: String, _ from: Int64, _ until: Int64?, _ kind: AccessSpan.Kind, _ end: AccessSpan.End
    ) -> AccessSpan {
        AccessSpan(
            from: Timestamp(millisecondsSince1970: from), until: until.map { Timestamp(millisecondsSince1970: $0) },
            productId: ProductID(product), kind: kind, endsBecause: end)
    }

    @Test(arguments: holdings)
    func `A holding comes back as it was, whatever its products are called`(_ holding: Holding) throws {
        let text = HoldingCoding.encode(holding)
        let back = try HoldingCoding.decode(text)
        #expect(back == holding)
        #expect(HoldingCoding.encode(back) == text)
    }

    @Test func `What Apple said of renewals comes back as it was`() throws {
        let words = [nil, true, false].enumerated().map { index, renews in
            RenewalWord(
                from: Timestamp(millisecondsSince1970: Int64(index)), autoRenewStatus: renews,
                autoRenewProductId: renews.map { _ in ProductID("p") }, priceIncreaseStatus: index == 1 ? 0 : nil,
                expirationIntent: index == 2 ? 3 : nil)
        }
        let holding = Holding(originalTransactionId: OriginalTransactionID("1"), spans: [], words: words)
        #expect(try HoldingCoding.decode(HoldingCoding.encode(holding)) == holding)
    }

    @Test func `ENT-11 what was written when only the last word was kept is read as if it had always been said`() throws {
        let holding = try HoldingCoding.decode(#"["1",true,"p",[]]"#)
        #expect(holding.autoRenewStatus == true && holding.autoRenewProductId == ProductID("p"))
    }

    @Test func `A holding without spans comes back as it was`() throws {
        let holding = Holding(
            originalTransactionId: OriginalTransactionID("1"), spans: [], autoRenewStatus: nil, autoRenewProductId: nil)
        #expect(HoldingCoding.encode(holding) == #"["1",null,null,[]]"#)
        #expect(try HoldingCoding.decode(#"["1",null,null,[]]"#) == holding)
    }

    @Test(arguments: [
        "", " ", "null", "{}", "[]", "[", "[1,null,null,[]]", #"["1",null,null]"#, #"["1",null,null,[],1]"#,
        #"["1",null,null,{}]"#,
        #"["1","yes",null,[]]"#, #"["1",1,null,[]]"#, #"["1",null,7,[]]"#, #"["1",null,null,[null]]"#, #"["1",null,null,[[]]]"#,
        #"["1",null,null,[[1,2,"p","paid"]]]"#, #"["1",null,null,[[1.5,2,"p","paid","expired"]]]"#,
        #"["1",null,null,[[1,"2","p","paid","expired"]]]"#, #"["1",null,null,[[1,2,"p","stolen","expired"]]]"#,
        #"["1",null,null,[[1,2,"p","paid","bored"]]]"#, #"["1",null,null,[[9223372036854775808,2,"p","paid","expired"]]]"#,
        #"["1",null,null,[[1e400,2,"p","paid","expired"]]]"#, #"["1",null,null,[[1,1e400,"p","paid","expired"]]]"#,
        #"["1",null,null,[[null,2,"p","paid","expired"]]]"#, #"["1",null,null,[]] "# + "x", "[\"\\ud800\",null,null,[]]",
        String(repeating: "[", count: 100_000),
    ])
    func `T33 A text that is no holding is called corrupt and stops nothing`(_ text: String) {
        #expect(throws: StorageError(.corrupt, "")) { try HoldingCoding.decode(text) }
    }

    @Test func `T33 Any change of any byte is read or called corrupt, and stops nothing`() throws {
        let bytes = Array(HoldingCoding.encode(Self.holdings[1]).utf8)
        for index in bytes.indices {
            for byte in [0, 0x22, 0x2C, 0x2D, 0x30, 0x39, 0x5B, 0x5C, 0x5D, 0x65, 0x7B, 0xC3, 0xFF] as [UInt8] {
                var changed = bytes
                changed[index] = byte
                let text = String(decoding: changed, as: UTF8.self)
                do {
                    let holding = try HoldingCoding.decode(text)
                    #expect(try HoldingCoding.decode(HoldingCoding.encode(holding)) == holding, "byte \(index) as \(byte)")
                } catch {
                    #expect(error as? StorageError == StorageError(.corrupt, ""), "byte \(index) as \(byte)")
                }
            }
        }
    }
}
