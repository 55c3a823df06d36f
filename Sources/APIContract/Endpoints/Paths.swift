/// A path below one app.
package protocol AppPathParameters: PathParameters {
    var app: String { get }
}

/// A path below one customer of an app.
package protocol CustomerPathParameters: AppPathParameters {
    var customer: String { get }
}

extension PathParameter where Parameters: AppPathParameters {
    /// The app's id, as the configuration names it.
    package static var app: Self { Self("app") { $0.app } }
}

extension PathParameter where Parameters: CustomerPathParameters {
    /// The customer's id, as the app's backend names them.
    package static var customer: Self { Self("customer") { $0.customer } }
}

/// A path without parameters.
package struct NoPath: PathParameters {
    package init() {}

    package init(_ value: (PathParameter<NoPath>) throws(ParameterError) -> String) throws(ParameterError) {}
}

/// `…/apps/{app}`
package struct AppPath: AppPathParameters {
    package var app: String

    package init(app: String) { self.app = app }

    package init(_ value: (PathParameter<AppPath>) throws(ParameterError) -> String) throws(ParameterError) {
        app = try value(.app)
    }
}

/// `…/apps/{app}/customers/{customer}`
package struct CustomerPath: CustomerPathParameters {
    package var app: String
    package var customer: String

    package init(app: String, customer: String) {
        self.app = app
        self.customer = customer
    }

    package init(_ value: (PathParameter<CustomerPath>) throws(ParameterError) -> String) throws(ParameterError) {
        app = try value(.app)
        customer = try value(.customer)
    }
}

/// `…/customers/{customer}/appAccountTokens/{token}`
package struct AppAccountTokenPath: CustomerPathParameters {
    package var app: String
    package var customer: String
    /// A UUID.
    package var token: String

    package init(app: String, customer: String, token: String) {
        self.app = app
        self.customer = customer
        self.token = token
    }

    package init(_ value: (PathParameter<AppAccountTokenPath>) throws(ParameterError) -> String) throws(ParameterError) {
        app = try value(.app)
        customer = try value(.customer)
        token = try value(.token)
    }
}

extension PathParameter<AppAccountTokenPath> {
    package static var token: Self { Self("token") { $0.token } }
}

/// `…/apps/{app}/subscriptions/{originalTransactionId}`
package struct SubscriptionPath: AppPathParameters {
    package var app: String
    package var originalTransactionId: String

    package init(app: String, originalTransactionId: String) {
        self.app = app
        self.originalTransactionId = originalTransactionId
    }

    package init(_ value: (PathParameter<SubscriptionPath>) throws(ParameterError) -> String) throws(ParameterError) {
        app = try value(.app)
        originalTransactionId = try value(.originalTransactionId)
    }
}

extension PathParameter<SubscriptionPath> {
    package static var originalTransactionId: Self { Self("originalTransactionId") { $0.originalTransactionId } }
}
