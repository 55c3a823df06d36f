/// What inspection says about one thing, in both languages that Tenure speaks. Only this room makes one, so that nothing that
/// others wrote is taken for a sentence of ours.
package struct Sentence: Sendable, Hashable {
    /// As `tenure inspect` prints it.
    package let english: String
    /// In Simplified Chinese, with Apple's terms as Apple's Chinese pages have them; names of fields stay as Apple spells them.
    package let chinese: String

    init(_ english: String, _ chinese: String) { (self.english, self.chinese) = (english, chinese) }

    /// What is put around text of others inside a sentence, such as the marks that give it a direction of its own.
    package typealias Quoting = (String) -> String
}
