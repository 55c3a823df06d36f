import Storage
import StorageConformance
import StorageSQLite
import Testing

@Suite struct `Conformance of the SQLite store` {
    @Test(arguments: StorageConformance.behaviours)
    func `The store behaves as every store must`(_ behaviour: Behaviour) async throws {
        try await withDatabase { file in
            try await behaviour.check(try SQLiteStore(path: file.path))
        }
    }

    @Test func `Ids of behaviours are unique`() {
        let ids = StorageConformance.behaviours.map(\.id)
        #expect(Set(ids).count == ids.count)
    }
}
