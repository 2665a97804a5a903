import createClient from "openapi-fetch";
import type { components, paths } from "./generated/openapi-typescript";
import { type Answer, type Credentials, baseUrl, run } from "./scenario";

type Event = components["schemas"]["Event"];
type Filter = paths["/events"]["get"]["parameters"]["query"];

const client = createClient<paths>({ baseUrl, querySerializer: { array: { style: "form", explode: false } } });

async function* allEvents(filter: Filter = {}): AsyncGenerator<Event> {
  for (let page = 1, pages = 1; page <= pages; page++) {
    const { data, error } = await client.GET("/events", { params: { query: { ...filter, page } } });
    if (!data) {
      throw new Error(`page ${page}: ${error?.message}`);
    }
    yield* data.events;
    pages = data.total_pages;
  }
}

function signIn({ user, password }: Credentials) {
  return { Authorization: `Basic ${btoa(`${user}:${password}`)}` };
}

function answer(result: { data?: Event; error?: components["schemas"]["Error"]; response: Response }): Answer {
  const { data, error, response } = result;
  return { status: response.status, event: data, code: error?.code, etag: response.headers.get("ETag") };
}

run({
  page: async (query) => {
    const { data } = await client.GET("/events", { params: { query } });
    return data!;
  },
  all: () => allEvents({ per_page: 50 }),
  create: async (body, credentials) => answer(await client.POST("/events", { body, headers: credentials && signIn(credentials) })),
  read: async (id) => answer(await client.GET("/events/{id}", { params: { path: { id } } })),
  update: async (id, body, etag, credentials) => {
    const params = { path: { id }, header: { "If-Match": etag } };
    return answer(await client.PUT("/events/{id}", { params, body, headers: signIn(credentials) }));
  },
  remove: async (id, credentials) => answer(await client.DELETE("/events/{id}", { params: { path: { id } }, headers: signIn(credentials) })),
});
