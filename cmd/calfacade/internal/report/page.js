"use strict";

// Shows the groups of differences that fit what is chosen.
const filters = document.getElementById("filters");
const groups = document.querySelectorAll("[data-kind]");
const told = document.getElementById("shown");

function fits(group) {
  for (const [name, want] of new FormData(filters)) {
    const have = group.dataset[name];
    if (name === "path" ? !have.includes(want) : want && have !== want) return false;
  }
  return true;
}

function show() {
  let n = 0;
  for (const group of groups) {
    group.hidden = !fits(group);
    if (!group.hidden) n++;
  }
  told.textContent = `${n} of ${groups.length}`;
}

filters.addEventListener("input", show);
filters.addEventListener("submit", (event) => event.preventDefault());
filters.hidden = false;
show();
