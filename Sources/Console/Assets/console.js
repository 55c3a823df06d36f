// What a keyboard and a clipboard add. Every page works without this file; it makes no markup of any text.
"use strict";

(() => {
  const isTyping = (element) =>
    element instanceof HTMLElement && (element.isContentEditable || /^(input|select|textarea)$/i.test(element.tagName));

  // A slash leads to the search field, as `aria-keyshortcuts` says; Escape leads back.
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const field = document.getElementById("q");
    if (!field) return;
    if (event.key === "/" && !isTyping(event.target)) {
      event.preventDefault();
      field.focus();
      field.select();
    } else if (event.key === "Escape" && event.target === field) {
      document.getElementById("content")?.focus();
    }
  });

  // In lists that wait for a decision, j and k go from row to row.
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (event.key !== "j" && event.key !== "k") return;
    const links = [...document.querySelectorAll("tbody th a")];
    if (links.length === 0) return;
    const place = links.indexOf(document.activeElement);
    const next = event.key === "j" ? Math.min(place + 1, links.length - 1) : Math.max(place - 1, 0);
    links[next].focus();
  });

  // A double click sends a form once. The button is freed again when the page is shown from the history.
  const sent = new WeakSet();
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.method !== "post") return;
    if (sent.has(form)) event.preventDefault();
    sent.add(form);
  });
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) for (const form of document.forms) sent.delete(form);
  });
})();
