import Primitives

extension Setup {
    /// `tenure.md`: what `tenure.json` contains and where each value comes from. The configuration is strict JSON, which has no
    /// comments.
    var guideText: String {
        """
        # \(Self.configurationName), explained

        Written by `tenure init \(purpose.rawValue)`; change what you like, then run
        `tenure doctor --config \(Self.configurationName)`. Every member is in docs/operations/configuration.md.

        | member | here | where it comes from |
        | --- | --- | --- |
        \(rows.map { "| `\($0.member)` | \($0.here) | \($0.source) |" }.joined(separator: "\n"))

        `\(Self.keysName)` holds the keys in clear; for a shell: `. ./\(Self.keysName)`. Give the server key and the
        customerTokenSecret to your backend as secrets, and then remove them from that file. All files here are readable by
        their owner alone.

        \(purpose == .local ? localSteps : realSteps)
        """
    }

    /// One line of the table.
    private struct Row {
        let member: String
        let here: String
        let source: String
    }

    private var rows: [Row] {
        let id = appAppleId.map { "\($0)" } ?? (purpose == .local ? "none: Sandbox only" : "not known yet: Sandbox only")
        let common = [
            Row(member: "http.port", here: "\(port)", source: "free to choose; put a proxy with TLS in front of a real server"),
            Row(
                member: "database", here: "`\(Self.databaseName)` in this folder",
                source: "created at the first start; a local disk"
            ),
            Row(member: "apps[].id", here: "`\(app)`", source: "free to choose; part of addresses"),
            Row(
                member: "apps[].bundleId", here: "`\(bundleId)`",
                source: "App Store Connect, Apps, your app, App Information, Bundle ID; Xcode, Signing & Capabilities"),
            Row(
                member: "apps[].appAppleId", here: id,
                source: "App Store Connect, Apps, your app, App Information, Apple ID: a number of about ten digits"),
            Row(
                member: "apps[].environments", here: environments.map(\.rawValue).joined(separator: ", "),
                source: "Production needs the Apple ID; App Review and TestFlight buy in the Sandbox"),
            Row(
                member: "apps[].publicKey, serverKeySHA256, customerTokenSecret", here: "made by `tenure init`",
                source: "`tenure keys` makes new ones"),
            Row(
                member: "apps[].sandboxAccess", here: testers.map { $0.isEmpty ? "nobody yet" : "testers" } ?? "everyone",
                source: "the customer ids of your testers and of the account that you give to App Review; or `\"everyone\"`"),
            Row(
                member: "apps[].products", here: "\(products.count)",
                source: "what each product gives, in your own names; product ids as in App Store Connect, Monetization"),
        ]
        return common + (purpose == .local ? localRows : realRows)
    }

    private var localRows: [Row] {
        [
            Row(
                member: "localAppStore", here: "port \(storePort)",
                source: "your `.storekit` file, and where `tenure simulate --config` keeps its keys and purchases"),
            Row(
                member: "trust", here: "that local App Store's root, and not Apple's",
                source: "`\(Self.authorityName)`; a real server has no `trust` at all"),
            Row(
                member: "clock.file", here: "`\(Self.clockName)`",
                source: "that local App Store's clock, which the server uses; a real server has no `clock`"),
        ]
    }

    private var realRows: [Row] {
        [
            Row(
                member: "apps[].sharedSecrets", here: "none",
                source: "only for notifications of version 1: App Information, App-Specific Shared Secret")
        ]
    }

    private var localSteps: String {
        """
        ## Starting

        ```sh
        tenure simulate --config \(Self.configurationName)    # the local App Store: http://127.0.0.1:\(storePort)/
        tenure serve --config \(Self.configurationName)       # in another terminal
        tenure doctor --config \(Self.configurationName) --url \(address)
        ```

        `\(Self.stateName)` is written when the local App Store ends. Without it the same identifiers are used again:
        remove `\(Self.databaseName)` as well then.

        """
    }

    private var realSteps: String {
        """
        ## Starting

        ```sh
        tenure serve --config \(Self.configurationName)
        tenure doctor --config \(Self.configurationName) --url https://your.host
        ```

        Then App Store Connect, Apps, your app, App Information, App Store Server Notifications: enter
        `https://your.host/api/v1/apps/\(app)/apple/notifications` as Production Server URL and as Sandbox Server URL, version 2.

        ## App Review and TestFlight

        Both make Sandbox purchases, with the build that will be sold. So the server accepts the Sandbox too, and
        `sandboxAccess` admits the account that you give to App Review and your testers; your app asks for their
        entitlements with `?environment=Sandbox`.

        """
    }
}
