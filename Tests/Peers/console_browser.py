"""A real Chromium walks the console: as each role to every page that is offered, in both languages, with script and without, wide and at
320 px, light and dark; with the keyboard alone; and under a path prefix."""

import html
import os
import re
import time
import urllib.parse

from books_material import original_id
from console_people import DECIDED, LONG, MOVED, PASSWORD, Line
from harness import check
from store_page import CHROMIUM, CONTRAST

ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage"]
LONGEST_PAGE = 60 * 1024
FULL = bool(os.environ.get("FULL"))
HERE = "/apps/demo/Production"

# Runs before any script of a page: what the browser says about broken policies.
LISTEN = """window.broken = [];
document.addEventListener('securitypolicyviolation', found => window.broken.push(found.violatedDirective + ' ' + found.blockedURI));"""

# What WCAG and the page's own rules ask of a document; each fault as a text.
EXAMINE = """language => {
  const faults = [], all = query => [...document.querySelectorAll(query)], text = made => (made.textContent || '').trim();
  const need = (is, words) => { if (!is) faults.push(words); };
  need(document.documentElement.lang === language, 'lang is ' + document.documentElement.lang);
  need(all('h1').length === 1 && text(all('h1')[0]), all('h1').length + ' h1');
  need(document.title, 'no title');
  need(all('main').length === 1 && all('header').length === 1 && all('footer').length === 1, 'landmarks');
  const levels = all('h1,h2,h3,h4,h5,h6').map(made => Number(made.tagName[1]));
  levels.forEach((level, place) => need(place === 0 || level <= levels[place - 1] + 1, 'a heading level is skipped'));
  const skip = document.querySelector('a');
  need(skip && skip.getAttribute('href') === '#content' && document.getElementById('content'), 'no skip link first');
  all('table').forEach(table => {
    need(table.caption && text(table.caption), 'a table without caption');
    [...table.querySelectorAll('th')].forEach(cell => need(cell.scope, 'th without scope'));
    need(table.closest('.wide'), 'a table outside of .wide');
  });
  all('input:not([type=hidden]), select, textarea').forEach(field =>
    need([...(field.labels || [])].some(text) || field.getAttribute('aria-label'), 'no label: ' + field.name));
  all('button, a, summary').forEach(made => need(text(made) || made.getAttribute('aria-label'), 'no name: ' + made.outerHTML.slice(0, 80)));
  all('nav, .wide, [role=group], [role=search]').forEach(made => need(
    made.getAttribute('aria-label') || made.getAttribute('aria-labelledby') || made.getAttribute('role') === 'search', 'no name: ' + made.className));
  all('svg').forEach(made => need(made.getAttribute('aria-hidden') === 'true' || made.getAttribute('role') === 'img'
    && (made.getAttribute('aria-label') || made.getAttribute('aria-labelledby')), 'a picture without a name'));
  all('[aria-labelledby], [aria-describedby]').forEach(made => ['aria-labelledby', 'aria-describedby'].forEach(name =>
    (made.getAttribute(name) || '').split(' ').filter(Boolean).forEach(id => need(document.getElementById(id), name + ' leads nowhere'))));
  const ids = all('[id]').map(made => made.id);
  need(new Set(ids).size === ids.length, 'an id twice: ' + ids.filter((id, place) => ids.indexOf(id) !== place));
  need(all('[style], style, [onclick], script:not([src]), iframe, object, embed, base').length === 0, 'inline script, style or a frame');
  need(all('time').every(made => /(UTC|P[SD]T)/.test(text(made)) && made.dateTime), 'an instant without its zone');
  all('a[href], form[action], link[href], script[src]').forEach(made => need(
    new URL(made.href || made.action || made.src).origin === location.origin, 'leads elsewhere: ' + made.outerHTML.slice(0, 80)));
  return faults;
}"""

# What is wider than the window though it does not stand in something that scrolls by itself; and controls that are too small.
NARROW = """() => {
  const faults = [], root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) {
    const out = [...document.querySelectorAll('body *')].filter(made => !made.parentElement.closest('.wide, pre')
      && made.getBoundingClientRect().right > root.clientWidth + 1);
    faults.push(`${root.scrollWidth} px wide: ` + out.slice(0, 3).map(made => made.tagName + '.' + made.className + ' ' + made.textContent.slice(0, 30)).join(' | '));
  }
  document.querySelectorAll('button, input:not([type=hidden]), select, textarea, header nav a, nav.pages a, summary').forEach(made => {
    const box = made.getBoundingClientRect();
    if (box.width && (box.height < 24 || box.width < 24)) faults.push(`${made.tagName} ${made.textContent.slice(0, 20)} is ${box.width}x${box.height}`);
  });
  return faults;
}"""

# What has the focus, and whether one sees it.
FOCUS = """() => {
  const made = document.activeElement, look = getComputedStyle(made), box = made.getBoundingClientRect();
  return {tag: made.tagName, name: made.name || '', text: made.textContent.trim().slice(0, 60), href: made.getAttribute('href') || '',
    isSeen: look.outlineStyle !== 'none' && parseFloat(look.outlineWidth) >= 2 && box.width > 0 && box.bottom > 0 && box.top < innerHeight};
}"""


class Window:
    """A window of the browser with everything that it complains of."""

    def __init__(self, browser, desk, cookie=None, **settings):
        self.desk, self.complaints, self.expected = desk, [], 200
        self.context = browser.new_context(**{"locale": "en-GB", "viewport": {"width": 1280, "height": 900}, **settings})
        self.context.add_init_script(LISTEN)
        self.has_script = settings.get("java_script_enabled", True)
        if cookie:
            self.context.add_cookies([{"name": desk.cookie_name, "value": cookie, "domain": "127.0.0.1", "path": desk.prefix or "/", "httpOnly": True, "sameSite": "Lax"}])
        self.page = self.context.new_page()
        self.page.set_default_timeout(15_000)
        self.page.on("console", self.note)
        self.page.on("pageerror", lambda error: self.complaints.append(f"{self.page.url}: {error}"))
        # A page that is left before its icon has come is no fault of the page's.
        self.page.on("requestfailed", lambda asked: asked.url.endswith(".svg") and "ERR_ABORTED" in str(asked.failure) or self.complaints.append(f"{asked.url}: {asked.failure}"))
        self.page.on("dialog", lambda dialog: (self.complaints.append(f"dialog {dialog.message}"), dialog.dismiss()))
        self.page.on("request", lambda asked: asked.url.startswith(desk.origin + "/") or self.complaints.append(f"asks elsewhere: {asked.url}"))

    def note(self, message):
        # Chromium reports an answer of 400 and more as failed; those that are not expected are found by their status.
        if "the server responded with a status of 4" not in message.text:
            self.complaints.append(f"{self.page.url}: {message.text}")

    def open(self, path):
        return self.page.goto(self.desk.origin + path)

    @property
    def heading(self):
        # Of isolates and spaces that are there for the eye.
        return re.sub("[\u2068\u2069]", "", self.page.locator("h1").inner_text())

    def broken(self):
        return self.page.evaluate("window.broken || []") if self.has_script else []

    def cookie(self):
        return next((one for one in self.context.cookies() if one["name"] == self.desk.cookie_name), None)

    def close(self):
        self.context.close()


class Walk:
    """Every page that is offered to somebody, from the beginning on: links and forms that ask (GET)."""

    def __init__(self, desk, cookie):
        self.line, self.desk, self.pages, self.wrong, self.longest = Line(desk, cookie), desk, [], [], (0, "")
        self.shapes, waiting = {}, [desk.prefix + "/", desk.prefix + "/account"]
        seen = set(waiting)
        while waiting:
            path = waiting.pop(0)
            answer = self.line.get(path)
            if answer.status == 303 and path == desk.prefix + "/":
                found = [answer.header("location")]
            else:
                self.keep(path, answer)
                found = self.offered(path, answer)
            for target in found:
                if target not in seen and self.is_new(target):
                    seen.add(target)
                    waiting.append(target)

    def keep(self, path, answer):
        if answer.status != 200 or not answer.header("content-type").startswith("text/html"):
            self.wrong.append((path, answer.status))
        twin = self.line.get(path, headers={"Accept": "application/json"})
        try:
            is_twin = twin.status == 200 and twin.header("content-type") == "application/json" and isinstance(twin.json, dict)
        except ValueError:
            is_twin = False
        if not is_twin:
            self.wrong.append((path, "no JSON twin", twin.status))
        self.longest = max(self.longest, (len(answer.content), path))
        self.pages.append(path)

    def offered(self, path, answer):
        found = [html.unescape(href) for href in re.findall(r'href="([^"]*)"', answer.text)]
        for tag in re.findall(r"<form[^>]*>", answer.text):
            if 'method="get"' in tag:
                found.append(html.unescape(re.search(r'action="([^"]*)"', tag)[1]))
        links = [urllib.parse.urljoin(path, href).split("#")[0] for href in found if "/assets/" not in href and not href.startswith("#")]
        self.wrong += [(path, "leads outside", link) for link in links if not link.startswith(self.desk.prefix + "/")]
        return [link for link in links if link.startswith(self.desk.prefix + "/")]

    def is_new(self, path):
        """Of pages of one kind a few are enough: rules, facts, steps back in lists."""
        shape = re.sub(r"/rules/[^/]+$", "/rules/*", re.sub(r"/facts/\d+$", "/facts/*", re.sub(r"=[^&]*", "=*", path)))
        self.shapes[shape] = self.shapes.get(shape, 0) + 1
        return shape == path or self.shapes[shape] <= (3 if FULL else 1)


def examine(window, pages, language):
    """Opens each page and examines it, at the window's width."""
    faults = []
    for path in pages:
        status = window.open(path).status
        found = [] if status == 200 else [f"status {status}"]
        found += window.page.evaluate(EXAMINE, language) + window.page.evaluate(NARROW) + window.broken()
        faults += [(path, fault) for fault in found]
    return faults


# In which window a role's pages are opened: language, script or none, colours, width.
WIDE = {"viewport": {"width": 1280, "height": 900}}
SMALL = {"viewport": {"width": 320, "height": 720}}
WAYS = [
    ("en", "with script, light, at 1280 px", {"locale": "en-GB", **WIDE}),
    ("zh-Hans", "without script, dark, at 320 px", {"locale": "zh-CN", "java_script_enabled": False, "color_scheme": "dark", **SMALL}),
    ("en", "without script, light, at 320 px", {"locale": "en-GB", "java_script_enabled": False, **SMALL}),
    ("zh-Hans", "with script, dark, at 1280 px", {"locale": "zh-CN", "color_scheme": "dark", **WIDE}),
]


def check_roles(browser, desk, operators):
    """Each role, both languages, with script and without; administrators see the most, and are shown it in every way."""
    for operator in operators:
        check_role(browser, desk, operator, WAYS[:4 if FULL or operator.role == "admin" else 2])


def check_role(browser, desk, operator, ways, where=None):
    """`where`: on which books, if not on those of the whole run."""
    who, walk = f"{operator.role} {where}" if where else operator.role, Walk(desk, operator.cookie)
    check(f"{who}: each of {len(walk.pages)} pages that links and forms offer is there, in HTML and as JSON", not walk.wrong and len(walk.pages) > 5, walk.wrong[:5])
    check(f"{who}: no page is longer than 60 KB; the longest has {walk.longest[0]:,} bytes", walk.longest[0] <= LONGEST_PAGE, walk.longest)
    for language, way, settings in ways:
        window = Window(browser, desk, operator.cookie, **settings)
        faults = examine(window, walk.pages, language)
        check(f"{who}: {len(walk.pages)} pages in {language}, {way}: structure, names, nothing sideways", not faults, faults[:6])
        check(f"{who}: and no console message, no breach of the policy, no request elsewhere", window.complaints == [], window.complaints[:5])
        window.close()


def check_colours(browser, desk, admin):
    """Contrast in light and dark; what stays of the page in forced colours; Sandbox has another frame."""
    sample = [HERE, f"{HERE}/customers/bob", f"{HERE}/subscriptions/{original_id(MOVED)}", f"{HERE}/verify", "/apps/demo/Sandbox", "/operators", f"{HERE}/nothing"]
    least, frames = {}, {}
    for scheme in ("light", "dark"):
        window = Window(browser, desk, admin.cookie, color_scheme=scheme)
        for path in sample:
            window.open(path)
            least[scheme] = min(least.get(scheme, [99, ""]), window.page.evaluate(CONTRAST) + [path])
            frames[scheme, path] = window.page.evaluate("getComputedStyle(document.querySelector('header.bar')).backgroundColor")
        window.close()
    said = ", ".join(f"{scheme} {found[0]:.2f}" for scheme, found in least.items())
    check(f"the least contrast of a text is 4.5 to 1 or more: {said}", all(found[0] >= 4.5 for found in least.values()), least)
    differs = all(frames[scheme, HERE] != frames[scheme, "/apps/demo/Sandbox"] for scheme in ("light", "dark"))
    check("Sandbox has a frame of another colour, in light and in dark", differs, frames)
    window = Window(browser, desk, admin.cookie, forced_colors="active", reduced_motion="reduce")
    window.open(f"{HERE}/subscriptions/{original_id(MOVED)}")
    bars = window.page.locator("main svg [class]").count()
    check("in forced colours the page has its drawing and no complaint", bars > 0 and window.complaints == [], (bars, window.complaints))
    window.close()


def check_text_size(browser, desk, admin):
    """400 % of a window of 1280 px is one of 320 px, which is done; here a text twice as large."""
    window = Window(browser, desk, admin.cookie)
    faults = []
    for path in (HERE, f"{HERE}/customers/bob", f"{HERE}/subscriptions/{original_id(DECIDED)}", "/account"):
        window.open(path)
        window.page.evaluate("document.styleSheets[0].insertRule('html { font-size: 200% !important }', 0)")
        window.page.set_viewport_size({"width": 640, "height": 720})
        faults += [(path, fault) for fault in window.page.evaluate(NARROW)]
    check("with texts twice as large nothing leaves a window of 640 px", not faults, faults[:5])
    window.close()


class Keyboard:
    """Hands without a mouse."""

    def __init__(self, window):
        self.window, self.page, self.unseen, self.presses = window, window.page, [], 0

    def tab_to(self, is_it, most=120):
        """Presses Tab until it is there; each place on the way must be seen."""
        for _ in range(most):
            self.page.keyboard.press("Tab")
            self.presses += 1
            focus = self.page.evaluate(FOCUS)
            if focus["tag"] != "BODY" and not focus["isSeen"]:
                self.unseen.append((self.page.url, focus))
            if is_it(focus):
                return True
        return False

    def fill(self, name, text):
        is_there = self.tab_to(lambda focus: focus["name"] == name)
        self.page.keyboard.type(text)
        return is_there

    def enter(self):
        with self.page.expect_navigation():
            self.page.keyboard.press("Enter")


def check_keyboard(browser, desk, support):
    """From the login to the subscription that moved, without a mouse and without script."""
    window = Window(browser, desk, java_script_enabled=False)
    hands = Keyboard(window)
    window.open(f"{HERE}/search")
    at_login = window.heading
    is_filled = [hands.fill("name", support.name), hands.fill("password", PASSWORD), hands.fill("code", support.code())]
    hands.enter()
    check("keyboard: who is not logged in is asked, and then gets the page that was asked for", at_login == "Log in" and all(is_filled) and window.heading == "Search", (at_login, is_filled, window.heading))
    first = hands.tab_to(lambda focus: focus["href"] == "#content", 2)
    check("keyboard: the first stop skips to the content", first)
    hands.fill("q", "bob")
    hands.enter()
    customer, moved = f"{HERE}/customers/bob", f"{HERE}/subscriptions/{original_id(MOVED)}"
    is_found = hands.tab_to(lambda focus: focus["href"] == customer)
    hands.enter()
    at_customer = window.heading
    is_linked = hands.tab_to(lambda focus: focus["href"] == moved)
    hands.enter()
    check("keyboard: search, the customer, the subscription, by Tab and Enter alone", is_found and is_linked and "bob" in at_customer and original_id(MOVED) in window.heading,
          (is_found, at_customer, is_linked, window.heading))
    hands.tab_to(lambda focus: focus["href"] == f"{moved}/facts/1", 200)
    hands.enter()
    check("keyboard: and the evidence of its first fact", window.page.url.endswith("/facts/1") and window.complaints == [], (window.page.url, window.complaints))
    check(f"keyboard: at each of {hands.presses} stops one sees where the focus is", hands.unseen == [], hands.unseen[:3])
    window.close()
    window = Window(browser, desk, support.cookie)
    window.open(f"{HERE}/inbox")
    window.page.keyboard.press("/")
    focused = window.page.evaluate(FOCUS)["name"]
    window.page.keyboard.press("Escape")
    left = window.page.evaluate("document.activeElement.id")
    window.page.keyboard.press("j")
    row = window.page.evaluate(FOCUS)
    check("keyboard: with script / leads to the search, Escape to the content, j to the first row", (focused, left) == ("q", "content") and "/subscriptions/" in row["href"], (focused, left, row))
    window.close()


def set_up(browser, desk, operator):
    """Follows the link as a person does, with the telephone in hand."""
    window = Window(browser, desk)
    window.page.goto(operator.link)
    faults = window.page.evaluate(EXAMINE, "en")
    window.page.locator("input[name=password]").fill(PASSWORD)
    window.page.locator("input[name=repeated]").fill(PASSWORD)
    window.page.locator("main button").click()
    operator.secret = window.page.locator("code.secret").inner_text().strip()
    operator.picture = window.page.locator("svg.qr rect").count()
    faults += window.page.evaluate(EXAMINE, "en")
    window.page.locator("input[name=code]").fill(operator.code())
    window.page.locator("main button").click()
    operator.recovery = [text.strip() for text in window.page.locator(".codes code").all_inner_texts()]
    operator.cookie = window.cookie()["value"]
    faults += window.page.evaluate(EXAMINE, "en") + window.complaints + window.broken()
    window.close()
    return faults


def check_first_login(browser, desk, operators):
    """Two of them in the browser, the others as programs do it: each password takes its time."""
    for operator in operators:
        if operator.role not in ("support", "admin") and not FULL:
            operator.set_up(Line(desk))
            continue
        faults = set_up(browser, desk, operator)
        is_whole = len(operator.secret) == 32 and len(set(operator.recovery)) == 10 and operator.picture > 100
        check(f"{operator.role}: link, password, code of an authenticator that is not ours, ten recovery codes", is_whole and not faults, (operator.recovery, faults[:5]))
        window = Window(browser, desk, locale="zh-CN", viewport={"width": 320, "height": 720}, color_scheme="dark")
        window.open("/login")
        faults = window.page.evaluate(EXAMINE, "zh-Hans") + window.page.evaluate(NARROW)
        if operator.role == "support":  # Logs in with the keyboard, later.
            window.close()
            continue
        window.page.locator("input[name=name]").fill(operator.name)
        window.page.locator("input[name=password]").fill(PASSWORD)
        window.page.locator("input[name=code]").fill(operator.code())
        window.page.locator("main button").click()
        name = window.page.locator(".who a").inner_text()
        check(f"{operator.role}: logs in by the form, in Chinese, dark, at 320 px", name == operator.name and not faults + window.complaints, (name, faults, window.complaints))
        operator.cookie = window.cookie()["value"]
        window.close()


def check_own_choice(browser, desk, viewer):
    """The operator's own language and zone stand before the browser's; what was chosen is shown as chosen."""
    window = Window(browser, desk, viewer.cookie)
    window.open("/account")
    form = window.page.locator("form:has(select[name=language])")
    form.locator("select[name=language]").select_option("zh-Hans")
    form.locator("select[name=zone]").select_option(index=1)
    form.locator("button").click()
    faults = window.page.evaluate(EXAMINE, "zh-Hans")
    zone = window.page.locator("p.clock time").inner_text()
    check("a language and a zone that an operator chose hold, whatever the browser prefers", not faults and re.search("P[SD]T", zone) and window.complaints == [], (faults, zone, window.complaints))
    form = window.page.locator("form:has(select[name=language])")
    form.locator("select[name=language]").select_option("")
    form.locator("select[name=zone]").select_option(index=0)
    form.locator("button").click()
    window.close()


def check_prefix(browser, desk, admin):
    """The same behind https://host/tenure: every address has the prefix, and a login works there."""
    begun = time.monotonic()
    window = Window(browser, desk, locale="zh-CN", color_scheme="dark", viewport={"width": 320, "height": 720})
    window.open(desk.prefix + HERE + "/customers/bob")
    window.page.locator("input[name=name]").fill(admin.name)
    window.page.locator("input[name=password]").fill(PASSWORD)
    window.page.locator("input[name=code]").fill(admin.recovery.pop())
    window.page.locator("main button").click()
    cookie = window.cookie()
    is_there = window.page.url == f"{desk.origin}{desk.prefix}{HERE}/customers/bob"
    check("prefix: a login with a recovery code leads to the page that was asked for, and the cookie is for the prefix alone", is_there and cookie["path"] == desk.prefix, (window.page.url, cookie))
    walk = Walk(desk, cookie["value"])
    # What is laid out is the same as without a prefix; links, forms and files are not.
    sample = [path for path in walk.pages if path.count("/") < 6 or path.endswith("/facts/1")]
    faults = walk.wrong + examine(window, walk.pages if FULL else sample[:16], "zh-Hans")
    check(f"prefix: {len(walk.pages)} pages, every address with the prefix: {time.monotonic() - begun:.0f} s", len(walk.pages) > 20 and not faults and window.complaints == [], (faults[:5], window.complaints[:3]))
    outside = [window.line.get(path).status for window.line in [Line(desk, cookie["value"])] for path in (HERE, "/", "/login", "/tenurex", "/account")]
    check("prefix: nothing is answered beside it", outside == [404] * 5, outside)
    window.close()


def check_long(desk, support):
    """120 periods: the page stays short, and its lists are read to the end by their links."""
    line = Line(desk, support.cookie)
    path, seen, steps = f"{HERE}/subscriptions/{original_id(LONG)}/periods", [], 0
    while path and steps < 20:
        answer = line.get(path)
        seen += re.findall(r"<time datetime=\"([^\"]+)\"", answer.text.split("<tbody>")[1].split("</tbody>")[0]) if "<tbody>" in answer.text else []
        found = [html.unescape(href) for href in re.findall(r'href="([^"]*/periods\?before=\d+)"', answer.text)]
        path, steps = (found[-1] if found and found[-1] != path else None), steps + 1
    check(f"a list of 120 periods is read whole in {steps} pages", len(set(seen)) >= 121 and steps > 1, (len(set(seen)), steps))
