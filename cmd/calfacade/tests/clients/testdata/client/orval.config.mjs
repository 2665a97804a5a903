export default {
  calendar: {
    input: "openapi.json",
    output: { client: "fetch", mode: "single", target: "generated/orval.ts", baseUrl: { runtime: "process.env.CALENDAR_URL" } },
  },
};
