internal import Primitives

// Apple's documented limits for the fields of Advanced Commerce, checked before a request is sent or signed.

extension FieldLimits {
    /// The texts about a product that the customer reads.
    fileprivate func wording(description: String?, displayName: String?) throws(ServerAPIRequestError) {
        try text("description", description, atMost: 45)
        try text("displayName", displayName, atMost: 30)
    }

    /// The developer's name of an item.
    fileprivate func requiredSKU(_ field: String, _ sku: String) throws(ServerAPIRequestError) {
        try requiredText(field, sku, atMost: 128)
    }
}

extension AdvancedCommerceRequestInfo: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.uuid("requestReferenceId", requestReferenceId)
        try limits.uuid("appAccountToken", appAccountToken)
    }
}

extension AdvancedCommerceDescriptors: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.wording(description: description, displayName: displayName)
    }
}

extension AdvancedCommerceOffer: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.number("periodCount", periodCount, in: 1...12)
    }
}

extension AdvancedCommerceOneTimeChargeCreateRequest: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.part("item", item)
        try limits.part("requestInfo", requestInfo)
    }
}

extension AdvancedCommerceOneTimeChargeItem: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.wording(description: description, displayName: displayName)
        try limits.requiredSKU("SKU", sku)
    }
}

extension AdvancedCommerceSubscriptionCreateRequest: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.part("descriptors", descriptors)
        try limits.parts("items", items)
        try limits.part("requestInfo", requestInfo)
    }
}

extension AdvancedCommerceSubscriptionCreateItem: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.wording(description: description, displayName: displayName)
        try limits.part("offer", offer)
        try limits.requiredSKU("SKU", sku)
    }
}

extension AdvancedCommerceSubscriptionModifyInAppRequest: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.parts("addItems", addItems)
        try limits.parts("changeItems", changeItems)
        try limits.part("descriptors", descriptors)
        try limits.parts("removeItems", removeItems)
        try limits.part("requestInfo", requestInfo)
        try limits.requiredText("transactionId", transactionId)
    }
}

extension AdvancedCommerceSubscriptionModifyAddItem: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.wording(description: description, displayName: displayName)
        try limits.part("offer", offer)
        try limits.requiredSKU("SKU", sku)
    }
}

extension AdvancedCommerceSubscriptionModifyChangeItem: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.requiredSKU("currentSKU", currentSku)
        try limits.wording(description: description, displayName: displayName)
        try limits.part("offer", offer)
        try limits.text("SKU", sku, atMost: 128)
    }
}

extension AdvancedCommerceSubscriptionModifyDescriptors: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.wording(description: description, displayName: displayName)
    }
}

extension AdvancedCommerceSubscriptionModifyRemoveItem: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.requiredSKU("SKU", sku)
    }
}

extension AdvancedCommerceSubscriptionReactivateInAppRequest: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.parts("items", items)
        try limits.part("requestInfo", requestInfo)
        try limits.requiredText("transactionId", transactionId)
    }
}

extension AdvancedCommerceSubscriptionReactivateItem: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.requiredSKU("SKU", sku)
    }
}

extension AdvancedCommerceSubscriptionCancelRequest: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.part("requestInfo", requestInfo)
    }
}

extension AdvancedCommerceSubscriptionChangeMetadataRequest: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.part("descriptors", descriptors)
        try limits.parts("items", items)
        try limits.part("requestInfo", requestInfo)
    }
}

extension AdvancedCommerceSubscriptionChangeMetadataDescriptors: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.wording(description: description, displayName: displayName)
    }
}

extension AdvancedCommerceSubscriptionChangeMetadataItem: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.requiredSKU("currentSKU", currentSku)
        try limits.wording(description: description, displayName: displayName)
        try limits.text("SKU", sku, atMost: 128)
    }
}

extension AdvancedCommerceSubscriptionPriceChangeRequest: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.parts("items", items)
        try limits.part("requestInfo", requestInfo)
    }
}

extension AdvancedCommerceSubscriptionPriceChangeItem: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.requiredSKU("SKU", sku)
        for (index, dependent) in (dependentSKUs ?? []).enumerated() {
            try limits.requiredSKU("dependentSKUs[\(index)]", dependent)
        }
    }
}

extension AdvancedCommerceSubscriptionMigrateRequest: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.part("descriptors", descriptors)
        try limits.parts("items", items)
        try limits.parts("renewalItems", renewalItems)
        try limits.part("requestInfo", requestInfo)
        try limits.requiredText("targetProductId", targetProductId)
    }
}

extension AdvancedCommerceSubscriptionMigrateDescriptors: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.wording(description: description, displayName: displayName)
    }
}

extension AdvancedCommerceSubscriptionMigrateItem: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.wording(description: description, displayName: displayName)
        try limits.requiredSKU("SKU", sku)
    }
}

extension AdvancedCommerceSubscriptionMigrateRenewalItem: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.wording(description: description, displayName: displayName)
        try limits.requiredSKU("SKU", sku)
    }
}

extension AdvancedCommerceSubscriptionRevokeRequest: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.part("requestInfo", requestInfo)
    }
}

extension AdvancedCommerceRequestRefundRequest: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.parts("items", items)
        try limits.part("requestInfo", requestInfo)
    }
}

extension AdvancedCommerceRequestRefundItem: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.requiredSKU("SKU", sku)
    }
}
