package import Backend
package import Primitives

/// Says where a webhook may go: by how its URL is written, and by every address that its name has now.
///
/// Source: TELL-4, T40.
package struct AddressGuard: Sendable {
    /// The ports on which a public receiver may listen.
    package static let ports: Set<Int> = [443, 8443]

    private let allowed: AllowedAddresses
    private let resolver: any NameResolver

    /// - Parameters:
    ///   - allowed: what the configuration allows although it is not public.
    ///   - resolver: asked for the addresses of names.
    package init(allowed: AllowedAddresses, resolver: any NameResolver) {
        self.allowed = allowed
        self.resolver = resolver
    }

    /// Checks how an address is written, without asking any resolver.
    ///
    /// - Throws: a sentence that says what is wrong with it.
    package func form(of text: String) throws(AddressRefusal) -> EndpointURL {
        let url = try EndpointURL(text)
        switch url.host {
        case .address(let address):
            guard allowed.contains(address) else {
                throw AddressRefusal("the host of the address is an IP address; use a name, or allow it in webhooks.allow")
            }
        case .name(let name):
            if allowed.contains(name: name) { return url }
            if name == "localhost" || name.hasSuffix(".localhost") {
                guard allowed.hasRanges else { throw Self.notPublic("of this host") }
            }
            // A range may allow it; which addresses the name has is not known here.
            if !allowed.hasRanges { try Self.checkOrdinary(url) }
        }
        return url
    }

    /// The addresses that may be connected to for this URL, the one to be tried first in front; never none.
    ///
    /// One address of the name that is not allowed refuses them all: which of them is connected to must not be left to chance.
    package func addresses(for url: EndpointURL) async throws(Failure) -> [IPAddress] {
        let name: String
        switch url.host {
        case .address(let address):
            guard allowed.contains(address) else { throw .refused(Self.notPublic("an IP address")) }
            return [address]
        case .name(let host): name = host
        }
        let addresses: [IPAddress]
        do throws(NameFailure) {
            addresses = try await resolver.addresses(of: name)
        } catch {
            throw .name(error)
        }
        guard !addresses.isEmpty else { throw .name(.unknown) }
        if allowed.contains(name: name) || addresses.allSatisfy({ allowed.contains($0) }) { return addresses }
        do throws(AddressRefusal) {
            try Self.checkOrdinary(url)
        } catch {
            throw .refused(error)
        }
        for address in addresses where !allowed.contains(address) {
            if let meaning = SpecialRanges.meaning(of: address) { throw .refused(Self.notPublic(meaning)) }
        }
        return addresses
    }

    /// Releases the resolver.
    func shutdown() async { await resolver.shutdown() }

    /// What holds for everything that no entry of the configuration allows.
    private static func checkOrdinary(_ url: EndpointURL) throws(AddressRefusal) {
        guard url.isSecure else {
            throw AddressRefusal("the address does not begin with https://; webhooks.allow can allow http for a host")
        }
        guard ports.contains(url.port) else {
            throw AddressRefusal("the port of the address is neither 443 nor 8443; webhooks.allow can allow others for a host")
        }
    }

    /// The address itself is left out: whoever writes endpoints must not learn the addresses of a network from it.
    private static func notPublic(_ meaning: String) -> AddressRefusal {
        AddressRefusal("the host of the address has an address that is not public (\(meaning)); webhooks.allow can allow it")
    }

    /// Why no address may be connected to.
    package enum Failure: Error, Sendable, Hashable {
        case refused(AddressRefusal)
        case name(NameFailure)
    }
}
