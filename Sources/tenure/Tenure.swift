@main
struct Tenure { static func main() {} }
