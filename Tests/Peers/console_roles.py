"""Every route as every role by plain HTTP: 200, or 403 and no control that leads there."""

import html
import re
import urllib.parse

from books_material import original_id
from console_people import MOVED, Line
from harness import check

ROLES = ("viewer", "analyst", "support", "operator", "admin")
HERE = "/apps/demo/Production"
SUBSCRIPTION = f"{HERE}/subscriptions/{original_id(MOVED)}"

# By hand from docs/operations/console.md: health, catalogue and policy for everybody; customers, their subscriptions and what waits for support; how the
# server runs for operators; operators and their audit for administrators.
EVERYBODY, OF_CUSTOMERS, OF_SERVER, OF_OPERATORS = ROLES, ("support", "operator", "admin"), ("operator", "admin"), ("admin",)
TABLE = {
    HERE: EVERYBODY, f"{HERE}/policy": EVERYBODY, f"{HERE}/catalogue": EVERYBODY, f"{HERE}/verify": EVERYBODY, "/rules": EVERYBODY, "/rules/OWN-2": EVERYBODY,
    "/account": EVERYBODY, "/apps/demo/Sandbox": EVERYBODY,
    f"{HERE}/search": OF_CUSTOMERS, f"{HERE}/search?q=bob": OF_CUSTOMERS, f"{HERE}/customers/bob": OF_CUSTOMERS, f"{HERE}/customers/nobody-yet": OF_CUSTOMERS,
    SUBSCRIPTION: OF_CUSTOMERS, f"{SUBSCRIPTION}?at=2026-01-01T00:00:00Z": OF_CUSTOMERS, f"{SUBSCRIPTION}/facts/1": OF_CUSTOMERS, f"{HERE}/inbox": OF_CUSTOMERS,
    **{f"{SUBSCRIPTION}/{list}": OF_CUSTOMERS for list in ("periods", "owners", "revisions", "claims", "votes", "facts", "audit", "events", "work")},
    "/apps/demo/Sandbox/search": OF_CUSTOMERS, "/apps/demo/Sandbox/customers/bob": OF_CUSTOMERS,
    f"{HERE}/operations": OF_SERVER, f"{HERE}/jobs": OF_SERVER, "/apps/demo/Sandbox/operations": OF_SERVER,
    "/operators": OF_OPERATORS, "/operators/audit": OF_OPERATORS, "/operators/audit?actor=o-support": OF_OPERATORS,
}
INSPECT = f"{HERE}/search/inspect"
NAMES = ("bob", "customer-1", "lena", "carol", original_id(MOVED))


def leads(answer):
    """Where links and forms of a page lead, without their query."""
    found = re.findall(r'(?:href|action)="([^"]*)"', answer.text)
    return {urllib.parse.urlsplit(html.unescape(href)).path for href in found}


def check_roles(desk, operators):
    wrong, shown, told = [], [], []
    for role, operator in operators.items():
        line = Line(desk, operator.cookie)
        forbidden = {urllib.parse.urlsplit(path).path for path, roles in TABLE.items() if role not in roles} | (set() if role in OF_CUSTOMERS else {INSPECT})
        for path, roles in TABLE.items():
            wanted = 200 if role in roles else 403
            for headers in ({}, {"Accept": "application/json"}):
                answer = line.get(path, headers=headers)
                if answer.status != wanted:
                    wrong.append((role, path, answer.status))
                if answer.status == 403 and any(name in answer.text.replace(path, "") for name in NAMES):
                    told.append((role, path))
                if not headers:
                    shown += [(role, path, one) for one in leads(answer) & forbidden]
                    # Neither is any other customer's page or list offered.
                    shown += [(role, path, one) for one in leads(answer) if role not in OF_CUSTOMERS and re.search("/(customers|subscriptions)/", one)]
        answer = line.post(INSPECT, {"form": line.form, "text": "nothing that Apple signs"})
        if answer.status != (200 if role in OF_CUSTOMERS else 403):
            wrong.append((role, INSPECT, answer.status))
    count = len(TABLE) + 1
    check(f"route and role: {count} routes as {len(operators)} roles, as pages and as JSON, are 200 or 403 as docs/operations/console.md says", len(operators) == 5 and not wrong, wrong[:6])
    check("route and role: no page has a control that leads to what is forbidden", not shown, shown[:6])
    check("route and role: what is forbidden says nothing of whom it is about", not told, told[:6])
    check_nobody(desk)
    check_names(desk, operators)


def check_nobody(desk):
    line, wrong = Line(desk), []
    for path in TABLE:
        page, twin = line.get(path), line.get(path, headers={"Accept": "application/json"})
        to = urllib.parse.urlsplit(page.header("location") or "")
        next = [urllib.parse.unquote(one) for one in urllib.parse.parse_qs(to.query).get("next", [])]
        if page.status != 303 or to.path != "/login" or next != ([path] if path != "/account" else []) or twin.status != 401:
            wrong.append((path, page.status, page.header("location"), twin.status))
    check(f"route and role: who is not logged in is led to the login from {len(TABLE)} routes, and a program is told 401", not wrong, wrong[:4])


def check_names(desk, operators):
    """Viewers and analysts see no single customer on any page that is theirs."""
    told = []
    for role in ("viewer", "analyst"):
        line = Line(desk, operators[role].cookie)
        for path, roles in TABLE.items():
            if role in roles and path != "/account":
                for headers in ({}, {"Accept": "application/json"}):
                    text = line.get(path, headers=headers).text
                    told += [(role, path, name) for name in NAMES if re.search(rf"\b{re.escape(name)}\b", text)]
    check("route and role: no page of viewers and analysts names a customer or a subscription", not told, told[:6])
