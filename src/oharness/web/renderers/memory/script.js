// The Memory page: notes open beside the list, parts that did not change stay as they are, and what would be recalled.
"use strict";

(() => {
  const pane = () => document.getElementById("memory-pane");
  const split = () => document.querySelector(".memory-split");

  // What the list shows stands in the address too: whoever comes back to it, or reloads, finds it as it was.
  const LIST = ["q", "scope", "type", "sort"];
  function withList(address) {
    const url = new URL(address, location.href);
    const find = document.getElementById("memory-find");
    if (!find) return url;
    for (const name of LIST) {
      const value = find.elements[name].value.trim();
      if (value) url.searchParams.set(name, value); else url.searchParams.delete(name);
    }
    return url;
  }
  document.body.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.elt.id !== "memory-find") return;
    try { history.replaceState({}, "", withList(location.href)); } catch { /* some browsers count these; the next one goes through */ }
  });

  // On a narrow screen the list lies under the note, as it was left.
  document.addEventListener("click", (event) => {
    const back = event.target instanceof Element && event.target.closest(".memory-back:not(.memory-back-always)");
    if (!back || event.button || event.ctrlKey || event.metaKey || event.shiftKey || !document.getElementById("memory-find")) return;
    event.preventDefault();
    const row = document.querySelector(".memory-row[aria-current]");
    history.pushState({}, "", withList(back.href));
    split().classList.remove("memory-has-open");
    pane().replaceChildren();
    mark();
    if (row) { row.focus({ preventScroll: true }); row.scrollIntoView({ block: "center" }); } else window.scrollTo(0, 0);
  });

  // A note opens beside the list; the address goes along, so that a reload and "back" come out where one was.
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element && event.target.closest("a[data-pane]");
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || !pane()) return;
    event.preventDefault();
    if (link.dataset.dropsDraft) dropDraft(link.dataset.dropsDraft);
    open(link.dataset.pane, link.href);
  });

  function open(part, address) {
    htmx.ajax("GET", part, { target: "#memory-pane", swap: "innerHTML" }).then(() => {
      history.pushState({}, "", withList(address));
      split().classList.add("memory-has-open");
      mark();
      const first = pane().querySelector("[data-first]");
      if (first) first.focus(); else pane().focus({ preventScroll: true });
      if (getComputedStyle(document.querySelector(".memory-index")).display === "none") window.scrollTo(0, 0);
    });
  }

  window.addEventListener("popstate", () => location.reload());

  // Which row is open.
  function mark() {
    const shown = pane() && pane().querySelector("[data-note]");
    for (const row of document.querySelectorAll(".memory-row")) {
      if (shown && row.dataset.note === shown.dataset.note) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }
  }

  // A part that came back as it was is not put in anew: selections, focus and scroll positions stay.
  const before = new Map();
  document.body.addEventListener("htmx:beforeSwap", (event) => {
    const target = event.detail.target;
    const calm = target.closest && target.closest("[data-calm]");
    if (!calm || calm !== target || event.detail.xhr.status !== 200) return;
    const text = event.detail.xhr.responseText;
    const name = calm.id || calm.getAttribute("hx-get");
    const isPart = event.detail.requestConfig.elt === calm;
    // Nor is a part replaced while one of its forms waits for an answer, which would have nowhere to go.
    if (isPart && calm.querySelector("form.htmx-request")) { event.detail.shouldSwap = false; return; }
    if (isPart && before.get(name) === text) event.detail.shouldSwap = false;
    before.set(name, text);
  });

  // Something changed between the drawing of this page and the moment it began to be told.
  document.body.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.elt.id === "memory-since" && event.detail.xhr.responseText.trim()) htmx.trigger(document.body, "changed-memory");
  });

  // The earlier versions of a note stay unfolded when the note is drawn anew.
  let unfolded = "";
  document.addEventListener("toggle", (event) => {
    const note = event.target.id === "memory-versions" && event.target.closest("[data-note]");
    if (note && note.isConnected) unfolded = event.target.open ? note.dataset.note : "";
  }, true);
  document.body.addEventListener("htmx:afterSwap", () => {
    const versions = document.getElementById("memory-versions");
    if (versions && versions.closest("[data-note]").dataset.note === unfolded) versions.open = true;
  });

  // A form that is sent the moment it appears waits until it is ready. Drawn anew meanwhile, its like is sent.
  const told = (form) => new URLSearchParams(new FormData(form)).toString();
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented || !form.hasAttribute("hx-post")) return;
    event.preventDefault();
    setTimeout(() => {
      const alike = [...document.forms].find((one) => one.getAttribute("hx-post") === form.getAttribute("hx-post") && told(one) === told(form));
      if (form.isConnected) form.requestSubmit(event.submitter); else if (alike) alike.requestSubmit();
    }, 50);
  });

  // An answer for the list that was overtaken, by a later one or by what is typed, is not shown.
  let asks = 0;
  let shownAsk = 0;
  document.body.addEventListener("htmx:configRequest", (event) => {
    if (event.detail.target && event.detail.target.id === "memory-list") event.detail.ask = ++asks;
  });
  document.body.addEventListener("htmx:beforeSwap", (event) => {
    const { target, requestConfig } = event.detail;
    if (target.id !== "memory-list" || !requestConfig.ask) return;
    const find = document.getElementById("memory-find").elements;
    const isAsked = LIST.every((name) => (requestConfig.parameters[name] || "") === find[name].value);
    if (requestConfig.ask < shownAsk || !isAsked) event.detail.shouldSwap = false; else shownAsk = requestConfig.ask;
  });

  // The list comes back as long as it was.
  document.body.addEventListener("htmx:configRequest", (event) => {
    if (event.detail.elt.id !== "memory-list") return;
    const rows = document.querySelectorAll("#memory-list .memory-row").length;
    if (rows > 50) event.detail.parameters.set("limit", String(Math.min(200, Math.ceil(rows / 50) * 50)));
  });

  document.body.addEventListener("htmx:afterSettle", (event) => {
    mark();
    const moved = pane() && pane().querySelector("[data-keep-draft]");
    if (moved && !moved.dataset.kept) { moved.dataset.kept = "1"; keepDraft(moved.dataset.keepDraft, moved.querySelector("form")); }
    if (event.detail.requestConfig && event.detail.requestConfig.verb === "post") {
      const note = pane() && pane().querySelector("#memory-note");
      const address = event.detail.requestConfig.elt.dataset && event.detail.requestConfig.elt.dataset.address;
      if (pane() && pane().querySelector("[data-gone]")) history.replaceState({}, "", withList(location.pathname));
      if (note && address) history.replaceState({}, "", withList(address));
    }
  });

  // The first order is the usual one: the best match of a search, else what was updated last.
  document.addEventListener("input", (event) => {
    if (event.target.id !== "memory-q") return;
    const order = event.target.form.elements.sort;
    const searches = event.target.value.trim() !== "";
    order.options[0].textContent = searches ? order.options[0].dataset.found : order.options[0].dataset.all;
    order.options[1].hidden = !searches;
    if (!searches && order.value === "updated") order.value = "";
  });

  // What somebody wrote over a note that had moved is kept until it is saved or given up.
  const draftKey = (name) => "draft:" + document.body.dataset.project + ":" + name;
  function keepDraft(name, form) {
    const fields = {};
    for (const field of form.querySelectorAll("textarea[name], input[name]:not([type=hidden]), select[name]")) fields[field.name] = field.value;
    try { sessionStorage.setItem(draftKey(name), JSON.stringify(fields)); } catch { /* the text is still in the page */ }
  }
  // Nor is anything that was typed kept of a note that was forgotten.
  document.body.addEventListener("htmx:afterSwap", () => {
    const forgotten = pane() && pane().querySelector("[data-forgotten]");
    if (forgotten) dropDraft(forgotten.dataset.forgotten);
  });
  function dropDraft(name) { try { sessionStorage.removeItem(draftKey(name)); } catch { /* nothing is kept */ } }
  document.body.addEventListener("done", (event) => {
    const moved = event.target.closest("[data-keep-draft]");
    if (moved) dropDraft(moved.dataset.keepDraft);
  });

  document.addEventListener("click", (event) => {
    const fill = event.target instanceof Element && event.target.closest("[data-fill]");
    if (!fill) return;
    const form = fill.closest("form");
    const body = form.querySelector("textarea[name=body]");
    body.value = form.querySelector(`template[data-text="${fill.dataset.fill}"]`).content.textContent;
    body.dispatchEvent(new Event("input", { bubbles: true }));
    body.focus();
  });

  // The body as it will read; the text stays in its field meanwhile.
  document.addEventListener("click", async (event) => {
    const button = event.target instanceof Element && event.target.closest("[data-preview]");
    if (!button) return;
    const field = button.closest(".memory-body-field");
    const text = field.querySelector("textarea");
    const place = field.querySelector(".memory-body-preview");
    const label = button.querySelector("span");
    if (!place.hidden) {
      place.hidden = true; text.hidden = false;
      [label.textContent, button.dataset.write] = [button.dataset.write, label.textContent];
      button.setAttribute("aria-pressed", "false");
      text.focus();
      return;
    }
    try {
      const answer = await fetch(button.dataset.preview, { method: "POST", body: new URLSearchParams({ body: text.value }), headers: { "HX-Request": "true" } });
      place.innerHTML = await answer.text();
    } catch { return; }  // the banner says that the server is away
    place.hidden = false; text.hidden = true;
    [label.textContent, button.dataset.write] = [button.dataset.write, label.textContent];
    button.setAttribute("aria-pressed", "true");
  });

  // What would be recalled, asked while one types.
  let asking = null;
  let timer = 0;
  async function ask(box) {
    const message = box.querySelector(".memory-try-message").value;
    const place = box.querySelector(".memory-tried");
    if (!message.trim()) { place.replaceChildren(); return; }
    const form = document.getElementById("memory-form");
    const fields = form ? new URLSearchParams(new FormData(form)) : new URLSearchParams();
    fields.set("id", box.dataset.noteId);
    fields.set("message", message);
    if (asking) asking.abort();
    asking = new AbortController();
    try {
      const answer = await fetch(box.dataset.try, { method: "POST", body: fields, headers: { "HX-Request": "true" }, signal: asking.signal });
      if (answer.ok) place.innerHTML = await answer.text();
    } catch { /* asked anew, or the server is away */ }
  }
  document.addEventListener("input", (event) => {
    const editor = event.target.closest(".memory-editor");
    const box = editor && editor.querySelector(".memory-try[open]");
    if (!box) return;
    clearTimeout(timer);
    timer = setTimeout(() => ask(box), 200);
  });

  document.addEventListener("DOMContentLoaded", () => {
    mark();
    const tab = document.querySelector(".memory-tabs [aria-current]");
    if (tab) tab.parentElement.scrollLeft = tab.offsetLeft - tab.parentElement.offsetLeft - (tab.parentElement.clientWidth - tab.offsetWidth) / 2;
  });
})();
