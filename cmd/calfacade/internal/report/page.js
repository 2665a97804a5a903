"use strict";

// Shows the groups of differences that match the filters.
const filters = document.getElementById("filters");
const groups = document.querySelectorAll("[data-kind]");
const count = document.getElementById("shown");

function matches(group) {
  for (const [name, want] of new FormData(filters)) {
    const have = group.dataset[name];
    if (name === "path" ? !have.includes(want) : want && have !== want) return false;
  }
  return true;
}

function show() {
  let n = 0;
  for (const group of groups) {
    group.hidden = !matches(group);
    if (!group.hidden) n++;
  }
  count.textContent = `${n} of ${groups.length}`;
}

filters.addEventListener("input", show);
filters.addEventListener("submit", (event) => event.preventDefault());
filters.hidden = false;
show();
