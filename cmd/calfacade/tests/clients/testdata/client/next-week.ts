// Prints the events of next week.
import createClient from "openapi-fetch";
import type { paths } from "./generated/openapi-typescript";

const client = createClient<paths>({ baseUrl: process.env.CALENDAR_URL ?? "http://127.0.0.1:8080/wp-json/calendar/events/v1" });
const day = (n: number) => new Date(Date.now() + n * 86_400_000).toISOString().slice(0, 10);
const monday = 8 - (new Date().getUTCDay() || 7); // days from now
const named: Record<string, string> = { amp: "&", gt: ">", lt: "<", quot: '"' };
const text = (html: string) => // titles and names are HTML
  html.replace(/&(?:#(\d+)|(\w+));/g, (entity, code, name) => (code ? String.fromCodePoint(code) : (named[name] ?? entity)));

async function nextWeek() {
  for (let page = 1, pages = 1; page <= pages; page++) {
    const query = { start_date: day(monday), end_date: day(monday + 6), per_page: 50, page };
    const { data, error } = await client.GET("/events", { params: { query } });
    if (!data) throw new Error(`${error.code}: ${error.message}`);
    for (const event of data.events) {
      const venues = [event.venue].flat(); // an object, or a list, which may be empty
      const names = venues.map((venue) => text(String(venue.venue))); // empty behind a password
      console.log(event.start_date.slice(0, 16), text(event.title), names.join(", "));
    }
    pages = data.total_pages;
  }
}
nextWeek();
