// StorageSQLite
