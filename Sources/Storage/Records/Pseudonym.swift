package import Ledger
import Primitives
import StrictJSON

/// What stands in the place of an erased customer's own id from then on (I45).
package struct Pseudonym: Sendable, Hashable {
    package let app: AppID
    /// The id before.
    package let id: CustomerID
    /// The customer's number, which stays.
    package let number: Int64

    package init(of id: CustomerID, app: AppID, number: Int64) { (self.id, self.app, self.number) = (id, app, number) }

    package var name: CustomerID { CustomerNames.erased(number) }

    /// What is to be put in place of what in a JSON text of ours that may name the customer: a member with the id as its value.
    /// Nothing else of a text looks like one of these, since a quotation mark inside a string has a backslash before it.
    package var replacements: [Replacement] {
        get throws {
            // Foundation's encoder writes a slash with a backslash before it, and ours does not.
            let spellings = [try Self.json(id), try StateCoding.encode(id.rawValue)]
            let new = try Self.json(name)
            var replacements: [Replacement] = []
            for old in spellings where !replacements.contains(where: { $0.old.hasSuffix(":\(old)") }) {
                replacements += Self.members.map { Replacement(old: "\"\($0)\":\(old)", new: "\"\($0)\":\(new)") }
                // Of what an event is (`SubjectName`).
                replacements.append(
                    Replacement(old: "\"id\":\(old),\"kind\":\"customer\"", new: "\"id\":\(new),\"kind\":\"customer\""))
            }
            return replacements
        }
    }

    package struct Replacement: Sendable, Hashable {
        package let old: String
        package let new: String
    }

    /// The members of events, of jobs' rows and of what is sent whose value is a customer.
    private static let members = ["customer", "previousCustomer", "from", "into"]

    private static func json(_ id: CustomerID) throws -> String {
        var writer = JSONWriter(reservingCapacity: 64)
        writer.string(id.rawValue)
        return writer.text
    }
}
