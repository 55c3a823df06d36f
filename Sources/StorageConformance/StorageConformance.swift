// StorageConformance
