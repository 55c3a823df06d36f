// AppStoreWire
