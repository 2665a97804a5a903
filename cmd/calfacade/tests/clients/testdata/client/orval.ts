import { type Event, type EventsListParams, eventsCreate, eventsDelete, eventsList, eventsRead, eventsUpdate } from "./generated/orval";
import { type Answer, type Credentials, run } from "./scenario";

async function* allEvents(filter: EventsListParams = {}): AsyncGenerator<Event> {
  for (let page = 1, pages = 1; page <= pages; page++) {
    const list = await eventsList({ ...filter, page });
    if (list.status !== 200) {
      throw new Error(`page ${page}: ${list.status}`);
    }
    yield* list.data.events;
    pages = list.data.total_pages;
  }
}

type Result = Awaited<ReturnType<typeof eventsCreate | typeof eventsRead | typeof eventsUpdate | typeof eventsDelete>>;

function answer(result: Result): Answer {
  const { status, headers, data } = result;
  const etag = headers.get("ETag");
  if (!data) {
    return { status, etag }; // 304
  }
  return "code" in data ? { status, code: data.code } : { status, event: data, etag };
}

function signIn({ user, password }: Credentials) {
  return { Authorization: `Basic ${btoa(`${user}:${password}`)}` };
}

run({
  page: async (query) => {
    const list = await eventsList(query);
    if (list.status !== 200) {
      throw new Error(`${list.status}`);
    }
    return list.data;
  },
  all: () => allEvents({ per_page: 50 }),
  create: async (fields, credentials) => answer(await eventsCreate(fields, {}, { headers: credentials && signIn(credentials) })),
  read: async (id) => answer(await eventsRead(id)),
  update: async (id, fields, etag, credentials) =>
    answer(await eventsUpdate(id, fields, {}, { headers: { "If-Match": etag, ...signIn(credentials) } })),
  remove: async (id, credentials) => answer(await eventsDelete(id, {}, { headers: signIn(credentials) })),
});
