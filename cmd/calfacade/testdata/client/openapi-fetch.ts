import createClient from "openapi-fetch";
import type { components, paths } from "./generated/openapi-typescript";
import { type Answer, CALENDAR_URL, run } from "./scenario";

type Event = components["schemas"]["Event"];
type Filter = paths["/events"]["get"]["parameters"]["query"];

const client = createClient<paths>({
  baseUrl: CALENDAR_URL,
  querySerializer: { array: { style: "form", explode: false } },
});

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
  create: async (body, Authorization) => answer(await client.POST("/events", { body, headers: { Authorization } })),
  read: async (id) => answer(await client.GET("/events/{id}", { params: { path: { id } } })),
  update: async (id, body, etag, Authorization) =>
    answer(await client.PUT("/events/{id}", { params: { path: { id }, header: { "If-Match": etag } }, body, headers: { Authorization } })),
  remove: async (id, Authorization) => answer(await client.DELETE("/events/{id}", { params: { path: { id } }, headers: { Authorization } })),
});
