extension RandomAccessCollection where Index == Int {
    /// The first position of which something is true that is true of everything after it; the end where there is none.
    func firstPosition(where isAtOrAfter: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if isAtOrAfter(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
