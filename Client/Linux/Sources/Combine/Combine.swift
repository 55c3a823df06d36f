// A stand-in for Apple's Combine where there is none: what SwiftUI asks of a model, and nothing more. Each declaration names
// Apple's page, below https://developer.apple.com/documentation.

/// combine/observableobject
public protocol ObservableObject: AnyObject {
    /// combine/observableobject/objectwillchangepublisher
    associatedtype ObjectWillChangePublisher = ObservableObjectPublisher
    /// combine/observableobject/objectwillchange-2oa5v
    var objectWillChange: ObjectWillChangePublisher { get }
}

extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
    /// combine/observableobject/objectwillchange-2oa5v
    public var objectWillChange: ObservableObjectPublisher { ObservableObjectPublisher() }
}

/// combine/observableobjectpublisher
public final class ObservableObjectPublisher {}

/// combine/published
@propertyWrapper public struct Published<Value> {
    /// combine/published/init(wrappedvalue:)
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    /// combine/published: what the attribute reads and writes has no page of its own.
    public var wrappedValue: Value
}
