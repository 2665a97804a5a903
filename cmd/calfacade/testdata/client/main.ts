// A program as a stranger writes it from the documentation alone.
import type { components, operations } from "./api";

type Event = components["schemas"]["Event"];
type List = operations["events.list"]["responses"][200]["content"]["application/json"];
type Query = NonNullable<operations["events.list"]["parameters"]["query"]>;
type Failure = components["responses"]["401"]["content"]["application/json"];

const query: Query = { per_page: 2, categories: ["music"], featured: true };

function venueNames(event: Event): string[] {
  const venues = Array.isArray(event.venue) ? event.venue : [event.venue];
  return venues.map((venue) => (typeof venue.venue === "string" ? venue.venue : ""));
}

function image(event: Event): string | undefined {
  return event.image === false ? undefined : event.image.url;
}

function titles(list: List): string[] {
  return list.events.map((event) => `${event.title} ${event.id.toFixed()} ${venueNames(event).join()} ${image(event)}`);
}

const fields: components["schemas"]["EventsCreate"] = {
  title: "Open day",
  start_date: "tomorrow 10:00",
  end_date: "tomorrow 12:00",
  venue: { venue: "Town hall" },
  organizer: [5, { organizer: "Choir" }],
};

// @ts-expect-error an event needs a start and an end
const incomplete: components["schemas"]["EventsCreate"] = { title: "Open day" };

// @ts-expect-error an image may be false, and nothing else that is no object
const wrong: Event["image"] = true;

export function failed(failure: Failure): string {
  return failure.code + failure.message + String(failure.data?.status);
}

export default { query, titles, fields, incomplete, wrong };
