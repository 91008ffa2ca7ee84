// The conversation: pieces of it as they come, the message that is written, questions of the agent.
"use strict";

(() => {
  const composer = document.getElementById("composer");
  if (!composer) return;
  const message = composer.elements.text;
  const log = () => document.getElementById("log");
  const recent = [];

  const nearEnd = () => window.innerHeight + window.scrollY > document.documentElement.scrollHeight - 160;
  const toEnd = () => window.scrollTo({ top: document.documentElement.scrollHeight });

  function fit() {
    message.style.height = "auto";
    message.style.height = Math.min(message.scrollHeight + 2, window.innerHeight * 0.4) + "px";
  }

  function put(piece) {
    const holder = document.createElement("template");
    holder.innerHTML = piece.html.trim();
    const item = holder.content.firstElementChild;
    if (!item) return;
    const old = document.getElementById(item.id);
    document.getElementById("i-unanswered")?.remove();
    const was = old && { open: old.querySelector("details")?.open, live: old.dataset.live, focused: old.contains(document.activeElement) };
    const stick = nearEnd();
    if (old) {
      if (old.isEqualNode(item)) return;
      old.replaceWith(item);
    } else {
      document.getElementById("chat-empty")?.remove();
      log().append(item);
    }
    if (was?.open && item.querySelector("details")) item.querySelector("details").open = true;
    htmx.process(item);
    if (stick) toEnd();
    if (piece.kind === "answer" && item.dataset.live === "no" && (!was || was.live === "yes")) announce(item.textContent.trim().slice(0, 1500));
    if (piece.kind === "problem" && !was) announce(item.textContent.trim());
    if (piece.kind === "approval") asked(item, Boolean(was?.focused));
  }

  function asked(item, hadFocus) {
    if (item.dataset.approval === "open") {
      announce(log().dataset.asks + " " + item.querySelector("h3").textContent.trim());
      if (!message.value && (document.activeElement === message || document.activeElement === document.body)) item.querySelector("button").focus({ preventScroll: true });
    } else if (hadFocus || document.activeElement === document.body) message.focus({ preventScroll: true });
  }

  document.body.addEventListener("piece", (event) => {
    recent.push({ at: Date.now(), piece: event.detail });
    while (recent.length > 400 || (recent.length && Date.now() - recent[0].at > 10000)) recent.shift();
    put(event.detail);
  });
  // A whole log that was asked for may be older than pieces that came meanwhile.
  document.body.addEventListener("htmx:afterSettle", (event) => {
    if (event.target.id === "log" || event.detail.target?.id === "log") recent.forEach((one) => put(one.piece));
  });

  message.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229 || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    if (message.value.trim()) composer.requestSubmit();
  });
  message.addEventListener("input", fit);
  composer.addEventListener("draft-restored", fit);
  composer.addEventListener("submit", (event) => { if (!message.value.trim()) { event.preventDefault(); event.stopImmediatePropagation(); } }, true);
  composer.addEventListener("done", () => { message.value = ""; fit(); toEnd(); });
  document.addEventListener("click", (event) => {
    const wish = event.target.closest("[data-try]");
    if (!wish) return;
    message.value = wish.dataset.try;
    message.dispatchEvent(new Event("input", { bubbles: true }));
    message.focus();
  });

  fit();
  if (document.querySelector("#log > .said, #log > .approval")) toEnd();
  window.addEventListener("load", () => {
    const open = document.querySelector("[data-approval=open]");
    if (open) asked(open, false);
  });
})();
