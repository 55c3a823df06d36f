// APIContract
