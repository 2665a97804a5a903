"use strict";

const page = document.getElementById("docs");
const form = document.getElementById("form");
const credentials = document.getElementById("credentials");

for (const hidden of page.querySelectorAll("#credentials, .search, .choose, .try")) {
  hidden.hidden = false;
}

// The list shows the operations that have all words of the search, the page all operations.
const search = page.querySelector("input[type=search]");
search.addEventListener("input", () => {
  const words = search.value.toLowerCase().split(/\s+/);
  for (const item of page.querySelectorAll("[data-operation]")) {
    const text = document.getElementById(item.dataset.operation).textContent.toLowerCase();
    item.hidden = !words.every((word) => text.includes(word));
  }
});

// On a phone the contents are closed.
const narrow = matchMedia("(max-width: 800px)");
const fold = () => {
  page.querySelector(".contents").open = !narrow.matches;
};
narrow.addEventListener("change", fold);
fold();

// All samples are in one language.
const choose = (language) => {
  document.documentElement.dataset.sample = language;
  for (const button of page.querySelectorAll("[data-sample]")) {
    button.ariaPressed = String(button.dataset.sample === language);
  }
};
choose("curl");

// A link leads into a part that is closed.
const open = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target?.tagName === "DETAILS") {
    target.open = true;
  }
};
addEventListener("hashchange", open);
open();

// inputOf makes the input of a parameter.
const inputOf = ({ name, values }) => {
  const input = document.createElement(values ? "select" : "input");
  input.name = name;
  if (!values) {
    input.autocomplete = "off";
  }
  for (const value of values ? ["", ...values.split(",")] : []) {
    input.append(new Option(value, value));
  }
  return input;
};

const labelled = (name, input) => {
  const label = document.createElement("label");
  label.append(name, " ", input);
  return label;
};

// start adds a form with an input for each parameter and the body. The example shows behind the body, and is
// not sent: nobody creates something by looking around.
const start = (operation) => {
  const filled = form.content.cloneNode(true).firstElementChild;
  const inputs = filled.querySelector(".inputs");
  for (const row of operation.querySelectorAll("tr[data-in]:not([data-in=''])")) {
    const input = inputOf(row.dataset);
    input.dataset.in = row.dataset.in;
    input.required = row.dataset.in === "path";
    inputs.append(labelled(row.dataset.name, input));
  }
  const example = operation.querySelector(".body");
  if (example) {
    const body = document.createElement("textarea");
    body.name = "body";
    body.rows = 8;
    body.placeholder = example.textContent;
    body.required = true;
    inputs.append(labelled("application/json", body));
  }
  filled.addEventListener("submit", (event) => {
    event.preventDefault();
    send(operation.dataset, filled);
  });
  operation.append(filled);
  inputs.querySelector("input, select, textarea")?.focus();
};

// requestOf returns the URL and the options of the request in a form.
const requestOf = ({ path, method }, filled) => {
  const headers = {};
  const query = new URLSearchParams();
  let url = path;
  for (const input of filled.querySelectorAll("[data-in]")) {
    if (input.value === "") {
      continue;
    }
    switch (input.dataset.in) {
      case "path":
        url = url.replace(`{${input.name}}`, encodeURIComponent(input.value));
        break;
      case "query":
        query.append(input.name, input.value);
        break;
      default:
        headers[input.name] = input.value;
    }
  }
  const { user, password, nonce } = credentials.elements;
  if (user.value) {
    const bytes = new TextEncoder().encode(`${user.value}:${password.value}`);
    headers.Authorization = `Basic ${btoa(String.fromCharCode(...bytes))}`;
  }
  if (nonce?.value) {
    headers["X-WP-Nonce"] = nonce.value;
  }
  const body = filled.querySelector("textarea")?.value;
  if (body) {
    headers["Content-Type"] = "application/json";
  }
  const search = query.size ? `?${query}` : "";
  return [page.dataset.server + (url === "/" ? "" : url) + search,
    { method, headers, body, credentials: nonce?.value ? "same-origin" : "omit", cache: "no-store" }];
};

// send sends the request of a form, and shows the response.
const send = async (operation, filled) => {
  const output = filled.querySelector("output");
  const [url, options] = requestOf(operation, filled);
  const shown = (name, text) => {
    const box = document.createElement("pre");
    box.className = name;
    box.tabIndex = 0;
    box.textContent = text;
    return box;
  };
  const began = performance.now();
  try {
    const response = await fetch(url, options);
    const text = await response.text();
    const took = Math.round(performance.now() - began);
    let body = text;
    try {
      body = JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      // not JSON: shown as it is
    }
    output.replaceChildren(
      shown("sent", `${options.method} ${location.origin}${url}`),
      shown("status", `${response.status} (${took} ms)`),
      shown("headers", [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n")),
      shown("received", body),
    );
  } catch (failure) {
    output.replaceChildren(shown("status", `${page.dataset.failed} ${failure.message}`));
  }
};

page.addEventListener("click", ({ target }) => {
  if (target.matches("[data-sample]")) {
    choose(target.dataset.sample);
  } else if (target.matches(".try")) {
    start(target.closest(".operation"));
    target.parentElement.remove();
  }
});
