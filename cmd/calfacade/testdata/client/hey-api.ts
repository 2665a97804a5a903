import { type Error, type Event, type EventsListData, eventsCreate, eventsDelete, eventsList, eventsRead, eventsUpdate } from "./generated/hey-api";
import { client } from "./generated/hey-api/client.gen";
import { type Answer, CALENDAR_URL, run } from "./scenario";

client.setConfig({ baseUrl: CALENDAR_URL });

async function* allEvents(filter: EventsListData["query"] = {}): AsyncGenerator<Event> {
  for (let page = 1, pages = 1; page <= pages; page++) {
    const { data, error } = await eventsList({ query: { ...filter, page } });
    if (!data) {
      throw new globalThis.Error(`page ${page}: ${error?.message}`);
    }
    yield* data.events;
    pages = data.total_pages;
  }
}

function answer(result: { data?: Event; error?: Error; response?: Response }): Answer {
  const { data, error, response } = result;
  return { status: response!.status, event: data, code: error?.code, etag: response!.headers.get("ETag") };
}

run({
  page: async (query) => {
    const { data } = await eventsList({ query });
    return data!;
  },
  all: () => allEvents({ per_page: 50 }),
  create: async (body, Authorization) => answer(await eventsCreate({ body, headers: { Authorization } })),
  read: async (id) => answer(await eventsRead({ path: { id } })),
  update: async (id, body, etag, Authorization) => answer(await eventsUpdate({ path: { id }, body, headers: { "If-Match": etag, Authorization } })),
  remove: async (id, Authorization) => answer(await eventsDelete({ path: { id }, headers: { Authorization } })),
});
