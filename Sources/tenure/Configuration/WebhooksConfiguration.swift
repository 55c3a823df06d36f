import Backend
import Crypto
import Delivery
import Foundation
import Primitives
import StrictJSON

/// `webhooks` of the configuration file: with what secrets are kept, and which receivers may be private.
struct WebhooksConfiguration {
    /// Encrypt the secrets of endpoints; the first one encrypts, all of them decrypt. Empty: no endpoint can be made.
    var secrets: SecretBox
    /// Receivers that may have private addresses; never by the API (TELL-4).
    var allowed: AllowedAddresses
    /// Certificates of the receivers' own authorities.
    var additionalRoots: [[UInt8]] = []
    /// How long events stay in the log that every endpoint has; nil: for good.
    var keepsEvents: Milliseconds?

    /// Whoever reads the log by pulling has so many days at least.
    static let fewestDays: Int64 = 30

    /// The environment variable in place of the file's keys, with commas between them.
    static let variable = "TENURE_WEBHOOK_SECRET_KEYS"

    /// - Throws: `CommandError` that names the member and what it should be.
    init(in file: JSONFields, environment variables: [String: String]) throws {
        let chosen = try file.fields("webhooks", knowing: ["secretKeys", "allow", "additionalRoots", "keepEventsForDays"])
        let place = chosen?.place("secretKeys") ?? Self.variable
        let texts: [String]
        if let variable = variables[Self.variable] {
            texts = variable.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        } else {
            texts = try chosen?.texts("secretKeys") ?? []
        }
        let keys = try texts.map { text in
            guard let key = Hexadecimal.decode(text), key.count == SecretBox.keyBytes else {
                throw CommandError(
                    """
                    \(place): each is 32 bytes as 64 hexadecimal digits. `openssl rand -hex 32` makes one.
                    """)
            }
            return key
        }
        do throws(SecretBoxError) {
            secrets = try SecretBox(keys: keys)
        } catch {
            throw CommandError("\(place): \(error).")
        }
        let entries = try chosen?.texts("allow") ?? []
        do throws(AddressRefusal) {
            allowed = try AllowedAddresses(entries)
        } catch {
            throw CommandError("webhooks.allow: \(error.description).")
        }
        if let days = try chosen?.integer("keepEventsForDays") {
            guard (Self.fewestDays...36_500).contains(days) else {
                throw CommandError(
                    "webhooks.keepEventsForDays: \(Self.fewestDays) at least; without it events are kept for good.")
            }
            keepsEvents = .days(days)
        }
        for path in try chosen?.texts("additionalRoots") ?? [] {
            guard let data = FileManager.default.contents(atPath: path) else {
                throw CommandError("webhooks.additionalRoots: \(path) cannot be read.")
            }
            additionalRoots.append(Array(data))
        }
    }

    /// Says so where no endpoint can be made.
    func warnWithoutKey() {
        guard !secrets.canSeal else { return }
        Console.complain(
            "warning: webhooks.secretKeys is missing: no endpoint of webhooks can be made. `openssl rand -hex 32` makes one.")
    }

    /// What sends; it must be shut down.
    func courier() throws -> DeliveryCourier {
        var configuration = DeliveryConfiguration()
        configuration.additionalRoots = additionalRoots
        do throws(DeliveryConfigurationError) {
            return try DeliveryCourier(
                configuration, secrets: secrets, addresses: AddressGuard(allowed: allowed, resolver: SystemResolver()),
                clock: MachineClock())
        } catch {
            throw CommandError("webhooks: \(error.description).")
        }
    }
}

extension DeliveryCourier {
    /// With a key that nobody else ever has, for receivers that are this machine by one of these names or addresses.
    static func onThisMachine(_ names: [String]) throws -> DeliveryCourier {
        let key = SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
        let allowed = try AllowedAddresses(names)
        return try DeliveryCourier(
            secrets: SecretBox(keys: [key]), addresses: AddressGuard(allowed: allowed, resolver: SystemResolver()),
            clock: MachineClock())
    }
}
