// Retention messaging. Each call throws ``ServerAPIRequestError`` for what Apple would refuse; making one sends nothing.

extension ServerAPICall where Response == NoResponseBody {
    /// Uploads an image, a PNG, under a UUID of the caller's; without a size Apple uses its default.
    public static func uploadImage(imageIdentifier: String, imageSize: RetentionImageSize? = nil, png: [UInt8])
        throws(ServerAPIRequestError) -> Self
    {
        try FieldLimits().uuid("imageIdentifier", imageIdentifier)
        return try Self(.uploadImage, [imageIdentifier], query: .optional("imageSize", imageSize?.rawValue), png: png)
    }

    /// Removes an image that no message has.
    public static func deleteImage(imageIdentifier: String) throws(ServerAPIRequestError) -> Self {
        try FieldLimits().uuid("imageIdentifier", imageIdentifier)
        return try Self(.deleteImage, [imageIdentifier])
    }

    /// Uploads a message under a UUID of the caller's.
    public static func uploadMessage(messageIdentifier: String, _ request: UploadMessageRequestBody) throws(ServerAPIRequestError)
        -> Self
    {
        try FieldLimits().uuid("messageIdentifier", messageIdentifier)
        return try Self(.uploadMessage, [messageIdentifier], body: request)
    }

    /// Removes a message.
    public static func deleteMessage(messageIdentifier: String) throws(ServerAPIRequestError) -> Self {
        try FieldLimits().uuid("messageIdentifier", messageIdentifier)
        return try Self(.deleteMessage, [messageIdentifier])
    }

    /// Sets the message of a product in a language.
    public static func configureDefaultMessage(productId: String, locale: String, _ request: DefaultConfigurationRequest)
        throws(ServerAPIRequestError) -> Self
    {
        try Self(.configureDefaultMessage, [productId, locale], body: request)
    }

    /// Removes the message of a product in a language.
    public static func deleteDefaultMessage(productId: String, locale: String) throws(ServerAPIRequestError) -> Self {
        try Self(.deleteDefaultMessage, [productId, locale])
    }

    /// Sets the URL at which Apple asks which message to show; in Production only after a passed performance test.
    public static func configureRealtimeURL(_ request: RealtimeUrlRequest) throws(ServerAPIRequestError) -> Self {
        try Self(.configureRealtimeURL, body: request)
    }

    /// Removes the real-time URL: Apple then asks no more.
    public static func deleteRealtimeURL() throws(ServerAPIRequestError) -> Self {
        try Self(.deleteRealtimeURL)
    }
}

extension ServerAPICall where Response == GetImageListResponse {
    /// The images and the states of their reviews.
    public static func getImageList() throws(ServerAPIRequestError) -> Self {
        try Self(.getImageList)
    }
}

extension ServerAPICall where Response == GetMessageListResponse {
    /// The messages and the states of their reviews.
    public static func getMessageList() throws(ServerAPIRequestError) -> Self {
        try Self(.getMessageList)
    }
}

extension ServerAPICall where Response == DefaultConfigurationResponse {
    /// The message of a product in a language.
    public static func getDefaultMessage(productId: String, locale: String) throws(ServerAPIRequestError) -> Self {
        try Self(.getDefaultMessage, [productId, locale])
    }
}

extension ServerAPICall where Response == RealtimeUrlResponse {
    /// The URL at which Apple asks.
    public static func getRealtimeURL() throws(ServerAPIRequestError) -> Self {
        try Self(.getRealtimeURL)
    }
}

extension ServerAPICall where Response == PerformanceTestResponse {
    /// Begins a performance test of the real-time URL; in Sandbox only.
    public static func initiatePerformanceTest(_ request: PerformanceTestRequest) throws(ServerAPIRequestError) -> Self {
        try Self(.initiatePerformanceTest, body: request)
    }
}

extension ServerAPICall where Response == PerformanceTestResultResponse {
    /// The progress and results of a performance test.
    public static func getPerformanceTestResults(requestId: String) throws(ServerAPIRequestError) -> Self {
        try Self(.getPerformanceTestResults, [requestId])
    }
}
