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

/// `…/customers/{customer}/…/{id}`: something about a customer under an id that its caller chose.
package struct CustomerIdPath: CustomerPathParameters {
    package var app: String
    package var customer: String
    package var id: String

    package init(app: String, customer: String, id: String) {
        self.app = app
        self.customer = customer
        self.id = id
    }

    package init(_ value: (PathParameter<CustomerIdPath>) throws(ParameterError) -> String) throws(ParameterError) {
        app = try value(.app)
        customer = try value(.customer)
        id = try value(.id)
    }
}

extension PathParameter<CustomerIdPath> {
    package static var id: Self { Self("id") { $0.id } }
}

/// `…/customers/{customer}/…/{transactionId}`: something about a purchase of a customer.
package struct CustomerTransactionPath: CustomerPathParameters {
    package var app: String
    package var customer: String
    package var transactionId: String

    package init(app: String, customer: String, transactionId: String) {
        self.app = app
        self.customer = customer
        self.transactionId = transactionId
    }

    package init(_ value: (PathParameter<CustomerTransactionPath>) throws(ParameterError) -> String) throws(ParameterError) {
        app = try value(.app)
        customer = try value(.customer)
        transactionId = try value(.transactionId)
    }
}

extension PathParameter<CustomerTransactionPath> {
    package static var transactionId: Self { Self("transactionId") { $0.transactionId } }
}

/// `…/customers/{customer}/content/{kind}/{content}`
package struct ContentPath: CustomerPathParameters {
    package var app: String
    package var customer: String
    package var kind: String
    package var content: String

    package init(app: String, customer: String, kind: String, content: String) {
        self.app = app
        self.customer = customer
        self.kind = kind
        self.content = content
    }

    package init(_ value: (PathParameter<ContentPath>) throws(ParameterError) -> String) throws(ParameterError) {
        app = try value(.app)
        customer = try value(.customer)
        kind = try value(.kind)
        content = try value(.content)
    }
}

extension PathParameter<ContentPath> {
    package static var kind: Self { Self("kind") { $0.kind } }
    package static var content: Self { Self("content") { $0.content } }
}

/// `…/{id}`: something of an app under an id that its caller chose.
package struct AppIdPath: AppPathParameters {
    package var app: String
    package var id: String

    package init(app: String, id: String) {
        self.app = app
        self.id = id
    }

    package init(_ value: (PathParameter<AppIdPath>) throws(ParameterError) -> String) throws(ParameterError) {
        app = try value(.app)
        id = try value(.id)
    }
}

extension PathParameter<AppIdPath> {
    package static var id: Self { Self("id") { $0.id } }
}

/// `…/webhookEndpoints/{endpoint}`
package struct WebhookPath: AppPathParameters {
    package var app: String
    package var endpoint: String

    package init(app: String, endpoint: String) {
        self.app = app
        self.endpoint = endpoint
    }

    package init(_ value: (PathParameter<WebhookPath>) throws(ParameterError) -> String) throws(ParameterError) {
        app = try value(.app)
        endpoint = try value(.endpoint)
    }
}

extension PathParameter<WebhookPath> {
    package static var endpoint: Self { Self("endpoint") { $0.endpoint } }
}

/// `…/keys/{key}/…`: a key by its name.
package struct NamedKeyPath: AppPathParameters {
    package var app: String
    package var key: String

    package init(app: String, key: String) {
        self.app = app
        self.key = key
    }

    package init(_ value: (PathParameter<NamedKeyPath>) throws(ParameterError) -> String) throws(ParameterError) {
        app = try value(.app)
        key = try value(.key)
    }
}

extension PathParameter<NamedKeyPath> {
    package static var key: Self { Self("key") { $0.key } }
}

/// `…/subscriptions/{originalTransactionId}/…/{id}`: something about a subscription under an id that its caller chose.
package struct SubscriptionIdPath: AppPathParameters {
    package var app: String
    package var originalTransactionId: String
    package var id: String

    package init(app: String, originalTransactionId: String, id: String) {
        self.app = app
        self.originalTransactionId = originalTransactionId
        self.id = id
    }

    package init(_ value: (PathParameter<SubscriptionIdPath>) throws(ParameterError) -> String) throws(ParameterError) {
        app = try value(.app)
        originalTransactionId = try value(.originalTransactionId)
        id = try value(.id)
    }
}

extension PathParameter<SubscriptionIdPath> {
    package static var originalTransactionId: Self { Self("originalTransactionId") { $0.originalTransactionId } }
    package static var id: Self { Self("id") { $0.id } }
}

/// `…/transactions/{transactionId}/…/{id}`: something about a transaction, of whatever subscription, under an id that its caller
/// chose.
package struct TransactionIdPath: AppPathParameters {
    package var app: String
    package var transactionId: String
    package var id: String

    package init(app: String, transactionId: String, id: String) {
        self.app = app
        self.transactionId = transactionId
        self.id = id
    }

    package init(_ value: (PathParameter<TransactionIdPath>) throws(ParameterError) -> String) throws(ParameterError) {
        app = try value(.app)
        transactionId = try value(.transactionId)
        id = try value(.id)
    }
}

extension PathParameter<TransactionIdPath> {
    package static var transactionId: Self { Self("transactionId") { $0.transactionId } }
    package static var id: Self { Self("id") { $0.id } }
}

/// `…/products/{productId}/…/{id}`: something about a product under an id that its caller chose.
package struct ProductIdPath: AppPathParameters {
    package var app: String
    package var productId: String
    package var id: String

    package init(app: String, productId: String, id: String) {
        self.app = app
        self.productId = productId
        self.id = id
    }

    package init(_ value: (PathParameter<ProductIdPath>) throws(ParameterError) -> String) throws(ParameterError) {
        app = try value(.app)
        productId = try value(.productId)
        id = try value(.id)
    }
}

extension PathParameter<ProductIdPath> {
    package static var productId: Self { Self("productId") { $0.productId } }
    package static var id: Self { Self("id") { $0.id } }
}

/// `…/orders/{orderId}`
package struct OrderPath: AppPathParameters {
    package var app: String
    package var orderId: String

    package init(app: String, orderId: String) {
        self.app = app
        self.orderId = orderId
    }

    package init(_ value: (PathParameter<OrderPath>) throws(ParameterError) -> String) throws(ParameterError) {
        app = try value(.app)
        orderId = try value(.orderId)
    }
}

extension PathParameter<OrderPath> {
    package static var orderId: Self { Self("orderId") { $0.orderId } }
}

/// `…/testNotifications/{testNotificationToken}`
package struct TestNotificationPath: AppPathParameters {
    package var app: String
    package var testNotificationToken: String

    package init(app: String, testNotificationToken: String) {
        self.app = app
        self.testNotificationToken = testNotificationToken
    }

    package init(_ value: (PathParameter<TestNotificationPath>) throws(ParameterError) -> String) throws(ParameterError) {
        app = try value(.app)
        testNotificationToken = try value(.testNotificationToken)
    }
}

extension PathParameter<TestNotificationPath> {
    package static var testNotificationToken: Self { Self("testNotificationToken") { $0.testNotificationToken } }
}
