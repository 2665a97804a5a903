"use strict";

// Shows the findings that match the filters, and the kinds that have one of them.
const filters = document.getElementById("filters");
const findings = document.querySelectorAll("article");
const kinds = document.querySelectorAll("section");
const count = document.getElementById("shown");

// The values of a filter are taken from the findings, in their order: weights are sorted by it.
for (const select of filters.querySelectorAll("select")) {
  const values = new Set(Array.from(findings, (finding) => finding.dataset[select.name]));
  for (const value of select.name === "weight" ? values : [...values].sort()) select.add(new Option(value));
}

function matches(finding) {
  for (const [name, want] of new FormData(filters)) {
    const have = finding.dataset[name];
    if (name === "path" ? !have.includes(want) : want && have !== want) return false;
  }
  return true;
}

function show() {
  let n = 0;
  for (const finding of findings) {
    finding.hidden = !matches(finding);
    if (!finding.hidden) n++;
  }
  for (const kind of kinds) kind.hidden = !kind.querySelector("article:not([hidden])");
  count.textContent = `${n} of ${findings.length}`;
}

filters.addEventListener("input", show);
filters.addEventListener("submit", (event) => event.preventDefault());
filters.hidden = false;
show();
