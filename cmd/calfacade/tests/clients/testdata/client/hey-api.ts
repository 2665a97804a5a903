import { type Error, type Event, type EventsListData, eventsCreate, eventsDelete, eventsList, eventsRead, eventsUpdate } from "./generated/hey-api";
import { client } from "./generated/hey-api/client.gen";
import { type Answer, type Credentials, baseUrl, run } from "./scenario";

client.setConfig({ baseUrl });

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

function signIn({ user, password }: Credentials) {
  return { auth: `${user}:${password}` };
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
  create: async (body, credentials) => answer(await eventsCreate({ body, ...(credentials && signIn(credentials)) })),
  read: async (id) => answer(await eventsRead({ path: { id } })),
  update: async (id, body, etag, credentials) =>
    answer(await eventsUpdate({ path: { id }, body, headers: { "If-Match": etag }, ...signIn(credentials) })),
  remove: async (id, credentials) => answer(await eventsDelete({ path: { id }, ...signIn(credentials) })),
});
