"use strict";

// The colours of Swagger UI hang on a class, ours on the same.
const dark = matchMedia("(prefers-color-scheme: dark)");
const paint = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", paint);
paint();

const main = document.getElementById("docs");

const show = async () => {
  const answer = await fetch(main.dataset.document);
  if (!answer.ok) {
    throw new Error(`${main.dataset.document}: ${answer.status}`);
  }
  const spec = await answer.json();
  // The document names the public URL. Under another name of the same server the
  // policy of this page would keep calls from going there.
  spec.servers = [{ url: location.origin + main.dataset.server }];
  // Every path has them, as the document tells; among what people look for they
  // are two thirds of the page.
  for (const path of Object.values(spec.paths)) {
    delete path.head;
    delete path.options;
  }
  SwaggerUIBundle({
    domNode: main,
    spec,
    deepLinking: true,
    defaultModelsExpandDepth: -1,
    displayRequestDuration: true,
    validatorUrl: null,
  });
};

show().catch((failure) => {
  main.textContent = main.dataset.failure;
  console.error(failure);
});
