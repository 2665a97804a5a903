import { type Error, type Event, type EventsListQueryParams, eventsCreate, eventsDelete, eventsList, eventsRead, eventsUpdate } from "./generated/kubb";
import { setConfig } from "./generated/kubb/.kubb/fetch";
import { type Answer, type Credentials, baseUrl, run } from "./scenario";

setConfig({ baseURL: baseUrl, headers: { "Content-Type": "application/json" } });

async function* allEvents(filter: EventsListQueryParams = {}): AsyncGenerator<Event> {
  for (let page = 1, pages = 1; page <= pages; page++) {
    const { data, status } = await eventsList({ params: { ...filter, page } });
    if (status !== 200) {
      throw new globalThis.Error(`page ${page}: ${status}`);
    }
    yield* data.events;
    pages = data.total_pages;
  }
}

// The type of data is that of a success, whatever the status is.
function answer(result: { data: Event; status: number; headers: Headers }): Answer {
  const { data, status, headers } = result;
  if (status >= 400) {
    const failure = data as unknown as Error;
    return { status, code: failure.code };
  }
  return { status, event: data, etag: headers.get("ETag") };
}

function signIn({ user, password }: Credentials) {
  return { headers: { Authorization: `Basic ${btoa(`${user}:${password}`)}` } };
}

run({
  page: async (params) => {
    const { data } = await eventsList({ params });
    return data;
  },
  all: () => allEvents({ per_page: 50 }),
  create: async (data, credentials) => answer(await eventsCreate({ data }, credentials && signIn(credentials))),
  read: async (id) => answer(await eventsRead({ id })),
  update: async (id, data, etag, credentials) => answer(await eventsUpdate({ id, data, headers: { "If-Match": etag } }, signIn(credentials))),
  remove: async (id, credentials) => answer(await eventsDelete({ id }, signIn(credentials))),
});
