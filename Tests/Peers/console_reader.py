"""A reader who does not see the drawing: parses the tables of a subscription's page with Python's own parser, recomputes them from the API, and measures the drawing
against them: each bar must begin and end where its row's instants lie on one straight axis."""

import datetime
import html.parser
import urllib.parse

from books_material import original_id
from console_people import DECIDED, LONG, MOVED, REFUNDED, WAITING, Line
from harness import check

HERE = "/apps/demo/Production"
# Coordinates are written in tenths.
TOLERANCE = 0.2


class Page(html.parser.HTMLParser):
    """Tables by the id of their section, each a list of rows of cells; a cell is its text and the instants in it. And the drawing's shapes."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.shapes, self.section, self.cell, self.row = {}, [], None, None, None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag == "h2":
            self.section = given.get("id")
        elif tag == "table":
            self.tables.setdefault(self.section, []).append([])
        elif tag == "tr":
            self.row = []
        elif tag in ("td", "th") and self.row is not None:
            self.cell = ["", []]
        elif tag == "time" and self.cell is not None:
            self.cell[1].append(milliseconds(given["datetime"]))
        elif tag in ("rect", "line", "circle") and "class" in given:
            self.shapes.append((given["class"].split(), given))
        elif tag == "bdi" and self.cell is not None:
            self.cell[0] += " "

    def handle_endtag(self, tag):
        if tag in ("td", "th") and self.cell is not None:
            self.row.append((self.cell[0].strip(), self.cell[1]))
            self.cell = None
        elif tag == "tr" and self.row is not None:
            self.tables[self.section][-1].append(self.row)
            self.row = None

    def handle_data(self, data):
        if self.cell is not None:
            self.cell[0] += data

    def body(self, section):
        """The first table of a section, without its heading."""
        return self.tables.get(section, [[]])[0][1:]


def milliseconds(text):
    return int(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000)


def spans(page, name):
    """Where bars of a class begin and end."""
    return sorted((float(given["x"]), float(given["x"]) + float(given["width"])) for classes, given in page.shapes if name in classes)


def off_axis(spans, times):
    """Bars whose ends are not where their instants lie on the axis that the first and the last of them give."""
    (first, last), (begin, end) = (times[0][0], times[-1][0]), (spans[0][0], spans[-1][0])
    if last == first:
        return []
    scale = (end - begin) / (last - first)
    return [(bar, span) for bar, span in zip(spans, times)
            if abs(begin + (span[0] - first) * scale - bar[0]) > TOLERANCE or span[1] and abs(begin + (span[1] - first) * scale - bar[1]) > max(TOLERANCE, 1)]


def check_reader(books, desk, support):
    line, wrong, rows, bars = Line(desk, support.cookie), [], 0, 0
    for number in (MOVED, DECIDED, WAITING, REFUNDED, LONG):
        id = original_id(number)
        page, told = Page(line.get(f"{HERE}/subscriptions/{id}").text), books.call("GET", f"subscriptions/{urllib.parse.quote(id)}")
        periods = sorted(((one["purchaseDate"], one["end"], one["productId"], one["transactionId"]) for one in told["periods"]), reverse=True)
        listed = [(row[0][1][0], row[1][1][0], row[2][0], row[7][0]) for row in page.body("periods")]
        if listed != periods[:len(listed)] or len(listed) < min(len(periods), 12):
            wrong.append((number, "periods", [pair for pair in zip(listed, periods) if pair[0] != pair[1]][:2], len(listed), len(periods)))
        owners = sorted((one["from"], one.get("until"), one["customer"]) for one in told["tenures"])
        named = sorted((row[1][1][0], row[2][1][0] if row[2][1] else None, row[0][0].strip()) for row in page.body("owners"))
        if named != owners:
            wrong.append((number, "owners", named, owners))
        drawn = spans(page, "paid") + spans(page, "trial") + spans(page, "refunded") + spans(page, "offer")
        drawn.sort()
        times = sorted((start, end) for start, end, _, _ in periods)
        if len(drawn) != len(times):
            wrong.append((number, "bars", len(drawn), len(times)))
        elif len(times) > 1 and (off := off_axis(drawn, times)):
            wrong.append((number, "bars off the axis", off[:2]))
        if len(spans(page, "owner")) != len(owners):
            wrong.append((number, "owners' bars", len(spans(page, "owner")), len(owners)))
        rows, bars = rows + len(listed) + len(named), bars + len(drawn)
    check(f"blind reader: {rows} rows of periods and owners are those of the API, and {bars} bars stand where their rows' instants lie on the axis", not wrong and rows > 20, wrong[:4])
