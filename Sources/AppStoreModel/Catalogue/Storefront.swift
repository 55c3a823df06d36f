/// The country of an account, and what follows from it.
///
/// Source: Apple, `storefront` and `storefrontId`.
package struct Storefront: Sendable, Hashable, SavedAsOne {
    /// Three letters, `USA`.
    package let countryCode: String
    /// Apple's number; nil for a country that is not in our table.
    package let id: String?
    /// ISO 4217; US dollars for a country that is not in our table.
    package let currency: String

    package init(countryCode: String) {
        self.countryCode = countryCode
        (id, currency) = Self.known[countryCode] ?? (nil, "USD")
    }

    /// Three capital letters; nil for anything else.
    package init?(validating text: String) {
        guard text.utf8.count == 3, text.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }) else {
            return nil
        }
        self.init(countryCode: text)
    }

    private static let known: [String: (id: String?, currency: String)] = [
        "USA": ("143441", "USD"), "FRA": ("143442", "EUR"), "DEU": ("143443", "EUR"), "GBR": ("143444", "GBP"),
        "AUT": ("143445", "EUR"), "BEL": ("143446", "EUR"), "FIN": ("143447", "EUR"), "IRL": ("143449", "EUR"),
        "ITA": ("143450", "EUR"), "NLD": ("143452", "EUR"), "PRT": ("143453", "EUR"), "ESP": ("143454", "EUR"),
        "CAN": ("143455", "CAD"), "SWE": ("143456", "SEK"), "NOR": ("143457", "NOK"), "DNK": ("143458", "DKK"),
        "CHE": ("143459", "CHF"), "AUS": ("143460", "AUD"), "NZL": ("143461", "NZD"), "JPN": ("143462", "JPY"),
        "BRA": ("143503", "BRL"), "MEX": ("143468", "MXN"), "POL": ("143478", "PLN"), "TUR": ("143480", "TRY"),
        "IND": ("143467", "INR"), "CHN": ("143465", "CNY"), "KOR": ("143466", "KRW"),
    ]
}
