/** The provider of the benchmarks: a process of its own that serves prepared bodies on 127.0.0.1. Prints its port. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { bodyPath, buildBody, parseBodyPath } from "./bodies.ts";

const bodies = new Map<string, Buffer>();

function bodyFor(url: string): Buffer {
  const request = parseBodyPath(url);
  const key = bodyPath(request);
  let body = bodies.get(key);
  if (!body) {
    body = buildBody(request);
    bodies.set(key, body);
  }
  return body;
}

const server = createServer((request, response) => {
  request.resume();
  request.once("end", () => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(bodyFor(request.url ?? ""));
  });
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`)); // TCP
process.once("disconnect", () => process.exit(0));
