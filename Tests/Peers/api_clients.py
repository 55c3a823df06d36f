#!/usr/bin/env python3
"""Clients that three generators make from the API's document: Python's lives a life against a server; with FULL=1 also Swift's and TypeScript's
are made and compiled (a Java runtime and Debian's node-typescript). Prints one line per check; the exit code is 1 when one failed."""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

import harness
from books_material import DAY, Books, Signer, original_id
from harness import ROOT, check

DOCUMENT = ROOT / "docs/openapi.json"
# What the generated code needs of axios; the package itself is not among Debian's.
AXIOS = """
declare module 'axios' {
  export type AxiosPromise<T = any> = Promise<AxiosResponse<T>>;
  export interface AxiosResponse<T = any, D = any> { data: T; status: number; config?: D }
  export type RawAxiosRequestConfig = { [name: string]: any };
  export type AxiosRequestConfig = RawAxiosRequestConfig;
  export interface AxiosInstance { defaults: any; request<T = any, R = AxiosResponse<T>>(config: any): Promise<R> }
  const axios: AxiosInstance;
  export default axios;
}
"""


def tool(name):
    return pathlib.Path(sys.executable).parent / name


def ran(*arguments, cwd=None, timeout=600):
    outcome = subprocess.run([str(argument) for argument in arguments], cwd=cwd, capture_output=True, text=True, timeout=timeout)
    return outcome.returncode == 0, (outcome.stdout + outcome.stderr)[-2000:]


def check_python(folder):
    """A2: buy, upload, read, grant, refund, by a client that nobody wrote."""
    is_made, output = ran(tool("openapi-python-client"), "generate", "--path", DOCUMENT, "--output-path", folder / "python", cwd=folder)
    check("A2 openapi-python-client makes a client", is_made and "unable to" not in output.lower(), output)
    sys.path.insert(0, str(folder / "python"))
    from tenure_client import AuthenticatedClient
    from tenure_client.api.access import read_entitlements, read_many_entitlements
    from tenure_client.api.customers import read_customer
    from tenure_client.api.purchases import ask_purchase, upload_transaction
    from tenure_client.api.subscriptions import read_subscription
    from tenure_client.api.votes import grant_entitlement, withdraw_vote
    from tenure_client.models import BulkQuestion, Grant, Intent, Problem, Upload, Withdrawal

    signer = Signer(folder)
    books = Books(folder, signer)
    now = int(time.time() * 1000)
    with books.serving():
        client = AuthenticatedClient(base_url=books.server, token=books.keys.server)
        forecast = ask_purchase.sync("demo", "alice", client=client, body=Intent(product_id="plus.monthly"))
        check("it asks before buying", forecast.answer == "yes" and forecast.app_account_token, forecast)
        bought = signer.jws(signer.transaction(1, 2, transactionReason="PURCHASE", appAccountToken=forecast.app_account_token))
        uploaded = upload_transaction.sync("demo", "alice", client=client, body=Upload(kind="purchase", signed_transaction_info=bought))
        check("it uploads what was bought", uploaded.is_owner and uploaded.original_transaction_id == original_id(1), uploaded)
        answer = read_entitlements.sync("demo", "alice", client=client)
        check("it reads what alice may use", answer.is_active and answer.entitlements[0].rests_on.product_id == "plus.monthly", answer)
        granted = grant_entitlement.sync("demo", "bob", "week", client=client, body=Grant(entitlement="plus", until=now + 7 * DAY, actor="mia"))
        check("it grants bob a week", granted.changes[0].windows[0].end == now + 7 * DAY, granted)
        withdrawn = withdraw_vote.sync("demo", "bob", "week-off", client=client, body=Withdrawal(vote="week"))
        check("and takes it back", withdrawn.withdraws == "week", withdrawn)
        refund = signer.transaction(1, 2, transactionReason="PURCHASE", revocationDate=now - 1000, revocationReason=0, signedDate=now - 500)
        upload_transaction.sync("demo", "alice", client=client, body=Upload(kind="queue", signed_transaction_info=signer.jws(refund)))
        both = read_many_entitlements.sync("demo", client=client, body=BulkQuestion(customers=["alice", "bob"]))
        check("after a refund neither has anything", [one.is_active for one in both.customers] == [False, False], both)
        subscription = read_subscription.sync("demo", original_id(1), client=client)
        check("the subscription explains it", subscription.owner == "alice" and any("refund" in line for line in subscription.explain), subscription.explain)
        customer = read_customer.sync("demo", "bob", client=client)
        check("the customer shows both votes", [vote.kind for vote in customer.votes] == ["grant", "withdrawal"], customer.votes)
        problem = read_subscription.sync("demo", "1", client=client)
        check("a refusal is a problem with its code", isinstance(problem, Problem) and problem.code == "unknownSubscription", problem)


def check_compiled(folder):
    generator = tool("openapi-generator-cli")
    is_made, output = ran(generator, "generate", "-i", DOCUMENT, "-g", "swift6", "-o", folder / "swift")
    check("A2 openapi-generator makes a Swift client", is_made, output)
    is_compiled, output = ran("swift", "build", "--package-path", folder / "swift")
    check("A2 which compiles", is_compiled, output)
    is_made, output = ran(generator, "generate", "-i", DOCUMENT, "-g", "typescript-axios", "-o", folder / "ts")
    check("A2 openapi-generator makes a TypeScript client", is_made, output)
    (folder / "axios.d.ts").write_text(AXIOS)
    is_compiled, output = ran("tsc", "--noEmit", "--strict", "--target", "es2020", "--moduleResolution", "node", "--lib", "es2020,dom",
                              "axios.d.ts", "ts/index.ts", cwd=folder)
    check("A2 which compiles", is_compiled, output)


def main():
    with tempfile.TemporaryDirectory() as name:
        check_python(pathlib.Path(name))
        if os.environ.get("FULL"):
            check_compiled(pathlib.Path(name))
    return harness.summary()


if __name__ == "__main__":
    sys.exit(main())
