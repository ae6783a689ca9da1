/** The provider of the benchmarks: serves prepared bodies on 127.0.0.1. */
import { createServer, type Server } from "node:http";
import { bodyPath, buildBody, parseBodyPath } from "./bodies.ts";

/** Milliseconds. */
const PATIENCE = 60_000;

/** A response of up to this many bytes is short. */
const SHORT = 16_384;

export function createBenchServer(): Server {
  const bodies = new Map<string, Buffer>();
  const bodyFor = (url: string): Buffer => {
    const wanted = parseBodyPath(url);
    const key = bodyPath(wanted);
    const body = bodies.get(key) ?? buildBody(wanted);
    bodies.set(key, body);
    return body;
  };
  let calls = 0;
  /** Gives each tool call of a short response a unique id, which an agent needs. */
  const withOwnId = (body: Buffer): Buffer | string =>
    body.length > SHORT ? body : body.toString().replaceAll('"call_1"', () => `"call_${++calls}"`);
  // A client with two thousand streams may leave a connection idle for long.
  return createServer({ keepAliveTimeout: PATIENCE, requestTimeout: PATIENCE }, (request, response) => {
    request.resume();
    request.once("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(withOwnId(bodyFor(request.url ?? "")));
    });
  });
}
