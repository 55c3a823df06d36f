/// QR codes at level M that two other programs made alike: segno 1.6 and qrcode 8 (Python), byte mode, the mask given. Each row
/// is the number of its modules in hexadecimal digits, a dark one being 1.
enum QRVectors {
    struct Vector: Sendable {
        let version: Int
        let mask: Int
        let text: String
        let rows: [String]
    }

    static let all = [
        Vector(
            version: 1, mask: 3,
            text: "otpauth://totp",
            rows: """
                1fdb7f 105641 17495d 175f5d 17425d 104841 1fd57f 001200 16ec4b 170a5f 13780b 143c99 1cef7b 001198 1fd270
                10522d 17412e 175d62 1753cc 1046e1 1fde7c
                """.split { $0 == " " || $0 == "\n" }.map(String.init)),
        Vector(
            version: 2, mask: 6,
            text: "otpauth://totp/Tenure:mia?",
            rows: """
                1fd347f 105a141 1759a5d 174c95d 175c15d 104a541 1fd557f 000b900 13f2697 0392016 11c5f29 039f23f 18fb169
                15b9eb2 1f54ff7 15b214e 1048ff4 0011f1e 1fd6555 1059f18 17597f0 1756def 174209b 104f60f 1fd1129
                """.split { $0 == " " || $0 == "\n" }.map(String.init)),
        Vector(
            version: 3, mask: 1,
            text: "otpauth://totp/Tenure:mia?secret=GEZDGNBVG",
            rows: """
                1fdde47f 10454441 1752d95d 17487f5d 1745e55d 1056d141 1fd5557f 00055500 146cb325 172593e1 12c92f45 089b3638
                106fb663 1a061feb 106662f5 10971528 0a7d82c1 0189676b 1d58370d 040417fb 1fd3a1f8 001a3115 1fd1295d 10485711
                1741f3f2 17433295 1751b57b 104a65b0 1fd521c9
                """.split { $0 == " " || $0 == "\n" }.map(String.init)),
        Vector(
            version: 4, mask: 4,
            text: "otpauth://totp/Tenure:mia?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQ",
            rows: """
                1fd2b167f 104792541 174219f5d 17596cb5d 175b9e45d 105a5f041 1fd55557f 001d1ac00 1178098f9 1519f420f 0ef524ffa
                0bb36e962 1553d2648 09b86ebec 00d7ed346 07a1fda53 1f702a7d4 1c85bcea4 086425238 138019b50 116953441 1215de06e
                054629bf2 0703cfdd1 1c775adfc 001d74b14 1fdea0552 1040cbd12 175ea15f9 174a926f0 174f3995c 1047cca90 1fd19ffa5
                """.split { $0 == " " || $0 == "\n" }.map(String.init)),
        Vector(
            version: 5, mask: 7,
            text: "otpauth://totp/Tenure:mia?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Tenure01234",
            rows: """
                1fc3a2207f 104d34f641 1741eb325d 17463c075d 174d46655d 1054661f41 1fd555557f 000d3da400 12d4529ba0 15966d5f01
                04fd42d893 04b3b6f9d0 1be7d0994f 171f2e91cc 15c354e995 16069bfef1 1c5b1bf9f5 1cb008e31b 1ac5cdc9af 001599a165
                1cc549bc74 09a3799d69 05f18258f9 009386ef22 07f64ca1d8 02b31df6a3 1378593569 0809cbcda2 1c5c81e3f3 001830a912
                1fc1d5075f 10544ab515 174825b5f9 175d0cf93c 174c1b8717 104725feb0 1fd150bbbf
                """.split { $0 == " " || $0 == "\n" }.map(String.init)),
        Vector(
            version: 6, mask: 2,
            text: "otpauth://totp/Tenure:mia?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Tenure012345678901234567890"
                + "123456",
            rows: """
                1fcd9375d7f 10460197541 175665f205d 1756fc09d5d 175729c795d 1055f5d2941 1fd5555557f 001a53c0100 17ccb84bc7c
                1d23c7e1e3d 0267619ec2e 103fe1e3638 0cf613e73ae 08809230e7a 1b4c7ddb838 0a86c6d4039 1ed7a9ee324 048087e557f
                0a6ee086434 01a3c385599 1f4f5e0aca2 138d41cf953 067d550e9d4 038150b5333 1df2dc5599f 06a80b25279 1947ac4f002
                1b22f6c54fa 185333c538e 119796b4e72 126d20cad0c 121962a479a 136e1c5e1fc 001b03a4311 1fcec98f554 105a15c2319
                175b350adf9 175e3df7303 175c8cc70fc 104322d1452 1fd72f3ea1c
                """.split { $0 == " " || $0 == "\n" }.map(String.init)),
        Vector(
            version: 7, mask: 5,
            text: "otpauth://totp/Tenure:mia?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Tenure012345678901234567890"
                + "1234567890123456789012",
            rows: """
                1fc9532df97f 1059267c0a41 1750d532fa5d 1756e443535d 174a1bf1d75d 104ff51ee841 1fd55555557f 001b6f139d00
                1055f5f424ce 12b6fbeff7fe 0b44f7d4afc6 191aa80be377 084777171bb0 0d1098aa7bbb 064d575a8008 1d9e0976ae0e
                1d62fe76a084 14228d10c99c 02601d53521d 122c6e207066 1dff27fccff8 131d4b17f71e 1b51b75e6556 1f13911bdd1e
                05f76ff553f1 0a1997f1c929 0c64298da40e 0022c7322ebc 1a4039364c95 1d0fa2a86b23 1b5a8a4f2f5b 01a7fcd3f04d
                1d57afbe6c9c 1325b7b7e65f 016fd8ec34be 0f36201ab324 135225fd33f1 0011f111c115 1fc5b95f6556 104fc7107d1c
                174935f42bf0 1748151aea1f 174599198b31 104397db2bac 1fdb8a72e4e6
                """.split { $0 == " " || $0 == "\n" }.map(String.init)),
        Vector(
            version: 8, mask: 0,
            text: "otpauth://totp/Tenure:mia?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Tenure012345678901234567890"
                + "1234567890123456789012345678901234567890123456789012",
            rows: """
                1fce93544597f 105d014646741 17480bee2e35d 174f5622ea25d 17591d7eef85d 10409746ce441 1fd555555557f
                00020e4792d00 15465e7d9b212 04158af0022a2 17ecd271c7d9f 0da4ae93d8013 07edce935325a 1abc3a1189a01
                08c53bb1bab13 02b15a9119099 16e272b59dd9a 1a181a5888801 166658d9b8ac5 09bfd61951190 00f75079dd43b
                13302c0b32289 01f6117d313f3 1716d84406913 11575d5773f5e 0d16a8471311a 13f19cfcf47f3 0286cf45fb041
                01cd1667f9863 0a0deee5ba823 05fc99fe9987b 002a2645d907a 104fb26151128 021af2a2aaba9 0866ebcdb8955
                018192c5d5762 04ca47add18f3 071d98c000283 08ff3f25389e3 0e0249a6a8000 1c62837ff39f7 00167c4530312
                1fcfab567f75f 104588c591f1a 175f7a7d777fb 17440e708a99c 1755e775bb9b4 104e6bb9d938a 1fd4aa59d999b
                """.split { $0 == " " || $0 == "\n" }.map(String.init)),
        Vector(
            version: 9, mask: 3,
            text: "otpauth://totp/Tenure:mia?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Tenure012345678901234567890"
                + "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
            rows: """
                1fd5b151f32c7f 105e59d81c9641 174448e8bba25d 175e462c2d255d 174e523fb9645d 104aab51f4dc41 1fd5555555557f
                001830f1a1f500 16e0a6df6c5d4b 1736ef51488439 1ecc67984c6cc6 018e32c15f18f2 08dc249ec547d1 06a4bcc6b2618b
                09c5cc73e85a51 0eaacc33711428 0d7ba5111023ae 113f89880790de 185315e8a7cb5a 0d077726213114 0ffa9647221fa4
                1c19c079e01489 0a539a9805a4d0 0615d688b76b68 07f7d71fade7fe 1311e811bbcb1c 0950fef5dc1f5b 171eae117a991b
                0ffd409f56c5f9 1e225825161860 04e97d09a7898c 04b24c64a5ebec 154e2c7b247bfb 07921a7c4b3db9 10ed9e375f9884
                13b3552ddca001 12c47a8883c124 041dafd11278e7 144a4511ca6fc9 0ba82d14601201 1ae33c1f38481a 0123b5be968202
                1bffbf8367cb3c 0c22b2f2c9f366 0263325f009bf7 001b8371538510 1fd11b15421556 1055065197eb13 1744759f4567f4
                1752bb0782f2bb 17577e25ca966c 104a44e57e6aba 1fd2b7e41a65c6
                """.split { $0 == " " || $0 == "\n" }.map(String.init)),
        Vector(
            version: 10, mask: 6,
            text: "otpauth://totp/Tenure:mia?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Tenure012345678901234567890"
                + "1234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890"
                + "1234567890123",
            rows: """
                1fd5f3365dd6e7f 1058e9489d05241 175ac379d687e5d 1744be6f571525d 175fc377c8ed25d 104d9c444b40c41
                1fd55555555557f 00097b544a34d00 13f43ff7e17a297 03bd09bff7f756e 15ee6da48743ca9 15aafcb278971ae
                157038c3339b8b2 061b1c1568e69c2 17c83b75837ad7c 1a12ca16762afd7 1168674af7c11c3 039d5236ec365af
                11ed87fb031610b 1a9a8d8762fd7b5 0f41246b89f8cda 1502861d455c5fa 0d7b73de17a56e1 129a9b127caf624
                107f6b01f575472 168e761e53f71e4 17f76d07e0583fa 091c7154602e91f 19531cb5592d757 0d1f0ed4459cd16
                17f37a27e2511f1 16837aea826cb24 1d7c142fe15ad08 10a98393ff57e57 08557ebd7d81a7e 1007cbffbc27ddc
                0e68470cb7dfa43 1b9c605c68df304 1bff9761694319a 12883b73a661085 12f84f01f7a72e1 0b2d5031753d437
                116756baf22025f 1f10b9bc88b438c 02f730e8ebf09a8 043dc5d554c65fe 14d6eadcd5024ed 1f1a84743227d14
                006191fff577ff5 00166c7443f4913 1fde026542fa954 105f95346e32d14 17569187d34d5f3 175132be0f2cc2c
                1743a6d55933fb7 104800c9cadcbc7 1fd6afa8451e358
                """.split { $0 == " " || $0 == "\n" }.map(String.init)),
    ]
}
