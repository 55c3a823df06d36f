import AppStoreWire

// One sentence for each reason to refuse something: what the stable code means. What to do about it says `Advice`.

// MARK: Of inspection itself

extension Sentence {
    fileprivate static let notRecognised = Sentence(
        "It is nothing that Apple makes, in any known form.",
        "它不是 Apple 制作的任何已知形式的内容。")
    fileprivate static let unreadable = Sentence(
        "It cannot be read at all.",
        "完全无法读取。")
    fileprivate static let contentNotSigned = Sentence(
        "It was read, and nobody signed it.",
        "已读取，但没有任何人签名。")
    fileprivate static let nothingSigned = Sentence(
        "It was read, and nothing in it is signed.",
        "已读取，但其中没有任何经过签名的内容。")
    fileprivate static let issuerNotProved = Sentence(
        "The signature holds, by a certificate that nobody vouches for.",
        "签名有效，但没有人为其证书担保。")
    fileprivate static let environmentNotSigned = Sentence(
        "An environment is expected, and this kind of receipt does not sign one.",
        "要求了环境，而这种收据不对环境签名。")
    fileprivate static let noReceipt = Sentence(
        "There is something else in the place of a receipt.",
        "应为收据之处是别的内容。")
    fileprivate static let keyMissing = Sentence(
        "A server signed it, and there is no key to verify it with.",
        "它由服务器签名，而没有可用来核验的密钥。")
}

// MARK: Form of a JWS or of a body

extension Sentence {
    fileprivate static let bodyUnreadable = Sentence(
        "The body is too long, is not strict JSON, or lacks the text that should be in it.",
        "正文过长，不是严格的 JSON，或缺少应有的文本。")
    fileprivate static let tooLong = Sentence(
        "It is longer than anything that Apple sends.",
        "它比 Apple 发送的任何内容都长。")
    fileprivate static let notThreeParts = Sentence(
        "It does not have three parts with two full stops between them.",
        "它不是由两个句点分隔的三个部分。")
    fileprivate static let headerTooLong = Sentence(
        "The first part is longer than any header of Apple's.",
        "第一部分比 Apple 的任何头部都长。")
    fileprivate static let headerNotBase64URL = Sentence(
        "The first part is not base64url.",
        "第一部分不是 base64url。")
    fileprivate static let headerNotJSON = Sentence(
        "The first part is not a JSON object.",
        "第一部分不是 JSON 对象。")
    fileprivate static let algorithmNotES256 = Sentence(
        "The header names another algorithm than ES256.",
        "头部指明的算法不是 ES256。")
    fileprivate static let headerParameterNotAllowed = Sentence(
        "The header has a parameter that the App Store does not write.",
        "头部含有 App Store 不会写的参数。")
    fileprivate static let signatureNotBase64URL = Sentence(
        "The third part is not base64url.",
        "第三部分不是 base64url。")
    fileprivate static let signatureLengthWrong = Sentence(
        "The third part does not have the length of an ES256 signature.",
        "第三部分的长度不是 ES256 签名的长度。")
    fileprivate static let payloadNotBase64URL = Sentence(
        "The second part is not base64url.",
        "第二部分不是 base64url。")
    fileprivate static let payloadNotJSON = Sentence(
        "The second part is not a JSON object.",
        "第二部分不是 JSON 对象。")
}

// MARK: Form of a receipt

extension Sentence {
    fileprivate static let notBase64 = Sentence(
        "The text is not base64.",
        "文本不是 base64。")
    fileprivate static let notDER = Sentence(
        "The bytes are not one DER value.",
        "字节不是一个 DER 值。")
    fileprivate static let trailingBytes = Sentence(
        "More bytes follow the end of the receipt.",
        "收据结束之后还有字节。")
    fileprivate static let notPropertyList = Sentence(
        "It does not have the layout of a transaction receipt from before iOS 7.",
        "它没有 iOS 7 之前的交易收据的布局。")
    fileprivate static let signatureMalformed = Sentence(
        "The signature of the transaction receipt does not have Apple's layout.",
        "交易收据的签名没有 Apple 的布局。")
    fileprivate static let receiptNotSigned = Sentence(
        "It is the content of a receipt, without the PKCS#7 that would prove it.",
        "它是收据的内容，缺少能证明它的 PKCS#7。")
    fileprivate static let notSignedData = Sentence(
        "It is not a PKCS#7 of signed data with its content inside.",
        "它不是内含内容的已签名数据的 PKCS#7。")
    fileprivate static let signerCountNotOne = Sentence(
        "It does not have exactly one signer.",
        "签名者不是恰好一个。")
    fileprivate static let algorithmNotAllowed = Sentence(
        "The signature is not RSA with SHA-1 or SHA-256.",
        "签名不是使用 SHA-1 或 SHA-256 的 RSA。")
    fileprivate static let signerAttributesNotAllowed = Sentence(
        "The signature has attributes, and Apple writes none.",
        "签名带有属性，而 Apple 从不写属性。")
    fileprivate static let tooManyElements = Sentence(
        "It has more elements than any receipt of Apple's.",
        "其元素多于 Apple 的任何收据。")
    fileprivate static let tooManyCertificates = Sentence(
        "It has more certificates than Apple sends.",
        "其证书多于 Apple 所发送的。")
}

// MARK: Certificates

extension Sentence {
    fileprivate static let chainMissing = Sentence(
        "The certificates that would prove it are missing.",
        "缺少能证明它的证书。")
    fileprivate static let chainLengthNotThree = Sentence(
        "It does not have the three certificates that Apple sends.",
        "它没有 Apple 所发送的三份证书。")
    fileprivate static let certificateTooLong = Sentence(
        "A certificate is longer than any of Apple's.",
        "有一份证书比 Apple 的任何证书都长。")
    fileprivate static let certificateNotBase64 = Sentence(
        "A certificate is not base64.",
        "有一份证书不是 base64。")
    fileprivate static let certificateMalformed = Sentence(
        "A certificate cannot be read.",
        "有一份证书无法读取。")
    fileprivate static let rootNotTrusted = Sentence(
        "Its certificates end in a root that is not trusted here.",
        "其证书链终止于此处不信任的根证书。")
    fileprivate static let leafDistrusted = Sentence(
        "The signer's certificate was declared as no longer trusted.",
        "签名者的证书已被声明为不再可信。")
    fileprivate static let leafMarkerMissing = Sentence(
        "The signer's certificate lacks Apple's mark for receipt signing.",
        "签名者的证书缺少 Apple 的收据签名标记。")
    fileprivate static let intermediateMarkerMissing = Sentence(
        "The intermediate certificate lacks Apple's mark.",
        "中间证书缺少 Apple 的标记。")
    fileprivate static let leafIsCA = Sentence(
        "The signer's certificate says that it may issue certificates.",
        "签名者的证书声称可以颁发证书。")
    fileprivate static let intermediateNotCA = Sentence(
        "The intermediate certificate does not say that it may issue certificates.",
        "中间证书没有声明可以颁发证书。")
    fileprivate static let leafUsageNotSignature = Sentence(
        "The signer's key may not be used for signatures.",
        "签名者的密钥不得用于签名。")
    fileprivate static let leafKeyNotP256 = Sentence(
        "The signer's key is not on P-256.",
        "签名者的密钥不在 P-256 上。")
    fileprivate static let leafKeyNotRSA = Sentence(
        "The signer's key is not RSA of 2048 bits or more.",
        "签名者的密钥不是 2048 位以上的 RSA。")
    fileprivate static let chainNeverValid = Sentence(
        "There is no instant at which all its certificates are valid.",
        "没有任何时刻其全部证书同时有效。")
    fileprivate static let chainInvalid = Sentence(
        "A certificate was not issued by the next one, or breaks another rule of RFC 5280.",
        "有一份证书不是由下一份颁发的，或违反 RFC 5280 的其他规则。")
}

// MARK: Signature, content, date, app

extension Sentence {
    fileprivate static let signatureInvalid = Sentence(
        "The signature does not match these bytes.",
        "签名与这些字节不符。")
    fileprivate static let wrongKind = Sentence(
        "It is not of the kind that belongs there.",
        "它不是应在此处的种类。")
    fileprivate static let fieldMissing = Sentence(
        "A required field is missing.",
        "缺少必需的字段。")
    fileprivate static let fieldInvalid = Sentence(
        "A field has another type than Apple documents, or an impossible value.",
        "某个字段的类型与 Apple 的文档不符，或值不可能存在。")
    fileprivate static let contentMalformed = Sentence(
        "The content is not a set of attributes.",
        "内容不是一组属性。")
    fileprivate static let attributeDuplicated = Sentence(
        "An attribute that may occur once occurs twice.",
        "只可出现一次的属性出现了两次。")
    fileprivate static let attributeMissing = Sentence(
        "A required attribute is missing.",
        "缺少必需的属性。")
    fileprivate static let attributeInvalid = Sentence(
        "An attribute has another type than Apple documents, or an impossible value.",
        "某个属性的类型与 Apple 的文档不符，或值不可能存在。")
    fileprivate static let dateOutsideChain = Sentence(
        "It was signed when one of its certificates was not valid.",
        "签名时其某份证书并不有效。")
    fileprivate static let dateInFuture = Sentence(
        "It was signed later than now, by the clock here.",
        "按此处的时钟，其签名时间晚于现在。")
    fileprivate static let wrongBundleId = Sentence(
        "It is of another app.",
        "它属于另一个 App。")
    fileprivate static let wrongAppAppleId = Sentence(
        "It is of an app with another Apple ID.",
        "它属于 Apple ID 不同的 App。")
    fileprivate static let wrongEnvironment = Sentence(
        "It is of an environment that is not accepted here, or that its signer does not vouch for.",
        "它所属的环境在此不被接受，或其签名者不为该环境担保。")
    fileprivate static let renewalInfoNotOfTransaction = Sentence(
        "The renewal info and the transaction beside it are of different subscriptions.",
        "续订信息与旁边的交易属于不同的订阅。")
}

// MARK: Unsigned bodies

extension Sentence {
    fileprivate static let receiptEmpty = Sentence(
        "The receipt that should be sent is empty.",
        "应发送的收据为空。")
    fileprivate static let receiptNotBase64 = Sentence(
        "The receipt that should be sent is not base64 in the standard alphabet, padded, in one line.",
        "应发送的收据不是标准字母表、带填充、在一行之内的 base64。")
    fileprivate static let httpStatusNotOK = Sentence(
        "The answer came with another HTTP status than 200.",
        "答复的 HTTP 状态不是 200。")
    fileprivate static let notAnObject = Sentence(
        "It is JSON, but not an object, or an element of a list is not one.",
        "它是 JSON，但不是对象，或列表中有元素不是对象。")
    fileprivate static let statusInvalid = Sentence(
        "status is missing or is not a number.",
        "缺少 status，或它不是数字。")
    fileprivate static let environmentContradicted = Sentence(
        "The environment that it states is not that of the host that answered.",
        "它所声明的环境不是答复主机的环境。")
}

// MARK: Codes

extension InspectionCode {
    /// What it means.
    var sentence: Sentence {
        switch self {
        case .notRecognised: .notRecognised
        case .unreadable: .unreadable
        case .notSigned: .contentNotSigned
        case .nothingSigned: .nothingSigned
        case .issuerNotProved: .issuerNotProved
        case .environmentNotSigned: .environmentNotSigned
        case .noReceipt: .noReceipt
        case .keyMissing: .keyMissing
        }
    }
}

extension JWSRefusal.Code {
    /// What it means.
    var sentence: Sentence {
        switch self {
        case .bodyUnreadable: .bodyUnreadable
        case .jwsTooLong: .tooLong
        case .notThreeParts: .notThreeParts
        case .headerTooLong: .headerTooLong
        case .headerNotBase64URL: .headerNotBase64URL
        case .headerNotJSON: .headerNotJSON
        case .algorithmNotES256: .algorithmNotES256
        case .headerParameterNotAllowed: .headerParameterNotAllowed
        case .chainMissing: .chainMissing
        case .chainLengthNotThree: .chainLengthNotThree
        case .certificateTooLong: .certificateTooLong
        case .certificateNotBase64: .certificateNotBase64
        case .rootNotTrusted: .rootNotTrusted
        case .certificateMalformed: .certificateMalformed
        case .leafDistrusted: .leafDistrusted
        case .leafMarkerMissing: .leafMarkerMissing
        case .intermediateMarkerMissing: .intermediateMarkerMissing
        case .leafIsCA: .leafIsCA
        case .intermediateNotCA: .intermediateNotCA
        case .leafUsageNotSignature: .leafUsageNotSignature
        case .leafKeyNotP256: .leafKeyNotP256
        case .chainNeverValid: .chainNeverValid
        case .chainInvalid: .chainInvalid
        case .signatureNotBase64URL: .signatureNotBase64URL
        case .signatureLengthWrong: .signatureLengthWrong
        case .signatureInvalid: .signatureInvalid
        case .payloadNotBase64URL: .payloadNotBase64URL
        case .payloadNotJSON: .payloadNotJSON
        case .wrongKind: .wrongKind
        case .fieldMissing: .fieldMissing
        case .fieldInvalid: .fieldInvalid
        case .signedDateOutsideChain: .dateOutsideChain
        case .signedDateInFuture: .dateInFuture
        case .wrongBundleId: .wrongBundleId
        case .wrongEnvironment: .wrongEnvironment
        case .wrongAppAppleId: .wrongAppAppleId
        case .renewalInfoNotOfTransaction: .renewalInfoNotOfTransaction
        }
    }
}

extension ReceiptRefusal.Code {
    /// What it means.
    var sentence: Sentence {
        switch self {
        case .tooLong: .tooLong
        case .tooManyElements: .tooManyElements
        case .notBase64: .notBase64
        case .notDER: .notDER
        case .trailingBytes: .trailingBytes
        case .notPropertyList: .notPropertyList
        case .signatureMalformed: .signatureMalformed
        case .notSigned: .receiptNotSigned
        case .notSignedData: .notSignedData
        case .signerCountNotOne: .signerCountNotOne
        case .algorithmNotAllowed: .algorithmNotAllowed
        case .signerAttributesNotAllowed: .signerAttributesNotAllowed
        case .tooManyCertificates: .tooManyCertificates
        case .certificateTooLong: .certificateTooLong
        case .chainMissing: .chainMissing
        case .rootNotTrusted: .rootNotTrusted
        case .certificateMalformed: .certificateMalformed
        case .leafDistrusted: .leafDistrusted
        case .leafMarkerMissing: .leafMarkerMissing
        case .intermediateMarkerMissing: .intermediateMarkerMissing
        case .leafIsCA: .leafIsCA
        case .intermediateNotCA: .intermediateNotCA
        case .leafUsageNotSignature: .leafUsageNotSignature
        case .leafKeyNotRSA: .leafKeyNotRSA
        case .chainNeverValid: .chainNeverValid
        case .chainInvalid: .chainInvalid
        case .signatureInvalid: .signatureInvalid
        case .contentMalformed: .contentMalformed
        case .attributeDuplicated: .attributeDuplicated
        case .attributeMissing: .attributeMissing
        case .attributeInvalid: .attributeInvalid
        case .creationDateOutsideChain: .dateOutsideChain
        case .creationDateInFuture: .dateInFuture
        case .wrongBundleId: .wrongBundleId
        case .wrongEnvironment: .wrongEnvironment
        case .wrongAppAppleId: .wrongAppAppleId
        }
    }
}

extension LegacyRefusal.Code {
    /// What it means.
    var sentence: Sentence {
        switch self {
        case .receiptEmpty: .receiptEmpty
        case .receiptTooLong: .tooLong
        case .receiptNotBase64: .receiptNotBase64
        case .httpStatusNotOK: .httpStatusNotOK
        case .bodyUnreadable: .bodyUnreadable
        case .notAnObject: .notAnObject
        case .statusInvalid: .statusInvalid
        case .environmentContradicted: .environmentContradicted
        case .fieldMissing: .fieldMissing
        case .fieldInvalid: .fieldInvalid
        }
    }
}
