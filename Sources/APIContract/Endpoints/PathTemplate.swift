import Primitives

/// The parameters in the path of an endpoint.
package protocol PathParameters: Sendable, Hashable {
    /// Reads the parameters of a request.
    ///
    /// - Parameter value: what stands in the path for a parameter, decoded.
    init(_ value: (PathParameter<Self>) throws(ParameterError) -> String) throws(ParameterError)
}

/// A name in a path template and the property that stands there.
package struct PathParameter<Parameters>: Sendable {
    package let name: String
    fileprivate let value: @Sendable (Parameters) -> String

    package init(_ name: String, _ value: @escaping @Sendable (Parameters) -> String) {
        self.name = name
        self.value = value
    }
}

/// The path of an endpoint with its parameters, such as `"/api/v1/apps/\(.app)/warnings"`. A placeholder is a property of
/// `Parameters`, so none can be left unfilled.
package struct PathTemplate<Parameters: PathParameters>: Sendable, ExpressibleByStringInterpolation {
    fileprivate enum Segment: Sendable {
        case literal(String)
        case parameter(PathParameter<Parameters>)
    }

    private let segments: [Segment]

    package init(stringLiteral text: String) { segments = [.literal(text)] }

    package init(stringInterpolation: Interpolation) { segments = stringInterpolation.segments }

    package struct Interpolation: StringInterpolationProtocol {
        fileprivate var segments: [Segment] = []

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ text: String) { segments.append(.literal(text)) }

        package mutating func appendInterpolation(_ parameter: PathParameter<Parameters>) {
            segments.append(.parameter(parameter))
        }
    }

    /// With the names of the parameters in braces, as OpenAPI and the router write it: `/api/v1/apps/{app}/warnings`.
    package var text: String {
        segments.map { segment in
            switch segment {
            case .literal(let text): text
            case .parameter(let parameter): "{\(parameter.name)}"
            }
        }.joined()
    }

    /// The names of the parameters, in the order of the path.
    package var names: [String] {
        segments.compactMap { segment in
            switch segment {
            case .literal: nil
            case .parameter(let parameter): parameter.name
            }
        }
    }

    /// The path with each parameter in its place, percent-encoded (RFC 3986, section 2.1).
    package func path(_ parameters: Parameters) -> String {
        segments.map { segment in
            switch segment {
            case .literal(let text): text
            case .parameter(let parameter): PercentEncoding.encode(parameter.value(parameters))
            }
        }.joined()
    }
}

/// Why a parameter of a path or a query cannot be read.
package struct ParameterError: Error, Hashable {
    package let name: String
    /// What is wrong with it, to stand after the name: `must be true or false`.
    package let reason: String

    package init(_ name: String, _ reason: String) {
        self.name = name
        self.reason = reason
    }
}
