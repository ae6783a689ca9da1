/** Prints how a route fares against servers that refuse requests: `npm run task route:storm -- [requests] [seeds]`. */
import { SERVERS, storm } from "./support/route-storm.ts";

const [requests = 10_000, seeds = 1] = process.argv.slice(2).map(Number);
console.log(`${requests} requests, 64 at a time, ${seeds} seeds: finished, requests each, seconds of virtual time`);
for (const [name, server] of SERVERS) {
  for (const models of [1, 3]) {
    for (let seed = 1; seed <= seeds; seed++) {
      const { finished, requestsEach, seconds, failures } = await storm({ server, models, requests, seed });
      const kinds = [...new Set(failures.map(({ kind }) => kind))].join(" ");
      const share = `${((100 * finished) / requests).toFixed(2)} %`;
      console.log([name.padEnd(48), models, share, requestsEach.toFixed(3), Math.round(seconds), kinds].join("  "));
    }
  }
}
