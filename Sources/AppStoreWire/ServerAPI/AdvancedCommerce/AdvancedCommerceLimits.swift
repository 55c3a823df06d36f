internal import Primitives

// What Apple documents of the fields of Advanced Commerce, checked before a request is sent or signed.

extension AdvancedCommerceRequestInfo: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.uuid("requestReferenceId", requestReferenceId)
        try limits.uuid("appAccountToken", appAccountToken)
    }
}

extension AdvancedCommerceDescriptors: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.text("description", description, atMost: 45)
        try limits.text("displayName", displayName, atMost: 30)
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
        try limits.text("description", description, atMost: 45)
        try limits.text("displayName", displayName, atMost: 30)
        try limits.requiredText("SKU", sku, atMost: 128)
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
        try limits.text("description", description, atMost: 45)
        try limits.text("displayName", displayName, atMost: 30)
        try limits.part("offer", offer)
        try limits.requiredText("SKU", sku, atMost: 128)
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
        try limits.text("description", description, atMost: 45)
        try limits.text("displayName", displayName, atMost: 30)
        try limits.part("offer", offer)
        try limits.requiredText("SKU", sku, atMost: 128)
    }
}

extension AdvancedCommerceSubscriptionModifyChangeItem: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.requiredText("currentSKU", currentSku, atMost: 128)
        try limits.text("description", description, atMost: 45)
        try limits.text("displayName", displayName, atMost: 30)
        try limits.part("offer", offer)
        try limits.text("SKU", sku, atMost: 128)
    }
}

extension AdvancedCommerceSubscriptionModifyDescriptors: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.text("description", description, atMost: 45)
        try limits.text("displayName", displayName, atMost: 30)
    }
}

extension AdvancedCommerceSubscriptionModifyRemoveItem: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.requiredText("SKU", sku, atMost: 128)
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
        try limits.requiredText("SKU", sku, atMost: 128)
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
        try limits.text("description", description, atMost: 45)
        try limits.text("displayName", displayName, atMost: 30)
    }
}

extension AdvancedCommerceSubscriptionChangeMetadataItem: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.requiredText("currentSKU", currentSku, atMost: 128)
        try limits.text("description", description, atMost: 45)
        try limits.text("displayName", displayName, atMost: 30)
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
        try limits.requiredText("SKU", sku, atMost: 128)
        for (index, dependent) in (dependentSKUs ?? []).enumerated() {
            try limits.requiredText("dependentSKUs[\(index)]", dependent, atMost: 128)
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
        try limits.text("description", description, atMost: 45)
        try limits.text("displayName", displayName, atMost: 30)
    }
}

extension AdvancedCommerceSubscriptionMigrateItem: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.text("description", description, atMost: 45)
        try limits.text("displayName", displayName, atMost: 30)
        try limits.requiredText("SKU", sku, atMost: 128)
    }
}

extension AdvancedCommerceSubscriptionMigrateRenewalItem: LimitedBody {
    func check(_ limits: FieldLimits) throws(ServerAPIRequestError) {
        try limits.text("description", description, atMost: 45)
        try limits.text("displayName", displayName, atMost: 30)
        try limits.requiredText("SKU", sku, atMost: 128)
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
        try limits.requiredText("SKU", sku, atMost: 128)
    }
}
