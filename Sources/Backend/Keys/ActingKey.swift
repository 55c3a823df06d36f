/// The key with which the request came that is being answered: what is kept of it names that key (docs/decisions/0053).
///
/// It belongs to the task and not to the arguments of each use case: every one of them would have to hand it on, and one that
/// forgot would leave an act without a name.
package enum ActingKey {
    /// Nil where no key was shown: what Apple posts, due work, the command line.
    @TaskLocal package static var name: String?

    /// The name of the keys that stand in the configuration file.
    package static let ofFile = "file"

    /// An actor with the key after a slash, where what is kept has no place of its own for it.
    static func signed(_ actor: String) -> String { name.map { "\(actor)/\($0)" } ?? actor }
}
