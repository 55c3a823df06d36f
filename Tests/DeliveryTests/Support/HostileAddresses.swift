/// Addresses that no webhook may go to, as attackers write them.
enum HostileAddresses {
    /// What its form alone gives away, whatever its name resolves to.
    static let forms: [String] =
        schemes + ports + users + fragments + characters + numbers.map { "https://\($0)/" }
        + literals.map { "https://\($0)/hook" }
        + names.map { "https://\($0)/" }

    private static let schemes = [
        "", "a", "/", "//example.com/", "///example.com/", "https:", "https:/", "https:/example.com/", "https:example.com",
        "https://", "https:///", "https:///example.com/", "http://example.com/", "HTTP://example.com/", "ftp://example.com/",
        "file:///etc/passwd", "gopher://example.com:443/_x", "dict://example.com:443/", "ldap://example.com/",
        "data:text/plain,x",
        "javascript:alert(1)", "unix:/run/docker.sock", "http+unix://%2Frun%2Fdocker.sock/", "https+unix://%2Frun%2Fx.sock/",
        "wss://example.com/", "jar:https://example.com!/", "url:https://example.com/", " https://example.com/",
        "https ://example.com/", "https//example.com/", "ｈttps://example.com/", "https:\\\\example.com/", "https:/\\example.com/",
    ]

    private static let ports = [
        "https://example.com:/", "https://example.com:0/", "https://example.com:22/", "https://example.com:25/",
        "https://example.com:80/", "https://example.com:6379/", "https://example.com:8080/", "https://example.com:65536/",
        "https://example.com:65979/", "https://example.com:4294967739/", "https://example.com:-443/", "https://example.com:+443/",
        "https://example.com:443:443/", "https://example.com:443a/", "https://example.com:0443/", "https://example.com:0x1bb/",
        "https://example.com: 443/", "https://example.com:４４３/", "https://example.com::443/", "https://:443/", "https://:/",
        "http://example.com:443/", "http://example.com:8443/",
    ]

    private static let users = [
        "https://user@example.com/", "https://user:password@example.com/", "https://@example.com/", "https://:@example.com/",
        "https://example.com@127.0.0.1/", "https://127.0.0.1@example.com/", "https://example.com:443@127.0.0.1/",
        "https://example.com%40127.0.0.1/", "https://a@b@example.com/", "https://example.com\\@127.0.0.1/",
        "https://127.0.0.1\\@example.com/", "https://example.com&@127.0.0.1/", "https://example.com;@127.0.0.1/",
    ]

    private static let fragments = [
        "https://example.com/#", "https://example.com#@127.0.0.1/", "https://127.0.0.1#@example.com/",
        "https://example.com/#fragment", "https://example.com/?a#b", "https://example.com#",
    ]

    private static let characters = [
        "https://exa mple.com/", "https://example.com /", "https://example.com/a b", "https://example.com/\t",
        "https://exam\tple.com/", "https://exam\nple.com/", "https://example.com\r\nHost: 127.0.0.1/",
        "https://example.com/\r\nX: y",
        "https://example.com/\0", "https://example.com\0.127.0.0.1/", "https://example.com/\u{7F}", "https://example.com/<x>",
        "https://example.com/\"", "https://example.com/`", "https://example.com/{x}", "https://example.com/|",
        "https://example.com/^",
        "https://example.com/\\..\\", "https://example.com/%", "https://example.com/%2", "https://example.com/%zz",
        "https://example.com/[x]", "https://example.com/?[x]", "https://exam%70le.com/", "https://%31%32%37.0.0.1/",
        "https://127.0.0.1%00.example.com/", "https://example.com%2f.127.0.0.1/", "https://example.com%0d%0a/",
        "https://b\u{FC}cher.example/", "https://example.com/\u{E9}", "https://\u{24D4}xample.com/",
        "https://example\u{3002}com/",
        "https://example\u{FF0E}com/", "https://exam\u{AD}ple.com/", "https://example.com\u{2024}/", "https://\u{430}pple.com/",
        "https://127\u{3002}0\u{3002}0\u{3002}1/", "https://\u{FF11}\u{FF12}\u{FF17}.0.0.1/",
        "https://\u{2460}\u{2461}\u{2466}.0.0.1/",
        "https://loc\u{200B}alhost/", "https://\u{1D4C1}ocalhost/", "\u{FEFF}https://example.com/",
        "https://example.com/\u{202E}",
    ]

    /// This machine, its network and a cloud's metadata in the spellings that resolvers and libraries read.
    private static let numbers = [
        "2130706433", "0", "1", "127.1", "127.0.1", "0.0", "10.1", "192.168.257", "0x7f000001", "0x7f.1", "0x7f.0.0.1",
        "0X7F.0X0.0X0.0X1", "0x7f.0x0.0x0.0x1", "0177.0.0.1", "0177.0.0.01", "017700000001", "0177.1", "00000177.0.0.1",
        "127.0.0.01", "127.000.000.001", "127.0.0.0x1", "127.0.0.1.", "127.1.", "2130706433.", "3232235521", "3232235777",
        "2852039166", "0xa9fea9fe", "0xa9.0xfe.0xa9.0xfe", "0251.0376.0251.0376", "0251.254.169.254", "169.254.43518",
        "169.16689662", "425.510.425.510", "256.256.256.256", "127.0.0.256", "4294967296", "4294967295", "18446744073709551617",
        "1.2.3.4.5", "1.2.3", "0x", "0x.0x", "example.0x1", "example.1", "a.b.c.100", "08.8.8.8", "0xffffffff", "0x100000000",
        "127.0.0.1.0x", "0b1111111.1", "0x1e9",
    ]

    /// No IP address is a receiver, a public one neither: nobody has a certificate for it that means anything.
    private static let literals = [
        "127.0.0.1", "127.0.0.1:443", "0.0.0.0", "10.0.0.1", "192.168.0.1", "172.16.0.1", "169.254.169.254", "100.100.100.200",
        "255.255.255.255", "8.8.8.8", "93.184.215.14:8443", "[::]", "[::1]", "[::1]:443", "[0:0:0:0:0:0:0:1]",
        "[0000:0000:0000:0000:0000:0000:0000:0001]", "[::127.0.0.1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]",
        "[::FFFF:169.254.169.254]", "[::ffff:a9fe:a9fe]", "[0:0:0:0:0:ffff:127.0.0.1]", "[::ffff:0:127.0.0.1]",
        "[64:ff9b::127.0.0.1]", "[64:ff9b::a9fe:a9fe]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]", "[2002:a9fe:a9fe::1]",
        "[2001:0:a00:1::1]", "[fe80::1]", "[fe80::1%eth0]", "[fe80::1%25eth0]", "[fe80::1%25lo]", "[::1%lo]", "[fc00::1]",
        "[fd00:ec2::254]", "[fec0::1]", "[ff02::1]", "[100::1]", "[2001:db8::1]", "[3fff::1]", "[2606:4700::1111]", "[::1",
        "::1]",
        "::1", "[127.0.0.1]", "[localhost]", "[example.com]", "[]", "[::1]x", "x[::1]", "[[::1]]", "[::1]]", "[v1.x]",
        "[::1].example.com",
        "[::ffff:0x7f.1]", "[:::1]", "[::1::]",
    ]

    /// Names that are this machine's, or no names.
    private static let names = [
        "localhost", "LOCALHOST", "localhost:8443", "a.localhost", "LocalHost.localhost", "localhost.", "example.com.", ".", "..",
        ".example.com", "example..com", "-example.com", "example-.com", "a.-b.c", "exa*mple.com", "*.example.com",
        "example.com,a",
        "example.com;a", "$(id).example.com", "'example.com'", "(example.com)", "example.com!", "~", "a=b", "a+b", "a&b",
        String(repeating: "a", count: 64) + ".com", String(repeating: "a.", count: 127) + "com",
        "example.com/" + String(repeating: "a", count: 2048),
    ]

    /// Addresses that a name may resolve to and no webhook may go to; each alone and beside a public one.
    static let resolved = [
        "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.254", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.0.0.53",
        "127.255.255.254", "169.254.0.1", "169.254.169.254", "169.254.170.2", "172.16.0.1", "172.17.0.1", "172.31.255.254",
        "192.0.0.1", "192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.0.1", "192.168.255.254", "198.18.0.1", "198.19.255.254",
        "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255", "::", "::1", "::127.0.0.1",
        "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::ffff:10.0.0.1", "::ffff:0:7f00:1", "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::a00:1", "100::1", "2001::1", "2001:0:7f00:1::", "2001:2::1", "2001:10::1", "2001:20::1", "2001:db8::1",
        "2002:7f00:1::1", "2002:a9fe:a9fe::1", "2002:a00:1::1", "3fff::1", "5f00::1", "fc00::1", "fd00::1", "fd00:ec2::254",
        "fe80::1", "fe80::a9fe:a9fe", "fec0::1", "ff02::1", "ff0e::1",
    ]
}
