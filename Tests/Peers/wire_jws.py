"""Apple's own library and `tenure inspect` on the same compact JWS."""

import base64
import json
import logging

from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException

import wire_jws_corpus as corpus
from wire_checks import APP, APPLE_ID, BUNDLE, CHAIN, ENVIRONMENT, FORM, PAYLOAD, SIGNATURE, inspect, side_by_side, written
from wire_jws_on_purpose import ON_PURPOSE

# Which of Apple's statuses can mean a class. Apple's library reports nearly everything as VERIFICATION_FAILURE and has no status
# for a missing field: it treats a missing bundle as another bundle, a missing environment as another one, and a field that cannot
# be read causes an exception of the JSON library.
STATUSES = {
    FORM: {"VERIFICATION_FAILURE", "EXCEPTION"},
    CHAIN: {"VERIFICATION_FAILURE", "INVALID_CERTIFICATE", "INVALID_CHAIN_LENGTH"},
    SIGNATURE: {"VERIFICATION_FAILURE"},
    APP: {"INVALID_APP_IDENTIFIER"},
    ENVIRONMENT: {"INVALID_ENVIRONMENT"},
    PAYLOAD: {"VERIFICATION_FAILURE", "INVALID_APP_IDENTIFIER", "INVALID_ENVIRONMENT", "EXCEPTION"},
}

CLASSES = {
    FORM: {
        "notRecognised",
        "bodyUnreadable",
        "jwsTooLong",
        "notThreeParts",
        "headerTooLong",
        "headerNotBase64URL",
        "headerNotJSON",
        "algorithmNotES256",
        "headerParameterNotAllowed",
        "keyMissing",
        "signatureNotBase64URL",
        "payloadNotBase64URL",
    },
    CHAIN: {
        "chainMissing",
        "chainLengthNotThree",
        "certificateTooLong",
        "certificateNotBase64",
        "rootNotTrusted",
        "certificateMalformed",
        "leafDistrusted",
        "leafMarkerMissing",
        "intermediateMarkerMissing",
        "leafIsCA",
        "intermediateNotCA",
        "leafUsageNotSignature",
        "leafKeyNotP256",
        "chainNeverValid",
        "chainInvalid",
        "signedDateOutsideChain",
    },
    SIGNATURE: {"signatureLengthWrong", "signatureInvalid"},
    APP: {"wrongBundleId", "wrongAppAppleId"},
    ENVIRONMENT: {"wrongEnvironment"},
    PAYLOAD: {"payloadNotJSON", "wrongKind", "fieldMissing", "fieldInvalid", "signedDateInFuture", "renewalInfoNotOfTransaction"},
}
CLASS_OF_CODE = {code: name for name, codes in CLASSES.items() for code in codes}


class Apple:
    """Apple's library as a server uses it: the payload and everything signed inside it."""

    def __init__(self, root, environment):
        self.verifier = SignedDataVerifier([root], False, Environment(environment), BUNDLE, APPLE_ID)

    def refusal(self, case):
        """Its status, or EXCEPTION if it raised something else; None if it accepts."""
        try:
            getattr(self, case.kind)(case.jws)
            return None
        except VerificationException as refused:
            return refused.status.name
        except Exception:
            return "EXCEPTION"

    def transaction(self, signed):
        self.verifier.verify_and_decode_signed_transaction(signed)

    def renewalInfo(self, signed):
        self.verifier.verify_and_decode_renewal_info(signed)

    def appTransaction(self, signed):
        self.verifier.verify_and_decode_app_transaction(signed)

    def realtimeRequest(self, signed):
        self.verifier.verify_and_decode_realtime_request(signed)

    def notification(self, signed):
        """Apple's library leaves what is inside to the caller: that a field was given must not be skipped where it is empty."""
        decoded = self.verifier.verify_and_decode_notification(signed)
        if decoded.data and decoded.data.signedTransactionInfo is not None:
            self.transaction(decoded.data.signedTransactionInfo)
        if decoded.data and decoded.data.signedRenewalInfo is not None:
            self.renewalInfo(decoded.data.signedRenewalInfo)
        if decoded.appData and decoded.appData.signedAppTransactionInfo is not None:
            self.appTransaction(decoded.appData.signedAppTransactionInfo)


def disagreement(case, apple, answer):
    """How the two differ, as text; None if they agree. Our class must be the one that was broken, either way."""
    ours = None if answer.is_accepted else CLASS_OF_CODE.get(answer.code, f"a code without a class, {answer.code}")
    if (apple is None) != (ours is None):
        return f"Apple's library: {apple or 'accepted'}; tenure: {answer.code or 'accepted'}"
    if ours is not None and apple not in STATUSES[ours]:
        return f"both refuse, Apple's library for {apple}, tenure for {answer.code}"
    return None


def check_case(checks, case, apple, answer):
    wrong = disagreement(case, apple, answer)
    if case.name in ON_PURPOSE:
        checks.check(f"{case.name}: is in ON_PURPOSE and differs", wrong is not None, "they agree now: strike it off")
        checks.differs(wrong is not None)
    else:
        checks.check(case.name, wrong is None, wrong)
    ours = None if answer.is_accepted else CLASS_OF_CODE.get(answer.code)
    checks.check(
        f"{case.name}: tenure says what was broken",
        ours == case.fault and answer.status in (0, 1, 2),
        f"{answer.status} {answer.code or 'accepted'}, broken: {case.fault or 'nothing'}",
    )
    if answer.is_accepted:
        signed = json.loads(base64.urlsafe_b64decode(case.jws.split(".")[1] + "=="))
        checks.check(
            f"{case.name}: the payload that is shown is the one that was signed",
            (answer.report.get("kind"), answer.report.get("payload")) == (case.kind, signed),
            answer.report,
        )


def run(checks, folder):
    logging.disable(logging.CRITICAL)
    world = corpus.World.new()
    own_root = world.chain.root.der
    names = set()
    for title, make in corpus.GROUPS.items():
        cases = list(make(world))
        roots = {root: written(folder, f"root-{hash(root)}.der", root) for root in {case.root or own_root for case in cases}}

        def ask(case, roots=roots):
            return inspect(
                case.jws,
                "--root",
                roots[case.root or own_root],
                "--bundle",
                BUNDLE,
                "--environment",
                case.environment,
                "--app-apple-id",
                APPLE_ID,
            )

        for case, answer in zip(cases, side_by_side(ask, cases)):
            check_case(checks, case, Apple(case.root or own_root, case.environment).refusal(case), answer)
        names.update(case.name for case in cases)
        checks.finish(f"JWS, {title} ({len(cases)} cases)")
    checks.check("each entry of ON_PURPOSE is a case", set(ON_PURPOSE) <= names, sorted(set(ON_PURPOSE) - names))
    checks.check("no two cases share a name, and there are enough", len(names) >= 200, len(names))
    checks.finish(f"JWS, the table of differences on purpose ({len(ON_PURPOSE)} of {len(names)} cases)")
