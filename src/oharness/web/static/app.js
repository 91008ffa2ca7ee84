// What every page of oHarness does by itself: live changes, dialogs, drafts, shortcuts, problems said where they happen.
"use strict";

const body = document.body;
const byId = (id) => document.getElementById(id);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const visible = (element) => element.getClientRects().length > 0;
const announce = (text) => { byId("announce").textContent = ""; setTimeout(() => { byId("announce").textContent = text; }, 50); };

// Live changes: one stream while the tab is seen. A hidden tab gives its connection up, since browsers allow few, and
// only says now and then that it is still there.

const live = { stream: null, wasAway: false, hiddenTimer: 0, beatTimer: 0 };

function pageChanged(page) {
  htmx.trigger(body, "changed-" + page);
}

function listen() {
  if (!body.dataset.events || live.stream) return;
  const query = new URLSearchParams({ page: body.dataset.page });
  if (body.dataset.ears) query.set("ears", body.dataset.ears);
  body.dataset.ears = "";
  const more = document.querySelector("[data-events-query]");
  if (more) for (const [name, value] of new URLSearchParams(more.dataset.eventsQuery)) query.set(name, value);
  const stream = new EventSource(body.dataset.events + "?" + query);
  live.stream = stream;
  stream.onopen = () => {
    if (live.wasAway) { live.wasAway = false; byId("away").hidden = true; announce(byId("announce").dataset.back); refresh(); }
  };
  stream.onerror = () => {
    if (live.stream !== stream) return;
    if (stream.readyState === EventSource.CLOSED) { silence(); checkSession(); setTimeout(listen, 3000); }
    live.wasAway = true;
    clearTimeout(live.awayTimer);
    live.awayTimer = setTimeout(() => { if (live.wasAway) byId("away").hidden = !byId("expired").hidden; }, 1500);
  };
  stream.addEventListener("changed", (event) => pageChanged(JSON.parse(event.data).page));
  stream.addEventListener("piece", (event) => body.dispatchEvent(new CustomEvent("piece", { detail: JSON.parse(event.data) })));
}

function silence() {
  if (live.stream) live.stream.close();
  live.stream = null;
}

function refresh() {
  pageChanged(body.dataset.page);
  body.dispatchEvent(new CustomEvent("caught-up"));
}

async function checkSession() {
  try {
    const answer = await fetch(here(), { cache: "no-store" });
    if (answer.status === 401) sessionEnded();
  } catch { /* the server is away: the banner says so */ }
}

const here = () => "/here?" + new URLSearchParams({ project: body.dataset.project, page: body.dataset.page });

function sessionEnded() {
  byId("away").hidden = true;
  byId("expired").hidden = false;
}

document.addEventListener("visibilitychange", () => {
  clearTimeout(live.hiddenTimer);
  clearInterval(live.beatTimer);
  if (document.hidden) {
    live.hiddenTimer = setTimeout(() => {
      silence();
      live.beatTimer = setInterval(() => fetch(here(), { cache: "no-store" }).catch(() => {}), 60000);
    }, 10000);
  } else if (!live.stream) {
    listen();
    refresh();
  }
});
window.addEventListener("pagehide", silence);
window.addEventListener("pageshow", (event) => { if (event.persisted) { listen(); refresh(); } });

// Answers of the server. A part that cannot be drawn says so in its place; a form that is refused stays as it is.

const SCOPES = "form, dialog, [data-problems]";

function problemPlace(element) {
  for (let scope = element.closest(SCOPES); scope; scope = scope.parentElement && scope.parentElement.closest(SCOPES)) {
    const place = scope.querySelector("[data-problem]");
    if (place) return place;
  }
  return byId("problems");
}

body.addEventListener("htmx:beforeSwap", (event) => {
  const { xhr, requestConfig } = event.detail;
  if (requestConfig.elt.hasAttribute("data-dialog")) event.detail.swapOverride = "innerHTML";
  if (xhr.status === 401) { sessionEnded(); event.detail.shouldSwap = false; return; }
  if (xhr.getResponseHeader("X-Go")) { event.detail.shouldSwap = false; return; }
  if (xhr.status < 400) return;
  if (requestConfig.verb === "get") { event.detail.shouldSwap = true; event.detail.isError = false; return; }
  event.detail.shouldSwap = false;
  const place = problemPlace(event.detail.requestConfig.elt);
  place.innerHTML = xhr.responseText;
  if (place.firstElementChild) place.firstElementChild.scrollIntoView({ block: "nearest" });
});

body.addEventListener("htmx:sendError", () => { live.wasAway = true; byId("away").hidden = !byId("expired").hidden; });

body.addEventListener("htmx:beforeRequest", (event) => {
  if (event.detail.requestConfig.verb !== "get") problemPlace(event.detail.elt).replaceChildren();
});

body.addEventListener("htmx:afterRequest", (event) => {
  const { xhr, requestConfig, successful, elt } = event.detail;
  if (requestConfig.verb === "get" || !successful) return;
  const form = elt.closest("form");
  if (form) { forgetDraft(form); form.dispatchEvent(new CustomEvent("done", { bubbles: true })); }
  const to = xhr.getResponseHeader("X-Go");
  if (to) { carry(xhr.responseText); location.assign(to); return; }
  const dialog = elt.closest("#dialog");
  if (dialog && !(form && form.hasAttribute("data-stay"))) dialog.close();
  pageChanged(body.dataset.page);
});

body.addEventListener("htmx:afterSettle", (event) => {
  prepared(event.detail.elt || body);
  keepFocus(event.detail);
});

// Where the button that was pressed went with what was replaced, the keyboard goes on in what came instead.
function keepFocus({ requestConfig, elt }) {
  if (!requestConfig || requestConfig.verb === "get" || document.activeElement !== body || document.querySelector("dialog[open]")) return;
  const target = elt && elt.isConnected ? elt : requestConfig.target;
  if (!target || !target.isConnected) return;
  const first = target.hasAttribute("tabindex") ? target : target.querySelector("[data-first], [tabindex='-1'], button:not(:disabled), a[href], input:not([type=hidden])");
  if (first) first.focus({ preventScroll: true });
}

// Dialogs

body.addEventListener("htmx:afterSwap", (event) => {
  const source = event.detail.requestConfig && event.detail.requestConfig.elt;
  if (source && source.hasAttribute("data-dialog") && !byId("dialog").open) byId("dialog").showModal();
});
for (const dialog of all("dialog")) {
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  dialog.addEventListener("close", () => { if (dialog.id === "dialog") byId("dialog-body").replaceChildren(); });
}
document.addEventListener("click", (event) => {
  const target = event.target instanceof Element ? event.target : null;
  if (!target) return;
  if (target.closest("[data-close]")) { const dialog = target.closest("dialog"); if (dialog) dialog.close(); }
  if (target.closest("[data-dismiss]")) target.closest(".toast, .problem").remove();
  if (target.closest("[data-shows-keys]")) showKeys();
  for (const menu of all("details.menu[open]")) if (!menu.contains(target)) menu.open = false;
});

body.addEventListener("htmx:confirm", (event) => {
  const asks = event.detail.elt.closest("[data-confirm]");
  if (!asks || event.detail.triggeringEvent?.type === "load") return;
  event.preventDefault();
  const dialog = byId("confirm");
  byId("confirm-question").textContent = asks.dataset.confirm;
  const yes = dialog.querySelector("[data-confirmed]");
  yes.classList.toggle("danger", asks.hasAttribute("data-danger"));
  yes.onclick = () => { dialog.close(); event.detail.issueRequest(true); };
  dialog.showModal();
});

// What an answer said is said on the page that it leads to.

const CARRIED = "carried-toast";

function carry(html) {
  try { if (html.trim()) sessionStorage.setItem(CARRIED, html); } catch { /* it is not said */ }
}

function sayCarried() {
  let html = null;
  try { html = sessionStorage.getItem(CARRIED); sessionStorage.removeItem(CARRIED); } catch { return; }
  if (!html) return;
  const kept = document.createElement("template");
  kept.innerHTML = html;
  byId("toasts").append(...kept.content.querySelectorAll(".toast"));
}

// Toasts leave after a while, unless somebody points at them or they are focused.

new MutationObserver((records) => {
  for (const record of records) for (const toast of record.addedNodes) {
    if (!(toast instanceof Element)) continue;
    htmx.process(toast);
    const leave = () => { if (toast.matches(":hover, :focus-within")) setTimeout(leave, 3000); else toast.remove(); };
    setTimeout(leave, toast.querySelector("form") ? 15000 : 6000);
  }
}).observe(byId("toasts"), { childList: true });
byId("toasts").addEventListener("done", (event) => { const toast = event.target.closest(".toast"); if (toast) toast.remove(); });

// Drafts: what is typed is kept in this tab until it was sent.

const draftName = (form) => "draft:" + body.dataset.project + ":" + form.dataset.draft;
const draftFields = (form) => all("textarea[name], input[name]:not([type=hidden]):not([type=checkbox]):not([type=radio]), select[name]", form);
const typedAnything = (form) => draftFields(form).some((field) => field.matches("select")
  ? [...field.options].some((option) => option.selected !== option.defaultSelected) && field.dataset.touched
  : field.value !== field.defaultValue);

function keepDraft(form) {
  const kept = Object.fromEntries(draftFields(form).map((field) => [field.name, field.value]));
  try {
    if (typedAnything(form)) sessionStorage.setItem(draftName(form), JSON.stringify(kept));
    else sessionStorage.removeItem(draftName(form));
  } catch { /* no room: the text is still in the page */ }
}

function forgetDraft(form) {
  if (!form.dataset.draft) return;
  try { sessionStorage.removeItem(draftName(form)); } catch { /* as above */ }
  form.classList.remove("has-draft");
}

function restoreDraft(form) {
  let kept = null;
  try { kept = JSON.parse(sessionStorage.getItem(draftName(form)) || "null"); } catch { return; }
  if (!kept) return;
  let changed = false;
  for (const field of draftFields(form)) {
    if (field.name in kept && field.value !== kept[field.name]) { field.value = kept[field.name]; changed = true; }
  }
  if (!changed) return;
  form.classList.add("has-draft");
  announce(byId("announce").dataset.restored);
  form.dispatchEvent(new CustomEvent("draft-restored", { bubbles: true }));
}

document.addEventListener("input", (event) => {
  const form = event.target.closest("form[data-draft]");
  if (event.target.matches("select")) event.target.dataset.touched = "1";
  if (form) keepDraft(form);
});
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-forget-draft]");
  if (button) { const form = button.closest("form"); forgetDraft(form); form.reset(); form.dispatchEvent(new Event("input", { bubbles: true })); }
});

// Shortcuts: one key, or two one after the other, outside of text fields.

let firstKey = "";
let firstKeyTimer = 0;

const isTyping = (element) => element.matches("input:not([type=checkbox]):not([type=radio]):not([type=button]), textarea, select, [contenteditable]");

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    for (const menu of all("details.menu[open]")) { menu.open = false; menu.querySelector("summary").focus(); }
    if (isTyping(event.target) && !event.target.closest("dialog")) event.target.blur();
    return;
  }
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    const form = event.target.closest("form");
    if (form && event.target.matches("textarea, input")) { event.preventDefault(); form.requestSubmit(); }
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isTyping(event.target)) return;
  if (moveInList(event)) return;
  const scope = document.querySelector("dialog[open]") || document;
  const typed = firstKey ? firstKey + " " + event.key : event.key;
  firstKey = "";
  clearTimeout(firstKeyTimer);
  const keyed = all("[data-key]", scope);
  const found = keyed.find((element) => element.dataset.key === typed && (visible(element) || element.closest("details")));
  if (found) { event.preventDefault(); use(found); return; }
  if (keyed.some((element) => element.dataset.key.startsWith(typed + " "))) {
    firstKey = event.key;
    firstKeyTimer = setTimeout(() => { firstKey = ""; }, 1500);
  }
});

function use(element) {
  if (element.matches("input, textarea, select")) { element.focus(); if (element.select) element.select(); } else if (element.matches("summary")) { element.click(); element.focus(); const first = element.parentElement.querySelector(".menu-list a, .menu-list button"); if (element.parentElement.open && first) first.focus(); } else element.click();
}

function moveInList(event) {
  const step = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 }[event.key];
  if (!step) return false;
  const menu = event.target.closest(".menu-list");
  const list = menu || event.target.closest("[data-list]") || (["j", "k"].includes(event.key) ? document.querySelector("[data-list]") : null);
  if (!list) return false;
  const items = all(menu ? "a, button" : "[data-item]", list).filter(visible);
  const at = items.indexOf(event.target.closest(menu ? "a, button" : "[data-item]"));
  const next = items[at < 0 ? (step > 0 ? 0 : items.length - 1) : at + step];
  if (!next) return false;
  event.preventDefault();
  next.focus();
  return true;
}

function showKeys() {
  const list = document.querySelector("#keys .keys");
  all("[data-gathered]", list).forEach((one) => one.remove());
  const seen = new Set();
  for (const element of all("[data-key][data-key-label]")) {
    const key = element.dataset.key;
    if (seen.has(key) || element.closest("dialog, [hidden]")) continue;
    seen.add(key);
    const name = document.createElement("dt");
    name.dataset.gathered = "";
    for (const part of key.split(" ")) { const cap = document.createElement("kbd"); cap.textContent = part; name.append(cap, " "); }
    const what = document.createElement("dd");
    what.dataset.gathered = "";
    what.textContent = element.dataset.keyLabel;
    list.append(name, what);
  }
  byId("keys").showModal();
}

// What is new on the page.

function prepared(root) {
  for (const form of all("form[data-draft]", root)) {
    if (!form.dataset.prepared) { form.dataset.prepared = "1"; restoreDraft(form); }
  }
}

document.addEventListener("DOMContentLoaded", () => {
  prepared(document);
  sayCarried();
  document.querySelector(".pages [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  listen();
});
