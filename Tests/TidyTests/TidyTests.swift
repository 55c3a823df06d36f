import Foundation
import Testing

/// What the house style marks as a test: imports in one direction, sizes, and words that certain rooms may not contain.
@Suite struct TidyTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    struct SourceFile {
        /// Relative to the repository, such as `Sources/Ledger/Rule.swift`.
        let path: String
        let lines: [String]
        /// Lines without comments and without the contents of string literals on one line.
        let code: [(number: Int, text: String)]

        var room: String { path.split(separator: "/").dropFirst().first.map(String.init) ?? "" }
    }

    /// Every file of the three folders, read once for all tests.
    private static let allFiles = Result { try ["Sources", "Tests", "Benchmarks"].flatMap(read) }

    private static func read(_ folder: String) throws -> [SourceFile] {
        // A regular expression is parsed wherever its literal is reached: not in the loop.
        let (literal, comment) = (#/"(?:[^"\\]|\\.)*"/#, #/\/\/.*$/#)
        let base = root.appendingPathComponent(folder)
        let names = FileManager.default.enumerator(atPath: base.path)?.compactMap { $0 as? String } ?? []
        return try names.filter { $0.hasSuffix(".swift") }.sorted().map { name in
            let lines = try String(contentsOf: base.appendingPathComponent(name), encoding: .utf8).components(separatedBy: "\n")
            var code: [(number: Int, text: String)] = []
            var isInText = false
            for (index, line) in lines.enumerated() {
                let isBorder = line.components(separatedBy: "\"\"\"").count == 2
                defer { if isBorder { isInText.toggle() } }
                var text = line
                if isInText || text.trimmingCharacters(in: .whitespaces).hasPrefix("//") { continue }
                if text.utf8.contains(UInt8(ascii: "\"")) { text.replace(literal, with: "\"\"") }
                if text.utf8.contains(UInt8(ascii: "/")) { text.replace(comment, with: "") }
                code.append((index + 1, text))
            }
            return SourceFile(path: "\(folder)/\(name)", lines: lines, code: code)
        }
    }

    /// The files in folders of `Sources`, `Tests` and `Benchmarks`.
    static func files(in folders: String...) throws -> [SourceFile] {
        let all = try allFiles.get()
        return folders.flatMap { folder in all.filter { $0.path.hasPrefix("\(folder)/") } }
    }

    private func complain(_ findings: [String]) {
        for finding in findings { Issue.record("\(finding)") }
    }

    // MARK: Imports

    /// One line of the table of rooms.
    private struct Room {
        let number: Double
        let mayImport: Set<String>
        let mayImportAnything: Bool
    }

    private func rooms() throws -> [String: Room] {
        let page = try String(contentsOf: Self.root.appendingPathComponent("docs/architecture.md"), encoding: .utf8)
        let rows = page.matches(of: #/(?m)^\| ([\d.]+) \| `(\w+)` \| .* \| ([^|]+) \|$/#)
        return Dictionary(
            uniqueKeysWithValues: rows.compactMap { row in
                guard let number = Double(row.output.1) else { return nil }
                let names = row.output.3.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
                return (
                    String(row.output.2), Room(number: number, mayImport: Set(names), mayImportAnything: names == ["anything"])
                )
            })
    }

    @Test func `imports point only where the table of rooms allows, and every room is in the table`() throws {
        let rooms = try rooms()
        #expect(rooms.count >= 14)
        var findings: [String] = []
        let importing = #/^\s*(?:@\S+ )*(?:\w+ )?import (?:struct |class |enum |func )?(\w+)/#
        for file in try Self.files(in: "Sources") {
            guard let room = rooms[file.room] else {
                findings.append("\(file.path): the room \(file.room) is not in docs/architecture.md")
                continue
            }
            for (number, line) in file.code {
                guard line.contains("import "), let match = line.firstMatch(of: importing) else { continue }
                let name = String(match.output.1)
                guard name != "Primitives", !room.mayImportAnything else { continue }
                if !room.mayImport.contains(name) {
                    findings.append("\(file.path):\(number): \(file.room) may not import \(name)")
                }
                if let other = rooms[name], other.number >= room.number {
                    findings.append("\(file.path):\(number): \(file.room) (\(room.number)) imports \(name) (\(other.number))")
                }
            }
        }
        complain(findings)
    }

    // MARK: Sizes

    @Test func `files, lines and parameter lists keep to their sizes`() throws {
        var findings: [String] = []
        for (folder, limit) in [("Sources", 700), ("Tests", 1000), ("Benchmarks", 700)] {
            for file in try Self.files(in: folder) {
                if file.lines.count > limit { findings.append("\(file.path): \(file.lines.count) lines, at most \(limit)") }
                for (index, line) in file.lines.enumerated() where line.count > 130 {
                    findings.append("\(file.path):\(index + 1): \(line.count) characters, at most 130")
                }
            }
        }
        complain(findings)
    }

    /// A function's lines from its `func` or `init` to the brace that closes it.
    private func functions(in file: SourceFile) -> [(name: String, line: Int, length: Int, parameters: Int)] {
        var found: [(String, Int, Int, Int)] = []
        let code = file.code
        let beginning = #/\b(func [^\s(<]+|init[?]?)(?:<[^>]*>)?\(/#
        for (position, entry) in code.enumerated() {
            guard entry.text.contains("func ") || entry.text.contains("init"), let match = entry.text.firstMatch(of: beginning),
                !entry.text.contains(".init("),
                !entry.text.contains("self.init("), !entry.text.contains("super.init(")
            else { continue }
            var depth = 0
            var (hasBody, hasList, parenthesis, parameters) = (false, false, 0, 0)
            var end = entry.number
            scan: for later in code[position...] {
                let text = later.number == entry.number ? String(later.text[match.range.lowerBound...]) : later.text
                for character in text {
                    switch character {
                    case "(": parenthesis += 1
                    case ")":
                        parenthesis -= 1
                        if parenthesis == 0 { hasList = true }
                    case ":" where parenthesis == 1 && !hasList: parameters += 1
                    case "{": (depth, hasBody) = (depth + 1, true)
                    case "}":
                        depth -= 1
                        if depth == 0 && parenthesis == 0 {
                            end = later.number
                            break scan
                        }
                    default: break
                    }
                }
                // A protocol requirement has no body; the next declaration is another one.
                if !hasBody, hasList, later.number > entry.number, later.text.contains("func ") { break }
            }
            found.append((String(match.output.1), entry.number, end - entry.number + 1, parameters))
        }
        return found
    }

    @Test func `no function is longer than 70 lines or takes more than five parameters`() throws {
        var findings: [String] = []
        for file in try Self.files(in: "Sources", "Benchmarks") {
            for function in functions(in: file) {
                if function.length > 70 {
                    findings.append("\(file.path):\(function.line): \(function.name) has \(function.length) lines")
                }
                if function.parameters > 5, function.name.hasPrefix("func") {
                    findings.append("\(file.path):\(function.line): \(function.name) takes \(function.parameters) parameters")
                }
            }
        }
        complain(findings)
    }

    /// Two values in one parameter are two parameters, or a type that has a name.
    @Test func `no parameter is a tuple`() throws {
        let tuple = #/(?:\w\(|, |^\s+(?!let |var ))(?:\w+ )?\w+: \(\w+: [^()]*, \w+: [^()]*\)\??\s*(?:[,)=]|$)/#
        complain(words([(tuple, "a tuple as a parameter")], in: try Self.files(in: "Sources")))
        #expect("init(at times: (asked: Timestamp, heard: Timestamp), holds: [TimeWindow])".contains(tuple))
        #expect(!"init(_ body: (name: String, value: Int) -> Void)".contains(tuple))
    }

    // MARK: Words

    private func words(_ patterns: [(Regex<Substring>, String)], in files: [SourceFile], except: Set<String> = []) -> [String] {
        files.filter { !except.contains($0.path) }.flatMap { file in
            file.code.flatMap { entry in
                patterns.filter { entry.text.firstMatch(of: $0.0) != nil }.map { "\(file.path):\(entry.number): \($0.1)" }
            }
        }
    }

    @Test func `nothing in the product traps on input or swallows an error`() throws {
        let patterns: [(Regex<Substring>, String)] = [
            (#/\btry\?/#, "try? swallows an error"), (#/\btry!/#, "try! traps"), (#/\bas!/#, "as! traps"),
            (#/\bfatalError\(/#, "fatalError traps"),
            (#/\bprecondition(?:Failure)?\(/#, "precondition traps"), (#/catch\s*\{\s*\}/#, "an empty catch swallows an error"),
            (#/@unchecked Sendable/#, "@unchecked Sendable"), (#/nonisolated\(unsafe\)/#, "nonisolated(unsafe)"),
            (#/\bTask\s*\{|Task\.detached/#, "an unstructured Task"), (#/[\w\])]!(?:[\s.,)\]]|$)/#, "a forced unwrap"),
            (#/\bunowned\b/#, "unowned traps"),
        ]
        complain(words(patterns, in: try Self.files(in: "Sources")))
    }

    /// swift-corelibs-foundation #5472.
    @Test func `nobody starts a program through Foundation, whose Process can end this one on Linux`() throws {
        let patterns: [(Regex<Substring>, String)] = [(#/\bProcess\(\)|\bProcess\.run\b/#, "SpawnedProcess starts it")]
        complain(try ["Sources", "Tests", "Benchmarks"].flatMap { words(patterns, in: try Self.files(in: $0)) })
    }

    @Test func `the pure rooms have no clock, randomness, concurrency, logging, global state or Foundation`() throws {
        let patterns: [(Regex<Substring>, String)] = [
            (#/\basync\b/#, "async"), (#/\bactor [A-Z]/#, "an actor"), (#/\bTask\b/#, "Task"), (#/\bLogger\b/#, "logging"),
            (#/\bDate\(\)/#, "the clock"),
            (#/\.now\b/#, "the clock"), (#/\bUUID\(\)/#, "randomness"), (#/\.random\(|RandomNumberGenerator/#, "randomness"),
            (#/\bLocale\b/#, "the locale"), (#/ProcessInfo/#, "the environment"),
            (#/^(?:public |package |internal |private )?var /#, "a global variable"),
            (#/^\s*(?:\w+ )?static var \w+(?:: [^{]+)? =/#, "a global variable"), (#/import Foundation/#, "Foundation"),
            (#/\bprint\(/#, "output"),
        ]
        let pure: Set<String> = ["Primitives", "StrictJSON", "Ledger", "APIContract", "Intake"]
        complain(words(patterns, in: try Self.files(in: "Sources").filter { pure.contains($0.room) }))
    }

    @Test func `names say what a thing is`() throws {
        let patterns: [(Regex<Substring>, String)] = [
            (#/\b(?:class|struct|enum|actor|protocol) \w*(?:Manager|Helper|Util|Utils)\b/#, "a name without a meaning"),
            (#/\bvar isActive\s*(?::\s*Bool)?\s*(?:=|$)/#, "a stored isActive"),
        ]
        // Answers about an instant carry the requested Bool.
        complain(
            words(patterns, in: try Self.files(in: "Sources"), except: ["Sources/APIContract/Bodies/EntitlementsBody.swift"]))
    }

    /// Names that types of two rooms share, and why.
    private static let sharedNames = [
        "AppAccountToken": "Apple's word for one thing: the public library keeps it as it was signed, the ledger only as a UUID"
    ]

    @Test func `a type's name means one thing in the whole package`() throws {
        let modifiers = "(?:(?:package|public|internal|final|indirect|nonisolated) |@\\w+(?:\\([^)]*\\))? )*"
        let declaration = try Regex(
            "^\(modifiers)(?:struct|class|enum|actor|protocol|typealias) (\\w+)", as: (Substring, Substring).self)
        var homes: [String: Set<String>] = [:]
        for file in try Self.files(in: "Sources") {
            for (_, line) in file.code {
                guard let name = line.firstMatch(of: declaration)?.output.1 else { continue }
                homes[String(name), default: []].insert(file.room)
            }
        }
        #expect(homes.count > 800)
        // The two stores send their databases the same queries, each in its own SQL, and neither imports the other.
        let double = homes.filter { name, rooms in
            rooms.count > 1 && !(name.hasSuffix("Queries") && rooms == ["StorageSQLite", "StoragePostgres"])
        }
        complain(
            double.filter { Self.sharedNames[$0.key] == nil }
                .map { "\($0.key) is a type in \($0.value.sorted().joined(separator: " and in "))" })
        #expect(Set(Self.sharedNames.keys).isSubset(of: double.keys), "a name that occurs once is allowed twice")
    }

    /// A refusal's status is in the error table, an answer's in the contract; one file makes responses from both.
    @Test func `only the error table knows statuses of refusals`() throws {
        let patterns: [(Regex<Substring>, String)] = [
            (#/\bHTTPError\(/#, "an error with a status of its own"), (#/(?i)\bstatus\w*\W{1,5}[1-5]\d\d\b/#, "a status"),
            (#/\bResponse\(status|\bStatus\(code|\.init\(code/#, "a response that is made here"),
            (#/\.(?:badRequest|unauthorized|forbidden|notFound|tooManyRequests)\b/#, "a status"),
        ]
        let allowed: Set<String> = [
            "Sources/APIContract/Problems/ProblemKind.swift", "Sources/APIContract/Bodies/Bodies.swift",
            "Sources/Server/Problems/ErrorMapping.swift", "Sources/Server/Faces/Response+Answer.swift",
            // Recognises the framework's own answers.
            "Sources/Server/Problems/ParserProblems.swift",
        ]
        let faces: Set<String> = ["Server", "NativeFace", "APIContract", "Backend"]
        let found = words(patterns, in: try Self.files(in: "Sources").filter { faces.contains($0.room) }, except: allowed)
        complain(found)
        let mapping = try Self.files(in: "Sources/Server/Problems").filter { $0.path.hasSuffix("ErrorMapping.swift") }
        #expect(mapping.count == 1)
        complain(words([(#/\b[1-5]\d\d\b/#, "a status beside the error table")], in: mapping))
    }

    @Test func `SQL is only in the queries and the schema, and never reads the time`() throws {
        let files = try Self.files(in: "Sources").filter { !["StorageSQLite", "StoragePostgres"].contains($0.room) }
        let statement = #/"(?:SELECT|INSERT|UPDATE|DELETE) /#
        complain(
            files.flatMap { file in
                file.lines.enumerated().filter { $0.element.contains(statement) }
                    .map { "\(file.path):\($0.offset + 1): SQL outside the store" }
            })
        let timeOfSQL =
            #/CURRENT_TIMESTAMP|LOCALTIMESTAMP|datetime\(|strftime\(|unixepoch\(|[^.\w]now\(\)|_timestamp\(|timeofday\(/#
        let store = try Self.files(in: "Sources/StorageSQLite", "Sources/StoragePostgres")
        complain(
            store.flatMap { file in
                file.lines.enumerated().filter { $0.element.contains(timeOfSQL) }
                    .map { "\(file.path):\($0.offset + 1): SQL asks for the time" }
            })
    }

    // MARK: Stores

    /// A change of one store finds its counterpart in the other at the same place.
    @Test func `both stores have the same files, with the same functions in the order of the protocol`() throws {
        let protocols = [
            "Answers": "AnsweringStore", "Work": "WorkStore", "Jobs": "JobStore", "Pages": "PagingStore", "Proof": "ProvingStore",
            "Log": "LogStore", "Signals": "SignalStore", "Webhooks": "WebhookStore", "Offers": "OfferStore",
            "Keys": "KeyStore", "Idempotency": "IdempotencyStore", "Operators": "OperatorStore", "Erasure": "ErasingStore",
            "Listing": "ListingStore",
        ]
        for (part, name) in protocols {
            let wanted = try functions(of: "Sources/Storage/Store/\(name).swift", in: "protocol ")
            #expect(!wanted.isEmpty)
            for (room, store) in [("StorageSQLite", "SQLiteStore"), ("StoragePostgres", "PostgresStore")] {
                #expect(
                    try functions(of: "Sources/\(room)/Store/\(store)+\(part).swift", in: "extension ") == wanted,
                    "\(store)+\(part)")
            }
        }
        let parts =
            [
                "Deciding": ["Deciding"], "Settings": ["Settings"], "Job": ["Job"], "Work": ["Ordering", "Work"],
                "Budget": ["Budget"], "Sweep": ["Sweep"], "AppleRequest": ["AppleRequest"], "Offer": ["Offer"],
                "Forwarding": ["Forwarding"], "Signal": ["Signal"], "Log": ["Log"], "Webhook": ["Webhook"], "Key": ["Key"],
                "Idempotency": ["Idempotency"], "Sealing": ["Sealing"], "Erasing": ["Erasing"], "Operator": ["Operator"],
            ] as KeyValuePairs
        let wanted = try parts.flatMap { file, names in
            try names.flatMap {
                try functions(of: "Sources/Storage/Store/\(file)Transaction.swift", in: "protocol \($0)Transaction")
            }
        }
        #expect(wanted.count > 15)
        for file in ["StorageSQLite/Store/SQLiteTransaction", "StoragePostgres/Store/PostgresTransaction"] {
            let known = try ["", "+Told", "+Operators"].flatMap { try functions(of: "Sources/\(file)\($0).swift", in: "") }
                .filter(Set(wanted).contains)
            #expect(known == wanted, "\(file)")
        }
        let queries = try ["StorageSQLite", "StoragePostgres"].map { room in
            Set(try Self.files(in: "Sources/\(room)/Queries").map { String($0.path.split(separator: "/").last ?? "") })
        }
        // Only PostgreSQL has a session, a schema and a catalogue to query.
        let more: Set = ["SessionQueries.swift", "SchemaQueries.swift", "CatalogueQueries.swift"]
        #expect(queries[0].union(more) == queries[1])
    }

    /// Only an answer of a single column has a place instead of a name (decision 0032).
    @Test func `rows are read by the names of their columns`() throws {
        let allowed = [
            // What the databases say of themselves.
            "SQLiteSchema.swift", "SchemaQueries.swift", "SessionQueries.swift", "ProofQueries.swift",
            // The one query that every screen waits for has readers of its own.
            "HoldingReaders.swift",
        ]
        let files = try Self.files(in: "Sources/StorageSQLite", "Sources/StoragePostgres").filter { file in
            !allowed.contains { file.path.hasSuffix("/\($0)") }
        }
        #expect(files.count > 30)
        let place = #/\.(?:integer|text|utf8|bytes|bool|isNull|optional[A-Z]\w*)\([1-9]/#
        complain(
            files.flatMap { file in
                file.code.filter { $0.text.contains(place) }.map { "\(file.path):\($0.number): a column is read by its place" }
            })
    }

    /// The functions that a file declares, from the first line with the word, each with its labels.
    private func functions(of path: String, in word: String) throws -> [String] {
        let text = try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
        let beginning = word.isEmpty ? text.startIndex : text.firstRange(of: word)?.lowerBound ?? text.endIndex
        let rest = text[beginning...]
        let part = String(rest[..<(rest.firstRange(of: "\n}\n")?.lowerBound ?? rest.endIndex)])
        return part.matches(
            of: #/(?m)^    (?:package )?(?:mutating )?func (\w+)(?:<[^>]*>)?\(([^{]*?)\)(?: async)?(?: throws| ->|$)/#
        )
        .map { match in
            let labels = match.output.2.split(separator: ",").compactMap { parameter in
                parameter.split(separator: ":").first?.split(whereSeparator: \.isWhitespace).first.map(String.init)
            }
            return "\(match.output.1)(\(labels.joined(separator: ":")))"
        }
    }

    // MARK: Pages

    @Test func `every built rule has a mutation, and every mutation belongs to a built rule`() throws {
        let page = try String(contentsOf: Self.root.appendingPathComponent("docs/rules.md"), encoding: .utf8)
        let built = Set(page.matches(of: #/(?m)^\| ([A-Z]+-\d+) \| built \|/#).map { String($0.output.1) })
        let folder = Self.root.appendingPathComponent("Tests/Mutations")
        let mutations = try FileManager.default.contentsOfDirectory(atPath: folder.path).map { $0.replacing(".patch", with: "") }
        // The first of a rule bears its id alone, each other one a word more.
        #expect(built == Set(mutations.filter { !$0.contains(".") }))
        #expect(built.isSuperset(of: mutations.map { String($0.prefix { $0 != "." }) }))
        #expect(built.count >= 25)
    }

    @Test func `every built rule has a door, or says what will open it`() throws {
        func page(_ name: String) throws -> String {
            try String(contentsOf: Self.root.appendingPathComponent("docs/\(name)"), encoding: .utf8)
        }
        let built = try page("rules.md").matches(of: #/(?m)^\| ([A-Z]+-\d+) \| built \|/#).map { String($0.output.1) }
        let rows = try page("doors.md").matches(of: #/(?m)^\| ([A-Z]+-\d+) \| (.+) \| (.+) \|$/#)
        #expect(rows.map { String($0.output.1) }.sorted() == built.sorted())
        let operations = Set(try page("openapi.json").matches(of: #/"operationId":"(\w+)"/#).map { String($0.output.1) })
        let places = ["Peers", "LedgerTests", "BackendTests"].map { Self.root.appendingPathComponent("Tests/\($0)").path }
        let files = Set(try places.flatMap { try FileManager.default.contentsOfDirectory(atPath: $0) })
        for row in rows {
            let doors = row.output.2.matches(of: #/`([^`]+)`/#).map { String($0.output.1) }
            #expect(!doors.isEmpty || row.output.2.contains("planned: "), "\(row.output.1) has no door")
            // A command, a query's name, a member of the configuration, or an operation.
            let members = ["products", "apple", "wall", "offers", "signals"].map { "apps[].\($0)" }
            let named = doors.filter { !$0.hasPrefix("tenure ") && !(["environment", "at"] + members).contains($0) }
            #expect(operations.isSuperset(of: named), "\(row.output.1) names \(named)")
            let shown = row.output.3.matches(of: #/`([^`]+)`/#).map { String($0.output.1) }
            #expect(!shown.isEmpty && files.isSuperset(of: shown), "\(row.output.1) is shown by \(shown)")
        }
    }

    @Test func `every rule that the code cites is on the page of rules`() throws {
        let page = try String(contentsOf: Self.root.appendingPathComponent("docs/rules.md"), encoding: .utf8)
        let known = Set(page.matches(of: #/(?m)^\| ([A-Z]+-\d+) \|/#).map { String($0.output.1) })
        let cited = try Self.files(in: "Sources").flatMap { file in
            file.lines.joined(separator: "\n").matches(of: #/\b((?:FACT|PER|OWN|ENT|LIC|WALL|RECON|ABUSE|AUDIT|DEV)-\d+)\b/#).map
            { ($0.output.1, file.path) }
        }
        #expect(cited.count > 100)
        complain(cited.filter { !known.contains(String($0.0)) }.map { "\($0.1) cites \($0.0), which is not a rule" })
    }

    @Test func `what every table keeps of a person is on the page of privacy`() throws {
        let page = try String(contentsOf: Self.root.appendingPathComponent("docs/privacy.md"), encoding: .utf8)
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }.flatMap { row in
            String(row.dropFirst(2).prefix { $0 != "|" }).matches(of: #/`(\w+)`/#).map { String($0.output.1) }
        }
        let schema = try Self.files(in: "Sources/StorageSQLite").flatMap { file in
            file.lines.joined(separator: "\n").matches(of: #/CREATE TABLE (\w+) ?\(/#).map { String($0.output.1) }
        }
        let tables = Set(schema).subtracting(["schemaVersion"])
        #expect(tables.count > 30)
        complain(tables.subtracting(rows).sorted().map { "\($0) is a table that docs/privacy.md does not name" })
        let others: Set = ["appAccountToken", "originalTransactionId", "transactionId", "webOrderLineItemId", "appTransactionId"]
        complain(
            Set(rows).subtracting(tables).subtracting(others).sorted().map { "docs/privacy.md names \($0), which is no table" })
    }

    @Test func `every decision that is cited has a record`() throws {
        let records = try FileManager.default.contentsOfDirectory(
            atPath: Self.root.appendingPathComponent("docs/decisions").path
        ).map { String($0.prefix(4)) }
        let cited = try Self.files(in: "Sources", "Tests", "Benchmarks").flatMap { file in
            file.lines.joined(separator: " ").matches(of: #/\bdecisions? (\d{4})/#).map { ($0.output.1, file.path) }
        }
        #expect(cited.count > 30)
        complain(cited.filter { !records.contains(String($0.0)) }.map { "\($0.1) cites decision \($0.0), which has no record" })
    }

    @Test func `the state diagram of the ledger names exactly the states that there are`() throws {
        let page = try String(
            contentsOf: Self.root.appendingPathComponent("Sources/Ledger/Ledger.docc/Ledger.md"), encoding: .utf8)
        let drawn = Set(page.matches(of: #/(?m)^[ │]*\[(\w+)\]/#).map { String($0.output.1) })
        let code = try String(
            contentsOf: Self.root.appendingPathComponent("Sources/Ledger/SubscriptionStatus.swift"), encoding: .utf8)
        let states = Set(code.matches(of: #/(?m)^        case \.\w+: "(\w+)"$/#).map { String($0.output.1) })
        #expect(states.count == 8)
        #expect(drawn == states)
    }

    @Test func `every example in the documentation of the wire library is one that a test compiles and runs`() throws {
        func plain(_ text: some StringProtocol) -> String {
            text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
        }
        let tests = Self.root.appendingPathComponent("Tests/AppStoreWireTests/DocumentationExamples.swift")
        let compiled = plain(try String(contentsOf: tests, encoding: .utf8))
        let folder = Self.root.appendingPathComponent("Sources/AppStoreWire/AppStoreWire.docc")
        var examples = 0
        for page in try FileManager.default.contentsOfDirectory(atPath: folder.path) where page.hasSuffix(".md") {
            let text = try String(contentsOf: folder.appendingPathComponent(page), encoding: .utf8)
            for example in text.matches(of: #/(?s)```swift\n(.*?)```/#) {
                examples += 1
                if !compiled.contains(plain(example.output.1)) { Issue.record("\(page): \(example.output.1)") }
            }
        }
        #expect(examples >= 8)
    }

    @Test func `no page or source names a path of a developer's machine`() throws {
        let names = FileManager.default.enumerator(atPath: Self.root.path)?.compactMap { $0 as? String } ?? []
        let kept = names.filter { name in
            !name.hasPrefix(".") && !name.contains("/.")
                && [".md", ".swift", ".py", ".sh", ".yml", "Makefile"].contains { name.hasSuffix($0) }
        }
        let forbidden = ["work", "root", "home"].map { "/\($0)/" }
        for name in kept {
            let text = try String(contentsOf: Self.root.appendingPathComponent(name), encoding: .utf8)
            for word in forbidden where text.contains(word) { Issue.record("\(name) names \(word)") }
        }
    }
}
