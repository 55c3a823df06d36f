import Ledger
import Primitives
import Storage

/// What the server's catalogue says of tables, to compare those that are there with those that the steps make.
enum CatalogueQueries {
    /// Tables, columns, constraints and indexes of a schema with their definitions, in words that name no schema.
    ///
    /// - Parameter schema: an expression for its OID.
    private static func definitions(of schema: String) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT 'table ' || relname, CASE relpersistence WHEN 'u' THEN 'unlogged' ELSE 'logged' END
            FROM pg_class WHERE relnamespace = \(schema) AND relkind = 'r'
            UNION ALL
            SELECT 'column ' || relname || '.' || attname,
                concat_ws(' ', format_type(atttypid, atttypmod), CASE WHEN attnotnull THEN 'NOT NULL' END,
                    (SELECT 'COLLATE ' || collname FROM pg_collation WHERE pg_collation.oid = attcollation),
                    CASE WHEN attidentity <> '' THEN 'IDENTITY' END, 'DEFAULT ' || pg_get_expr(adbin, adrelid))
            FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
                LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
            WHERE relnamespace = \(schema) AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
            UNION ALL
            SELECT 'constraint of ' || relname || ' ' || pg_get_constraintdef(pg_constraint.oid),
                CASE WHEN convalidated THEN 'valid' ELSE 'not valid' END
            FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
            WHERE relnamespace = \(schema) AND contype IN ('p', 'u', 'f', 'c')
            UNION ALL
            SELECT 'index ' || indexed.relname,
                regexp_replace(pg_get_indexdef(indexrelid), ' ON [^ ]*[.]', ' ON ')
                    || CASE WHEN indisvalid AND indisready THEN '' ELSE ' INVALID' END
            FROM pg_index JOIN pg_class AS indexed ON indexed.oid = indexrelid WHERE indexed.relnamespace = \(schema)
            """)
    }

    /// Of the tables that are in use.
    static let inUse = definitions(of: "current_schema()::regnamespace")
    /// Of those that ``asMade`` has just made.
    static let made = definitions(of: "pg_my_temp_schema()")

    /// Everything that runs by itself when the tables are changed, and how.
    static let triggers = PostgresStatement(
        """
        SELECT 'trigger ' || tgname || ' of ' || relname,
            concat_ws(' ', tgtype, tgenabled, CASE WHEN tgqual IS NOT NULL THEN 'WHEN' END, prosrc)
        FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid JOIN pg_proc ON pg_proc.oid = tgfoid
        WHERE relnamespace = current_schema()::regnamespace AND NOT tgisinternal
        UNION ALL
        SELECT 'rule ' || rulename || ' of ' || tablename, definition FROM pg_rules WHERE schemaname = current_schema()
        """)
}
