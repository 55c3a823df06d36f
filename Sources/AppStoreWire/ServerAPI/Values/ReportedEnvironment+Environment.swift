public import Primitives

extension ReportedEnvironment {
    /// The environment, or nil where Apple named one that is not known here.
    public var environment: Environment? { Environment(rawValue: rawValue) }

    /// How an environment is written.
    public init(_ environment: Environment) { self.init(rawValue: environment.rawValue) }
}
