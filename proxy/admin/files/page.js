"use strict";

// Fetches the page three times as often as the charts get a bar, and replaces the parts that changed, except parts in use:
// those that contain the focus or a selection, or are scrolled.
const every = Number(document.documentElement.dataset.every) / 3;
const note = document.getElementById("live");

function say(text) {
  if (note.textContent !== text) note.textContent = text;
}

function inUse(part) {
  const selection = getSelection();
  return part.scrollTop > 0 || part.contains(document.activeElement) || (!selection.isCollapsed && part.contains(selection.anchorNode));
}

async function update() {
  const answer = await fetch(location.pathname, { cache: "no-store" });
  if (answer.redirected) { // to the form to sign in
    location.reload();
    return;
  }
  if (!answer.ok) throw new Error(String(answer.status));
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of document.querySelectorAll("[data-live]")) {
    const now = page.getElementById(part.id);
    if (!now || inUse(part)) continue;
    for (const open of part.querySelectorAll("details[open]")) {
      const same = page.getElementById(open.id);
      if (same) same.open = true;
    }
    part.replaceWith(document.adoptNode(now));
  }
  say("Live.");
}

async function look() {
  if (!document.hidden) {
    try {
      await update();
    } catch {
      say("No response, retrying.");
    }
  }
  setTimeout(look, every);
}

setTimeout(look, every);
say("Live.");
