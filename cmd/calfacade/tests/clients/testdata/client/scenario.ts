// What each generated client has to do, before the demo. A program has one function for each
// call, in the terms of its generator.
import assert from "node:assert/strict";

export interface Event {
  id: number;
  title: string;
  status: string;
}

export interface Credentials {
  user: string;
  password: string;
}

export interface Answer {
  status: number;
  event?: Event;
  code?: string; // of the error
  etag?: string | null;
}

export interface Calendar {
  page(query: { per_page: number; include?: number[] }): Promise<{ events: Event[]; total: number; next_rest_url?: string }>;
  all(): AsyncIterable<Event>;
  create(fields: { title: string; start_date: string; end_date: string }, credentials?: Credentials): Promise<Answer>;
  read(id: number): Promise<Answer>;
  update(id: number, fields: { title: string }, etag: string, credentials: Credentials): Promise<Answer>;
  remove(id: number, credentials: Credentials): Promise<Answer>;
}

const { CALENDAR_URL = "", CALENDAR_USER = "", CALENDAR_PASSWORD = "" } = process.env;

export { CALENDAR_URL as baseUrl };

const editor = { user: CALENDAR_USER, password: CALENDAR_PASSWORD };

async function use(calendar: Calendar) {
  const first = await calendar.page({ per_page: 2 });
  assert.equal(first.events.length, 2);
  assert.ok(first.next_rest_url);

  const ids = new Set<number>();
  for await (const event of calendar.all()) {
    ids.add(event.id);
  }
  assert.ok(ids.size > 50, `${ids.size} events`);
  assert.equal(ids.size, first.total);

  const include = first.events.map((event) => event.id);
  assert.equal((await calendar.page({ per_page: 10, include })).total, 2);

  const fields = { title: "Open day", start_date: "tomorrow 10:00", end_date: "tomorrow 12:00" };
  const refused = await calendar.create(fields);
  assert.deepEqual([refused.status, refused.code, refused.event], [401, "rest_forbidden", undefined]);

  const created = await calendar.create(fields, editor);
  assert.deepEqual([created.status, created.event?.title], [201, fields.title]);
  const { id } = created.event!;
  const { etag } = await calendar.read(id);
  assert.ok(etag);

  const updated = await calendar.update(id, { title: "Open house" }, etag, editor);
  assert.deepEqual([updated.status, updated.event?.title, updated.event?.status], [200, "Open house", created.event?.status]);
  const late = await calendar.update(id, { title: "Open doors" }, etag, editor);
  assert.deepEqual([late.status, late.code], [412, "calendar_precondition_failed"]);

  const removed = await calendar.remove(id, editor);
  assert.deepEqual([removed.status, removed.event?.status], [200, "trash"]);
  console.log("done");
}

export function run(calendar: Calendar) {
  use(calendar).catch((failure) => {
    console.error(failure);
    process.exitCode = 1;
  });
}
