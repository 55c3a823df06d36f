// Made by `Tests/Peers/webhook_vectors.py --write`, never by our own code; do not edit.
enum SignatureVectors {
    /// Four lines each: secret; id and timestamp; body in base64; signature by standardwebhooks 1.1.0 or cryptography.
    static let text = """
        whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
        msg_p5jXN8AQM9LWM0D4loKWxJek 1614265330
        body=eyJ0ZXN0IjogMjQzMjIzMjMxNH0=
        v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=
        whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dRqSKJp4AJ6p9lMicMFs6Kvg==
        msg_p5jXN8AQM9LWM0D4loKWxJek 1614265330
        body=eyJ0ZXN0IjogMjQzMjIzMjMxNH0=
        v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==
        whsec_Eau+ugc51HBqPEBkSQ95dkdC3h4A2Vu0jxLMcRukjCbBxSk6rVQBardARXAAB80yn+UZmJbrFXAMnqsMJhec
        evt_3aohbmvyd6oy34ujuxajxsthn7 3347279766
        body=OQouw59hLjE=
        v1,e3+jbFQv/xlALaL3LCu03Ax0M7zXZdgWOD192JhYDyg=
        whsk_/fjXesxc3EbMV/uV5eG0U2TAMxsX7kMBVBLmbKlkT6qayOspZUbqZNlcD/rWzewfYEZZaJMP7pdunyY87fsbKg==
        evt_54ugpdrmw5fz7sugsjwf6dy36i 1773444233
        body=Llpa4oKsey4sYi7wn5iAOlgK
        v1a,a3DjYF0yPZYr/krhv1VFisO4f9ulY6LIvLA2I8IV/HOUbldl7TV51qlfAXjzGqn2iq2bMDb7jNlqbDhG47hmAw==
        whsec_9BqcyIg6zOFAvTHirC+RtdJ7ia1t/uPB9pv/Hw7zxwZsmmSqpiI0WdQYC/DE+JE=
        evt_5hgkbbapr7z4ybjillkzz76ov7 873421324
        body=w6kxe8OfICDDqX0u8J+YgH06YcOpIGM=
        v1,U3thlxS+2Xc1kWRL3YIHeBLhfrEDkv95EvyhL3+3XCw=
        whsk_YLoWngAu3U4wAM15VOdIuW86Mu/GZ/9f3jzVV27jBqI=
        evt_bsornrq2lshqpkxusp2xm2osxg 88302363
        body=fWM6WFouMGIiWA==
        v1a,Q+48t78q/x0w6q7rR4E7bscrC4PcQcjc4kiXqGwrmnAsr49Pr+V2cqBV+qZVd4Z/RG6AdpZSNn4UsWCjQgDrDQ==
        whsec_4C7OvqxwXV0lUG+AL3dRME3MjOXdpQ8WgloTRkB1EJIQvZRXNgbwhHgca1z1TJpvQp6YJt4=
        evt_btl2kwgpvncm6eptpm2c6hk4ck 3541078671
        body=Ii4u4oKs4oKsw6kwew==
        v1,S9fV3MMmTRO0VfgKOS6QqYVCEKb1KqgtP9A97HpObxA=
        whsk_vhDq6kJoR2Lk2S6obU4JvQZQN6VhrvX1xCVpWm93lV3aSer/+Cu4q1YTGnWFAcCf53NY/Cx79GSkWWS/ASBL/g==
        evt_udckqahb6itgopa7fbduycbqlq 1844844670
        body=IH0gOX1i
        v1a,oC67MGoJHeudwOKgMwh7y8Q1vf/VECYK2m/z7vBA5xKgQifDsxRzIrLs3s8c43FxJt7rmcxk+589xPu9lhdTCA==
        whsec_Ygjki2RP3YuAxKiId12NpQV4D05KQhvJoBe7jZ60x6RG+uB6E5nt5E/a0E7Oxq7Dqcn3RNfpxg==
        evt_4fn3vp3zbz3jevph2zhp4xohlu 2065560989
        body=YTHDnw==
        v1,1nI58dBDGFFNQwiL63/SS6L4qzMb54TkyJy4/zcfy7o=
        whsk_YuvTmscuem1WxzVyr2aF64DWy1xQZ70P+rzXCXALuL0=
        evt_amtv6uexv6lml37f6cviuo3p3h 1847813104
        body=MGEs4oKsMCLDnzBhWAosw59Zw59a
        v1a,mKuW6uvAhfTNfiTjqV6q69H6+UEgO814IQJqbsU7loBoTnpKHMod+/YcP9SdtSmydJScSwwKeZs4KtZO1butDQ==
        whsec_lPwba10x+6iR5IFcTxVgu2FQcC7Ec24HIQw/aj7roBCcdMk=
        evt_2vyjemefr7jumysg7wmsakv422 992665618
        body=Y2N7YmJZMXt9OjBY
        v1,LiaVsSdQBKRGuzFdPHQL7N4IKphhiN6f6g5TluaXiGg=
        whsk_U6Adfon2MAUnSVAg6rq3TiZxnMCcTbGyhtMUQJ1j8PDzD5MqkYigGtmwwi2cOawXFGUYUYyknJaVTgod3470Gg==
        evt_panysi56i23llgaeaxrw7774um 3868216144
        body=8J+YgAoxOlgg
        v1a,jy0dOnJaJXx3O9H4/BUqQiUKxxhGqJsDzph2vuy2zVJMRSXYBjBqi6xdCkTxsZg/XFhKpnMoKP6RSRnH0DYKAQ==
        whsec_b0SZ5edK/4r7P47pex+JQvR5Pd23JWGnSsayGw7IwKSZkOCZr0dYv6K+BtFNvcEKAQ==
        evt_zibvnvnq5dpbhebnxzfhup3ckk 2635633568
        body=IPCfmIBjw58=
        v1,ofTgci6yETf24Xmn522F23f6u7atArnDr60Qa8NHHhE=
        whsk_NnbrJfawP/Kj+kQ3DdQ5riTE2EJXN2m8A+kzYm+6oWk=
        evt_rowii7lhcrncxg2gkxidvsfjcy 2070885109
        body=YzFYw58uMHtYOvCfmIBZMQ==
        v1a,5Ak0RnJD4tFiOccJjGFOQvlh716TjwP5TBDpFJxxKhErBZr8uCnKrmaqUrVcMfdaPgBIeX/p+lo8dyAV0IR4Dw==
        whsec_253f58sy0wQVqFSW+aJ+vmNXycylnOhpxIyPLlD4FQ==
        evt_kdvgoyodkq62e3wabyf5hoizph 627926412
        body=MHssw6nwn5iAYQpZWmIsLMOpMS4xWQ==
        v1,ZBHPXGMcXy4R5fPkHxTPeIWjsxH7+fDQSJgfpBfF9ps=
        whsk_oW8GrSX3AQYGVlrXhC0ltOnP9oc3svOIkwZikV+HEGxQhVHXAhGRLq0cxCuFobvsum9XJ/4Iuzxc2Qt6xjsX9A==
        evt_kgxcjoi7ypiqb4hcko2bpqspoc 2702425624
        body=Y8OfWHvDn+a8on0xIDAsIsOpLCAw4oKsfcOp
        v1a,LQxqJdDH/HyFoJaE7Dx/V4SYBn82jQYUmOiZ/Uk1VRjIr+QAmm0KOyLDYN7wDNCM8ZUi5fCEdUsyehDGzYvIBQ==
        whsec_8Ul5rrFKs5QYMNHqjqkIRJeHALSbkqKQQBYov0N8g1w1CePiUeRq9gvpSu/QtkydDmraDbuL
        evt_jx52gx6giyramqxxoikquzgmyg 2207903141
        body=LsOfYS5jMDFiLFl9LlrDqVh9Cgph
        v1,c4ONrpPU4BxQl8SfI0NWRXEXaMuKikfpFrjko5O/R/0=
        whsk_bjZLZqAx25GTGMPAt1EXNfJXpKM51ZzQyDk1xeUu+ZI=
        evt_4twyebzb5gfjhxu3muuemtlreg 1015789437
        body=OmNZ4oKs5ryiWuKCrC5hOjphew==
        v1a,e4Jp6XKoMFs9jHbqb35xiRzsqQEYmctHgW7ngNO0qmcD+yBOdpStQtmmnW1ap4tR9yZ59JzRe9IswjXqH8Z5Bg==
        whsec_U06DQsHVfLwdKNqx7x1Ts6yXM4VndEsVDV2XGzPbjw==
        evt_ncn5xsnz4dexn3xs4ipuejr3ip 3065278813
        body=Ylrigqx9
        v1,HtTrtVOEKvlDXlApFBFUqah+Rme7UglTQbY0w8e4lvg=
        whsk_K+9mELTEFfANw+pAKEkVqJV7iEEdEBt0E97RCFK12jkrIf7a1+pkfEYJCm8KSiyL9FYrUeUY9zX3iFXaSfURyQ==
        evt_ce75l4dqikxznrer2ai5tko3kd 1245030046
        body=WCw54oKs4oKs5ryi8J+YgOa8ouKCrCIiMA==
        v1a,npZR7s5IPWhs4GrRlycpO/jnaof3W2EW/aZ3eWQN1eywebFLIuRfwKm7MOKgUFtHeJTkwTX9TPBfTD3jScI9CQ==
        whsec_WTOe2/maTxGCAWzQFlkfHYhCVTCVvPlkacyocdcrZhUQhd7A1I+6fmR5v56mgd9TEHtDxA==
        evt_kpbudaezjsekjwxcicow7gg32i 2691884622
        body=OTrmvKI6WVgK5ryiWQpYOcOfYXsxIiA=
        v1,jZApiGKWKGPqPbs5ySERRFzL2xwIFo8XJ9ZFYeW0CmE=
        whsk_sHkeye4MGdm6iML16oFwvMznNLSkHD57sFaQNaslmBY=
        evt_vh7hl2fgonbri4x442vpxbvgke 457370532
        body=w6ljLljigqwgLmMwIjkgY30wCsOfw6kw
        v1a,PAwlWxD2TCfhzNl6YYBvJ3CkArDVoQI2D7JBra1fMyl4B0QLfwTbYJJGjuLGabSZ0LsA5+M1ILnhESlwJL6DAg==
        whsec_WJsOZ4XNovdzDbkZDDWd4rrqtwZjPbue+rusr6b9s2P3aPjlSFj+v/oKsjvSOw==
        evt_h4eovojtj24xfgazf5ih2pqgkg 2032107716
        body=YfCfmIB9ezpiCua8oiJ7OjDmvKLDn2Hwn5iAMC4=
        v1,4EqFUzaqu8/miNuWF7yaHZe/z/v2N7xhz432NcHzWa8=
        whsk_LYnff5WB/ZhxkjhTtXsW8bgFPiZaFzMRthVDYeK/9Ch2LG2OAm0/lSp/2iB+hdmO4+Ee3eBlc+2Hgy3LyYJQYA==
        evt_qc5rsh3wh43vei6e3a3gtt6zbd 3372726449
        body=8J+YgHvwn5iAIArDqTpjOlgK
        v1a,AZwHAs/LmZL5kcnlIwHrKjO5ShH25geiUCTC1rn01Sz3WeupqMPZs2H+eeVDEbQDy1oUcEJgd1zmp3qUfOa1Dg==
        whsec_B5Yi7zTJLGhS6q7kqkeqdHv03sGx0oD3y/Ja+YLKx9H7Xe6W8FUNxw==
        evt_kervareb2f6sfxggj3yfn7ndgb 55936315
        body=OvCfmIDmvKJhIix7LsOpYmEgOjAwWCI=
        v1,YQU8vuYONf5tprZyRhIz90fqwP5Z3GMbSbTRf1c9+oA=
        whsk_0ALMd07M1Q79umG/Qs7ah94sNbRqhiAG9Jd4ENEapQk=
        evt_cqw7dhpmxg3cj3xvsw3z37a2k7 3356358047
        body=4oKsWTkg4oKs5ryifQpYWS59feKCrOa8olgsOVo=
        v1a,shybre9drnA7CLxD9sezTzoAIfCEnN/MlMXTdgHPkvb3Gy5JaiHMbHZiZQfGAPVwyvfuGLOibBIbKPWOYqOPDw==
        whsec_yMD7GFX5WYMAXp5C2jwaS3Uq/dJ2XaE60MjEz04ztPdGyA+zWWAbde5/zYv63Sjxth1uPCeewA==
        evt_yhulr5ik2bipigryd2hqxbja7o 3814912951
        body=
        v1,shwcEZpflwEQiKh/nV7nL10TNjYsloiF64LxBnd5J+k=
        whsk_LMVUbMef3fsJZ1YD+69Ib6X+EmhMxvn5DSWiT0evF1xfO2eytuw+sdwv7kIQ/4H1/iD2fqiboYk2dDwJEPUtsQ==
        evt_4erqy3s3423zrkxmdvoqcymczm 2178901808
        body=MDHmvKIwOjHwn5iAWPCfmIDDn2EK8J+YgCx7w58=
        v1a,/TJVBCxA+xJ1HBwCbp/gah/vjtn/uHppGXKsoWvVBmQ/fsi0vo/wMLW1CS7JrGE7Ay7smDvRvb50rxw/yyumAQ==
        whsec_Eigx4d71WIu6xw7EwFTK6H3rrTz2tDgy6qSjaqw=
        evt_bg4pz5v5bkpmfte7znitrcpecn 2840996309
        body=IjAKMWIsLPCfmIAsOQ==
        v1,8NT6QrK9cdl2ZAaqWqRfnglIzY3A+s8NOXk77Yk/kHk=
        whsk_TfX8edx6ArOSgYTJ6kulKoVeFWtlmDa7uYCvLZwEcjs=
        evt_skxktcvajifnehzvufuhkfmp6r 3125590123
        body=e/CfmIBaIjBhMTDDn2LmvKJ9ICIKMVk=
        v1a,1NTKzurlfdk9C9NrN5No7bYKzY4Fh9nkaT9FrBH0ipzdWusX0xtVGPayAmjVpoeo4Hs7kJ0GW9suMx+LWYvzAg==
        whsec_LPjb+MmYhScfrb0f1Y7HhuiaMX4mW2+YVQX72JXMGTxtFKpDtQLrGOaQkaDhUDuNIneONcjXGYNYGg29yr7v
        evt_otdnw2vqi5fg5bdj5kycah55zz 725558717
        body=8J+YgGJ7Y2M6OWE6
        v1,Mh5dU/SL+g02T9R1WNF07E1ZTh8MtYE98CBqQrR/6f4=
        whsk_oen0d8/5cSQqJwXuY9oTvtXjio9HZV901z6slYnsvVVomXBsAon0O4bb1iCONSZEWgf9afsmGjfJ9a91WgWaww==
        evt_wxbjlg6r6xxfthemakmetss2su 2512119427
        body=Y2LmvKLmvKLDqS4sWTBi4oKsLjkx4oKsMAo=
        v1a,m0huBS/XrmvdMzwqt4Hfkr7hmdaqyCekPvbru4QLennvIDycni6kuO9aMBZZWUlvWP8lAAgyv+N2K8hejtoDCQ==
        whsec_5pAHrXF6NptUFKndFDHOj5zVqukdMqunAciH2GxCcn1kz4M=
        evt_uizxbp7mvkkywuc7kx7m4o7d6w 393602671
        body=OVosfQ==
        v1,T6fkhdh9FDecnVNAxtWX8BaGg5Sw+9T7+jcZ3NT43Cs=
        whsk_uKP6DnNFEZoCkbW6J2n1mCez8Osmfr8jmmouK1oxlyU=
        evt_qosw2zrrz5ddjggsfrucmvxcov 1596963508
        body=WTBiWFkK
        v1a,j1s/Xmgc8lhgNNcpIY/OcV4gngCi4Tem7tzMgRXADM3oDyc4gSOWZ7mQGfVTHkREejn+uoOeLdm8pV2UukhrDA==
        whsec_F5xPJW7t5d36j+I/xTpu4GhgIS/F2GpL7JagDJ++OglxT+YA1Wk8ZSTr1ioSGSUGrfsDEF758L+F
        evt_dqrdfd464c53ywnctyjbsbd77k 3920608949
        body=WSJhYfCfmIAwOWLigqw=
        v1,jLHx8HpvDBe3+SXej+t9FiC5C+rhq4nBK0klhyucKjc=
        whsk_83oJaG2Cd4+RMC+ga3I4CgD8yYFee+FNv+BDwtlCVsUwFaHA9pPF2RMfEtSTAUQG1zaqYlpFt3+ZdCbhNQFtnQ==
        evt_c5gs2lwz2enapywo7wbybcraeu 448191753
        body=OmNYLua8omJZ4oKs
        v1a,DIhsxwEFMhaKFiyTm3WvuXCXpST7YerdQQAgMhaBskyFh705W5ew9a05MKNwptq4bA7I5n5GWcv7LipdGec0AA==
        whsec_8ctOsC4sIB8CwcSZ8WZs8UYmHxHmN6PbzYzq6g8=
        evt_4ijo5r5nne2oier2u33r3yiogk 2750905038
        body=WFg6YvCfmIBY
        v1,ejCuW1ApK9YhFOBvhlXrpKDD73FT5DFdVMFMOrrKjeQ=
        whsk_0itESwUsflUe1zu3DvRkPUkFc1LIO9jQuMMJi9sh97Q=
        evt_avp6rkfyfx2vhapiia6da6gxom 1422360241
        body=LFh7MWE=
        v1a,Mmi8Y4X73DBf6Z8+hicoQuxG9Z4n5825VPVRrhkZZ5MMohdijmHFwISOT84fpuv1H476yFtEH09gZbTRIOFODQ==
        whsec_b256VKeHKz4BuIw+xr0t7wxtNwkwmeHh6W53TU7DmQLd9PXip0sFp5UBJbwZDxpK0e+5yEc5jOMB1w==
        evt_otwrjeai45gexvxzypjosjnp2x 1395978233
        body=WVjDn1gx
        v1,kFmcGOqALxTksj5rWW0I840oBLlafQCzHOO1PBjVRuE=
        whsk_z7t06kKUcKc6zEIPTX8qLk/h65HwMsxmg/UVyyHRAF+Yi+sdkH3g7ou7nmwt4Z/mAWO+edqucjQC/Bd/CWgIPA==
        evt_ankqzx2rnisyljpdkhec4kcmop 857413835
        body=w6liWTkiOTDDqWIxfTEKCgo=
        v1a,4mbciW8G0zzGNL4DZBkZuDUr65QTsmFskQdyDXj3FfXVyRPmK4J/aJGv5jDoJk4eTKBvK643TCnw2eKWUSweDw==
        whsec_WEwc40CBwyaz/yEKkFKxuJb+Qama0ql/DFWTUsilc91KRcWZCBqJJU1+0dIiBGe3EMTkoA==
        evt_wbpy62sgwa4zgnxrbtocazyxxt 2167784042
        body=WsOfIGJhe1jmvKLwn5iALDo6IjE=
        v1,x9J4U4dXXSqjFX+FwD8lYo9/TJS3Bry9rsxYlEPzQ9E=
        whsk_soFjE6K5Un9eRZ5PrFO1HC+mk/KqptyRhzz5xCujaSM=
        evt_khx7zqw3xic6fcfmxsdjpehuzn 1171317367
        body=WgpaWVkuWFoKOns=
        v1a,3ymvNtuwY18XM6dwUz9nvV4kWNr4Dkt0OI4DRQ6GSU5ejJnIhzbanSBnPLx5Bm3eP8zm3Kugzk2Jp+zc4c/gBQ==
        whsec_a74eyMHt3C2ikWg+zfKSlqJmJ7dD/pXsZfnuKhoKfIM=
        evt_set3jvsgn2tbc5imzxohzelpxs 2043841938
        body=e+a8ojpiY1k5OXvwn5iAw6ki
        v1,k+rhRYEN6GISVMDoX8EsT5slMHmOyAsSGZh2OCO7vK0=
        whsk_B5RaH9agxhL5vKDPzdD8dQDF6d9zxh5Fbk8F9twYpaz9G+vFsZQ40X4+GBbcro7jmndOXinm7SMA0FxjcUud0Q==
        evt_q55tvodrauhdat3wgsqyrqe5tk 2128477171
        body=WmJYY2Iiew==
        v1a,hBoNJj+70KMT2Nt2LcsepxJYxFsZXljSW7TISXiCZ/BECrinYZudo3t4xK4fXqsk5Ftq9iBSvDpIqF5q+6l6CA==
        whsec_5N1C/eh3HQv7BFJe509Dnt2qrBzLabpPgj77GlGzdKg3wg==
        evt_4mcuz4ztaanfsww7r5p5gwnbpm 3687512074
        body=WTDwn5iAw6k5OjpaWjoK5ryiOTB9LiBaWg==
        v1,8qhNXROuSGsceTVyS7dRd9PvV3vFyjhF6/xdDm2cd2w=
        whsk_5WKPMwgMfZ6ZnQrQ8Fqh4GpTAmu8j9qNQj5jXBpL+OU=
        evt_hojgx22echn2sn6v6pjwgtv46a 3906057992
        body=4oKsLjpafX1hWC4wWMOf8J+YgOKCrFgKOiI=
        v1a,SxI5ofRaeXWdsDIAlKVo3E2rpgTH4OCL88MAlAXzvhH10hd3ibx/Kuwg/mfeRI+aa0TD962F/4hdlwsI3zwZAg==
        whsec_nVGUTFAFjhuF5NRVy6b+oM3lE9r1j1aJDg==
        evt_5jedpio3xueckjem4l7sqq654x 208074863
        body=YQ==
        v1,TS6dWaVn3VHfSkj65nIcV8+jswYlmPeSx06p7x4H480=
        whsk_Jab9KOxA+RLrSL3k0v2z8x/2FDgU6DVT9X3fAUL6Uz0skB6quEBzzG2VUxp59Lfp+HqHuBb9fIJ66cNOJA/oqg==
        evt_xwmyqofumyadvgkulgyehecbpz 1304113369
        body=8J+YgGF7w6k=
        v1a,vtPOO0sLF5E2z/fvcxWaaQx6SdBnkRSO22X9rb70WBcPhZIE3Z0czEa1W2MEJi02njro8B0TBEMHWson+SiBAQ==
        whsec_MRQpSpkEGVNV4i21iJvItXagSmWFA+/ItH0MHXKZRgfCBpwH4WM=
        evt_ezh7yxtu2vs6iek434dhg5so4i 2650277317
        body=4oKsWAoiCg==
        v1,H9xnxqIUIiQ0OmX2T2VveyDIL9ly6LGFfqHGIGy2cwI=
        whsk_CDYSajos6EOCXA2v/Sj0CVYkhVfSgrcsYJNk8yy+Ats=
        evt_gp2ih4nqg3ahq3mcvpb6bqclm6 1712505097
        body=fTnwn5iAw58=
        v1a,HM/DqsoorG3dIc7KRCbwoqviAgo20KhatFxcPpWz/DwxydV9mP2jcE7De6YzlgOpkOUDjBZ9H6Zn/9FrM2SMBQ==
        whsec_ny+E3bX0roAbyza8PNyOrrQDHIOtlvKGOmkLXd1nK7n7IXncBxQ3k3Vd
        evt_lgmq3kuvygrpgt6xlhowxttagb 2842762050
        body=WQoxWea8oiDigqx9Og==
        v1,UTwBQdvwPUOisF9NnaMEsDaFnRnFoW2+l4JhxVVINPQ=
        whsk_Sv19ym88wcZ4xHco1WVvIOv6VfkNEjy474FHUe9GAD3Buj41Nx1O0sJ3AurCsdR9LqDyYKZr1hl9EtkSWYCpdw==
        evt_qa7llw32co4kbu6y64d2ul54oi 3713290327
        body=LA==
        v1a,5BgvAei7iPf5kW01ISbmfioDewEyADA4yd4gppqReZaVEmHNXguDsls4qEi649UX66iejUsLykdU633mgDPtBA==
        """
}
