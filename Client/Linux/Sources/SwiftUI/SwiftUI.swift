// A stand-in for Apple's SwiftUI where there is none: it makes the views and the example compile, so that a word that SwiftUI
// does
// not have, or an argument of another type, is found on Linux. It draws nothing, and proves nothing of Apple's signatures that is
// not on the page which each declaration names, below https://developer.apple.com/documentation.
public import Combine
public import Foundation

// MARK: Views

/// swiftui/view
@MainActor @preconcurrency public protocol View {
    /// swiftui/view/body-swift.associatedtype
    associatedtype Body: View
    /// swiftui/view/body-8kl5o
    @ViewBuilder var body: Body { get }
}

extension View where Body == Never {
    /// swiftui/view/body-8kl5o
    public var body: Never { fatalError("a view of the system is not asked for its body") }
}

extension Never: View {
    /// swiftui/view/body-swift.associatedtype
    public typealias Body = Never
}

/// swiftui/viewbuilder
@resultBuilder public enum ViewBuilder {
    /// swiftui/viewbuilder/buildexpression(_:)
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }

    /// swiftui/viewbuilder/buildblock(_:)
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }

    /// swiftui/viewbuilder/buildblock()
    public static func buildBlock() -> EmptyView { EmptyView() }

    /// swiftui/viewbuilder/buildblock(_:)
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<(repeat each Content)> {
        TupleView((repeat each content))
    }

    /// swiftui/viewbuilder/buildif(_:)
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }

    /// swiftui/viewbuilder/buildeither(first:)
    public static func buildEither<First: View, Second: View>(first: First) -> ConditionalContent<First, Second> { .init() }

    /// swiftui/viewbuilder/buildeither(second:)
    public static func buildEither<First: View, Second: View>(second: Second) -> ConditionalContent<First, Second> { .init() }

    /// swiftui/viewbuilder/buildlimitedavailability(_:)
    public static func buildLimitedAvailability<Content: View>(_ content: Content) -> AnyView { AnyView(content) }
}

/// swiftui/tupleview
public struct TupleView<Content>: View {
    /// swiftui/tupleview/init(_:)
    public nonisolated init(_ value: Content) {}
}

/// swiftui/_conditionalcontent
public struct ConditionalContent<First, Second> {
    nonisolated init() {}
}

extension ConditionalContent: View where First: View, Second: View {
    /// swiftui/view/body-swift.associatedtype
    public typealias Body = Never
}

extension Optional: View where Wrapped: View {
    /// swiftui/view/body-swift.associatedtype
    public typealias Body = Never
}

/// swiftui/anyview
public struct AnyView: View {
    /// swiftui/anyview/init(_:)
    public nonisolated init<Content: View>(_ view: Content) {}
}

/// swiftui/emptyview
public struct EmptyView: View {
    /// swiftui/emptyview/init()
    public nonisolated init() {}
}

/// swiftui/group
public struct Group<Content: View>: View {
    /// swiftui/group/init(content:)
    public init(@ViewBuilder content: () -> Content) {}
}

/// swiftui/vstack
public struct VStack<Content: View>: View {
    /// swiftui/vstack/init(alignment:spacing:content:)
    public init(@ViewBuilder content: () -> Content) {}
}

/// swiftui/hstack
public struct HStack<Content: View>: View {
    /// swiftui/hstack/init(alignment:spacing:content:)
    public init(@ViewBuilder content: () -> Content) {}
}

/// swiftui/spacer
public struct Spacer: View {
    /// swiftui/spacer/init(minlength:)
    public init() {}
}

/// swiftui/foreach
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: View {
    /// swiftui/foreach/init(_:id:content:)
    public init(_ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content) {}
}

/// swiftui/text
public struct Text: View {
    /// swiftui/text/init(_:)
    public init<Words: StringProtocol>(_ content: Words) {}

    /// swiftui/text/init(_:tablename:bundle:comment:)
    public init(_ key: LocalizedStringKey) {}
}

/// swiftui/localizedstringkey
public struct LocalizedStringKey: Equatable, ExpressibleByStringInterpolation {
    /// swiftui/localizedstringkey/init(stringliteral:)
    public init(stringLiteral value: String) {}
}

/// swiftui/button
public struct Button<Label: View>: View {
    /// swiftui/button/init(action:label:)
    public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {}
}

extension Button where Label == Text {
    /// swiftui/button/init(_:action:)
    public init(_ titleKey: LocalizedStringKey, action: @escaping @MainActor () -> Void) {}
}

/// swiftui/textfield
public struct TextField<Label: View>: View {}

extension TextField where Label == Text {
    /// swiftui/textfield/init(_:text:)
    public init(_ titleKey: LocalizedStringKey, text: Binding<String>) {}
}

/// swiftui/link
public struct Link<Label: View>: View {}

extension Link where Label == Text {
    /// swiftui/link/init(_:destination:)
    public init(_ titleKey: LocalizedStringKey, destination: URL) {}
}

// MARK: Modifiers

/// swiftui/viewmodifier
@MainActor @preconcurrency public protocol ViewModifier {
    /// swiftui/viewmodifier/body
    associatedtype Body: View
    /// swiftui/viewmodifier/body(content:)
    @ViewBuilder func body(content: Content) -> Body
    /// swiftui/viewmodifier/content
    typealias Content = ViewModifierContent<Self>
}

/// swiftui/viewmodifier/content
public struct ViewModifierContent<Modifier: ViewModifier>: View {}

/// swiftui/modifiedcontent
public struct ModifiedContent<Content, Modifier> {
    /// swiftui/modifiedcontent/init(content:modifier:)
    public init(content: Content, modifier: Modifier) {}
}

extension ModifiedContent: View where Content: View, Modifier: ViewModifier {
    /// swiftui/view/body-swift.associatedtype
    public typealias Body = Never
}

extension View {
    /// swiftui/view/modifier(_:)
    public nonisolated func modifier<Modifier>(_ modifier: Modifier) -> ModifiedContent<Self, Modifier> {
        ModifiedContent(content: self, modifier: modifier)
    }

    /// swiftui/view/task(priority:_:)
    public nonisolated func task(
        priority: TaskPriority = .userInitiated, @_inheritActorContext _ action: @escaping @Sendable () async -> Void
    ) -> some View { self }

    /// swiftui/view/task(id:priority:_:)
    public nonisolated func task<Value: Equatable>(
        id value: Value, priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: @escaping @Sendable () async -> Void
    ) -> some View { self }

    /// swiftui/view/environmentobject(_:)
    public nonisolated func environmentObject<Model: ObservableObject>(_ object: Model) -> some View { self }

    /// swiftui/view/disabled(_:)
    public nonisolated func disabled(_ disabled: Bool) -> some View { self }
}

/// swiftui/visibility
public enum Visibility: Hashable, Sendable {
    /// swiftui/visibility/automatic
    case automatic
    /// swiftui/visibility/visible
    case visible
    /// swiftui/visibility/hidden
    case hidden
}

// MARK: State

/// swiftui/state
@propertyWrapper public struct State<Value> {
    private final class Box {
        var value: Value
        init(_ value: Value) { self.value = value }
    }

    private let box: Box

    /// swiftui/state/init(wrappedvalue:)
    public init(wrappedValue value: Value) { box = Box(value) }

    /// swiftui/state/wrappedvalue
    public var wrappedValue: Value {
        get { box.value }
        nonmutating set { box.value = newValue }
    }

    /// swiftui/state/projectedvalue
    public var projectedValue: Binding<Value> { Binding(get: { box.value }, set: { box.value = $0 }) }
}

/// swiftui/binding
@propertyWrapper public struct Binding<Value> {
    private let read: () -> Value
    private let write: (Value) -> Void

    /// swiftui/binding/init(get:set:)
    public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) { (read, write) = (get, set) }

    /// swiftui/binding/wrappedvalue
    public var wrappedValue: Value {
        get { read() }
        nonmutating set { write(newValue) }
    }

    /// swiftui/binding/projectedvalue
    public var projectedValue: Binding<Value> { self }
}

/// swiftui/stateobject
@propertyWrapper public struct StateObject<Model: ObservableObject> {
    private let make: () -> Model

    /// swiftui/stateobject/init(wrappedvalue:)
    public init(wrappedValue thunk: @autoclosure @escaping () -> Model) { make = thunk }

    /// swiftui/stateobject/wrappedvalue
    @MainActor @preconcurrency public var wrappedValue: Model { make() }
}

/// swiftui/environmentobject
@propertyWrapper public struct EnvironmentObject<Model: ObservableObject> {
    /// swiftui/environmentobject/init()
    public init() {}

    /// swiftui/environmentobject/wrappedvalue
    @MainActor @preconcurrency public var wrappedValue: Model { fatalError("no view is drawn here") }
}

/// swiftui/environment
@propertyWrapper public struct Environment<Value> {
    private let read: () -> Value

    /// swiftui/environment/init(_:)
    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { read = { EnvironmentValues()[keyPath: keyPath] } }

    /// swiftui/environment/wrappedvalue
    public var wrappedValue: Value { read() }
}

/// swiftui/environmentvalues
public struct EnvironmentValues {
    /// swiftui/environmentvalues/scenephase
    public var scenePhase: ScenePhase { .active }
}

/// swiftui/scenephase
public enum ScenePhase: Comparable, Sendable {
    /// swiftui/scenephase/background
    case background
    /// swiftui/scenephase/inactive
    case inactive
    /// swiftui/scenephase/active
    case active
}

// MARK: Apps

/// swiftui/app
@MainActor @preconcurrency public protocol App {
    /// swiftui/app/body-swift.associatedtype
    associatedtype Body: Scene
    /// swiftui/app/body-swift.property
    @SceneBuilder var body: Body { get }
    /// swiftui/app/init()
    init()
}

extension App {
    /// swiftui/app/main()
    public static func main() { fatalError("no app is run here") }
}

/// swiftui/scene
@MainActor @preconcurrency public protocol Scene {}

/// swiftui/scenebuilder
@resultBuilder public enum SceneBuilder {
    /// swiftui/scenebuilder/buildblock(_:)
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

/// swiftui/windowgroup
public struct WindowGroup<Content: View>: Scene {
    /// swiftui/windowgroup/init(content:)
    public init(@ViewBuilder content: () -> Content) {}
}
