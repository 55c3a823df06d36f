/// Whether a password is one of those that are tried first.
///
/// Of such lists hardly any entry of 12 characters or more is a thing of its own: they are a few known words, runs, rows of keys,
/// dates and repetitions put together. So a password is taken apart into such pieces, and one of few pieces is refused, whether
/// a list has exactly this one or not.
///
/// Source: OWASP ASVS 4.0.3, 2.1.7; NIST SP 800-63B, section 5.1.1.2 (dictionary words, repetitive and sequential characters,
/// context-specific words).
package enum WeakPassword {
    /// A password of at most so many pieces is refused.
    private static let mostPieces = 4

    /// - Parameter context: words that anybody would try here, such as the operator's name.
    package static func isWeak(_ password: String, context: [String] = []) -> Bool {
        let plain = unmasked(password)
        let own = context.flatMap { unmasked($0).split { !$0.isLetter } }.filter { $0.count >= 3 }.map { Array($0) }
        return isRepetition(plain) || pieces(of: plain, words: words + own) <= mostPieces
            // As it was typed: digits are not always letters in disguise.
            || pieces(of: Array(password.lowercased()), words: words + own) <= mostPieces
    }

    private static let masks: [Character: Character] = [
        "@": "a", "4": "a", "3": "e", "0": "o", "$": "s", "5": "s", "7": "t", "+": "t", "!": "i",
    ]

    private static func unmasked(_ text: String) -> [Character] {
        let letters = Array(text.lowercased())
        // A digit among digits is one.
        return letters.indices.map { place in
            let isAmongLetters =
                (place > 0 && letters[place - 1].isLetter) || (place + 1 < letters.count && letters[place + 1].isLetter)
            return isAmongLetters ? masks[letters[place]] ?? letters[place] : letters[place]
        }
    }

    /// Whether it is a beginning of at most six characters over and over.
    private static func isRepetition(_ text: [Character]) -> Bool {
        (1...6).contains { period in
            text.count > period && text.indices.dropFirst(period).allSatisfy { text[$0] == text[$0 - period] }
        }
    }

    /// The fewest pieces that make up the text; a character that belongs to none is a piece.
    private static func pieces(of text: [Character], words: [[Character]]) -> Int {
        var fewest = Array(0...text.count)
        for start in text.indices {
            let rest = text[start...]
            var ends = [start + 1, start + run(rest)]
            for walk in walks { ends.append(start + longestPart(of: walk, beginning: rest)) }
            for word in words where rest.starts(with: word) { ends.append(start + word.count) }
            if isYear(rest) { ends.append(start + 4) }
            // What stands between words makes none of them better.
            if separators.contains(text[start]) { fewest[start + 1] = min(fewest[start + 1], fewest[start]) }
            for end in ends where end > start { fewest[end] = min(fewest[end], fewest[start] + 1) }
        }
        return fewest[text.count]
    }

    private static let separators: Set<Character> = [" ", "-", "_", "."]

    /// How often its first character stands at its beginning.
    private static func run(_ text: ArraySlice<Character>) -> Int { text.prefix { $0 == text.first }.count }

    private static func isYear(_ text: ArraySlice<Character>) -> Bool {
        text.count >= 4 && (text.starts(with: "19") || text.starts(with: "20")) && text.prefix(4).allSatisfy(\.isNumber)
    }

    /// How much of a beginning stands somewhere in a walk; less than three characters are nothing.
    private static func longestPart(of walk: [Character], beginning text: ArraySlice<Character>) -> Int {
        let longest = walk.indices.map { start in zip(walk[start...], text).prefix { $0 == $1 }.count }.max() ?? 0
        return longest >= 3 ? longest : 0
    }

    /// Rows and columns of keyboards and what is counted, forwards and backwards.
    private static let walks: [[Character]] = {
        let forwards = [
            "abcdefghijklmnopqrstuvwxyz", "01234567890", "112233445566778899", "qwertyuiop[]", "asdfghjkl;'", "zxcvbnm,./",
            "qwertzuiop", "yxcvbnm", "azertyuiop", "qsdfghjklm", "wxcvbn", "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,9ol.0p;/",
            "1qazxsw23edcvfr4", "zaq12wsxcde34rfvbgt5", "1q2w3e4r5t6y7u8i9o0p", "q1w2e3r4t5y6u7i8o9p0", "qazwsxedcrfvtgbyhnujmik",
            "qweasdzxc", "123qweasdzxc", "1a2b3c4d5e6f", "a1b2c3d4e5f6", "a1s2d3f4g5h6", "1a2s3d4f5g6h", "147258369", "741852963",
            "159753", "159357", "789456123", "123654789", "1029384756", "13579", "24680", "!@#$%^&*()", "!\"§$%&/()",
            "qwerasdfzxcv", "йцукенгшщзхъ", "фывапролджэ", "ячсмитьбю", "йфяцычувс", "aabbccddeeff", "abc123", "321",
        ].map { Array($0) }
        return forwards + forwards.map { $0.reversed() }
    }()

    private static let words: [[Character]] = text.split(whereSeparator: \.isWhitespace).map { Array($0) }

    private static let text = """
        aaron abc abcd about access account action adam admin administrator adidas adrian africa airport albert alex alexander
        alexis alice alison all alone alpha always amanda america american amor andrea andrew angel angela animal anna anthony
        anything apple april archer arsenal asdf ashley ask asshole august austin avatar baby babygirl back bad bailey banana band
        barbara barcelona baseball basket basketball batman beach bear beast beatles beautiful beauty because beer believe best
        beta betty bianca big bitch black blessed blink blood blue bond book boss boston boy brandon brasil brazil brian bright
        brother brown bubbles buddy bull business butter butterfly california call camera canada candy captain car carlos
        carolina cat champion change changeme charles charlie cheese chelsea cherry chicago chicken child china chocolate chris
        christ christian christina christine christopher city claude cloud club coffee college com company computer connect cookie
        cool copper corvette country cowboy crazy cricket crystal cute daddy daniel danielle dark david day dead death december
        default defender demo demon denis denise destiny deutschland devil diamond dick digital disney doctor dog dolphin domain
        donald dragon dream driver eagle earth eclipse edward einstein elephant elizabeth email emily emma energy england enter
        eric europe ever every evil explorer extreme facebook family fantasy father february ferrari final finder fire fish
        fitness flower fluffy football forever forget forgotten france francis frank free freedom friend friends fuck fucking
        fuckoff fuckyou fun future gabriel galaxy game gamer games garden garfield gateway general george germany ghost ginger
        girl girls give god gold golden golf gonzalez good google gordon grace grand green guest guitar hacker hallo hammer
        handsome happiness happy hardcore harley harry hate have heart heather heaven hello help hero high hockey holiday
        hollywood
        home honda honey horse hotmail house hunter iceman iloveyou inside installer internal international internet ipad iphone
        iron isabella island italia jack jackson james january japan jasmine jason jennifer jeremy jessica jesus john johnson
        jonathan jordan joseph joshua juice julia july june junior justice justin keep kelly kevin key keyboard killer king kiss
        kitten kitty knight lauren leader leave legend leonardo let letmein letters liberty liebe life light lights lion little
        liverpool local log login london lonely long love lovely lover loveyou lucky machine madonna magic mail make manager
        manchester manutd march maria mario mark marketing martin master matrix matthew maverick maximus maxwell mercedes merlin
        metal metallica mexico michael michelle michigan microsoft mike minecraft miracle mission mobile mom monday money monkey
        monster moon morgan mother motherfucker motorola mountain movie music mustang myspace name naruto natalie natasha network
        never new newyork nicholas nicole night nintendo nirvana nobody nokia nothing november nuclear number october office ohio
        oliver one online open orange other owner pa55word pacific panther parola paradise paris pass passw0rd passwd password
        passwords passwort patricia patrick peace peanut penguin people pepper perfect personal peter philip phoenix phone photo
        player playboy playstation please pokemon police porn porsche portugal power precious prince princess private problem
        production professional program protect public purple qwe qwer qwert qwerty rabbit racing rainbow ranger raymond real
        rebecca red remember richard river robert rock rocket rockyou roman romeo ronaldo root rose russia sabrina sailor saint
        samantha samsung samuel sandra santiago sarah school scorpion scott secret security sentinel september serenity server
        service sexy shadow shopping silver simple simpson singapore sister skate slayer slipknot smile snoopy snow soccer
        software
        soldier something sony soul south spain spider spiderman spring star start startfinding startrek starwars state steelers
        stephanie steven stone store storm strawberry strong student stupid success sugar summer sun sunday sunflower sunny
        sunshine super superman superstar support sweet sweetheart swordfish system tatiana taylor teacher team teamo telephone
        temp temporary tennis tequila tester testing test texas the there thing this thomas thunder tiger time tinker titanic
        together tomato tony top travel trinity trouble true trust trustno turtle twitter united universal universe university
        user valentine vampire vanessa veronica victor victoria victory video viking violet virginia visitor volleyball walker
        warcraft warrior water welcome west what whatever white william williams willow windows winner winston winter wizard wolf
        wolverine woman wonder word work world xbox yahoo yamaha yankees yellow you young your zero zombie zxcv
        app appstore subscription subscriptions tenure console correct battery staple kennwort geheim willkommen motdepasse
        bonjour soleil contrasena hola senha parole wachtwoord haslo salasana losenord woaini mima
        avrillavigne cosmopolitan counterstrike edwardcullen fallen hannahmontana ichliebedich ingodwetrust internazionale
        justinbieber linkedin moderncombat needforspeed neworleans onedirection residentevil sebastian seniseviyorum sonnenschein
        stratocaster supernatural telechargement transformers tomorrow yesterday любовь привет пароль солнце наташа
        i me my a an is am are not no yes it of to in on at and or my u ur dont can was
        """
}
