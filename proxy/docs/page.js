"use strict";

// The colours of Swagger UI depend on a class, ours on the same.
const dark = matchMedia("(prefers-color-scheme: dark)");
const paint = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", paint);
paint();

const page = document.getElementById("docs");

// Changes to Swagger UI. Its lock is open where credentials are missing, and closed where
// none are needed: here a closed lock needs credentials, an open one has them, and what
// everyone may read has no lock. Its link to an operation is inside the button that opens
// the operation, where a keyboard does not reach it.
const changes = ({ React }) => ({
  components: {
    authorizeOperationBtn({ isAuthorized, onClick, getComponent }) {
      const label = isAuthorized ? "Credentials are set" : "Needs credentials";
      const press = (event) => {
        event.stopPropagation();
        onClick();
      };
      const icon = React.createElement(getComponent(isAuthorized ? "UnlockAuthIcon" : "LockAuthIcon", true));
      return React.createElement("button", { className: "authorization__btn", "aria-label": label, title: label, onClick: press }, icon);
    },
  },
  wrapComponents: {
    OperationSummary: (Original) => (props) => {
      const open = props.operationProps.get("security")?.some((need) => need.isEmpty());
      return React.createElement(Original, open ? { ...props, operationProps: props.operationProps.delete("security") } : props);
    },
    DeepLink: (Original) => (props) =>
      props.path.includes("/") ? React.createElement("span", null, props.text) : React.createElement(Original, props),
  },
});

// Swagger UI has fields without a name, boxes that scroll but not by keyboard, and a dialog
// that gives the focus to its last field.
const amend = () => {
  for (const box of page.querySelectorAll("pre:not([tabindex])")) {
    box.tabIndex = 0;
  }
  for (const field of page.querySelectorAll("[data-param-name] :is(input, select, textarea):not([aria-label])")) {
    field.ariaLabel = field.closest("[data-param-name]").dataset.paramName;
  }
  for (const field of page.querySelectorAll(":is(select, textarea):not([aria-label], [id])")) {
    field.ariaLabel = field.closest(".opblock-section, .response")?.querySelector("h4, label, small")?.textContent || "Value";
  }
  for (const button of page.querySelectorAll(".auth-btn-wrapper [aria-label]")) {
    button.removeAttribute("aria-label"); // it is not the text on the button
  }
  const dialog = page.querySelector(".modal-ux:not([role])");
  if (dialog) {
    dialog.role = "dialog";
    dialog.ariaModal = "true";
    dialog.ariaLabel = dialog.querySelector("h3").textContent;
    dialog.querySelector(".close-modal").ariaLabel = "Close";
    dialog.querySelector("input")?.focus();
    dialog.querySelector(".modal-ux-content").scrollTop = 0;
  }
};

// withoutCookies removes what a client can only use with cookies.
const withoutCookies = (spec) => {
  const { cookie, nonce, ...rest } = spec.components.securitySchemes;
  spec.components.securitySchemes = rest;
  for (const path of Object.values(spec.paths)) {
    for (const operation of Object.values(path)) {
      operation.security = operation.security?.filter((need) => !need.cookie);
    }
  }
};

const show = async () => {
  const answer = await fetch(page.dataset.document);
  if (!answer.ok) {
    throw new Error(`${page.dataset.document}: ${answer.status}`);
  }
  const spec = await answer.json();
  // The document names the public URL. Under another name of the same server the
  // policy of this page would keep calls from going there.
  spec.servers = [{ url: location.origin + page.dataset.server }];
  // Every path has them, as the description says; among what people look for they
  // are two thirds of the page.
  for (const path of Object.values(spec.paths)) {
    delete path.head;
    delete path.options;
  }
  // A form would send them, and an update would then change what nobody named.
  for (const schema of Object.values(spec.components.schemas)) {
    for (const property of Object.values(schema.properties ?? {})) {
      delete property.default;
    }
  }
  // Swagger UI looks in vain for an input of items in this format, and warns.
  for (const parameter of Object.values(spec.components.parameters)) {
    delete parameter.schema.items?.format;
  }
  if (!page.dataset.cookies) {
    withoutCookies(spec);
  }
  new MutationObserver(amend).observe(page, { childList: true, subtree: true });
  SwaggerUIBundle({
    domNode: page,
    spec,
    plugins: [changes],
    deepLinking: true,
    defaultModelsExpandDepth: -1,
    displayRequestDuration: true,
    validatorUrl: null,
  });
};

show().catch((failure) => {
  page.textContent = page.dataset.failure;
  console.error(failure);
});
