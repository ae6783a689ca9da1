/** The check against OSV, with a server on this machine in place of api.osv.dev. */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterEach, expect, it } from "vitest";
import { childEnvironment, DIES_WITH_PARENT } from "../support/child-flags.js";
import { findWeaknesses, listInlined } from "./check-osv.js";

interface Query {
  package: { name: string; ecosystem: string };
  version: string;
  page_token?: string;
}

let server: Server | undefined;
let asked: Query[][] = [];

afterEach(() => server?.close());

/** Answers for each query by its package's name and token. */
async function startServer(answer: (query: Query) => object, status = 200): Promise<string> {
  asked = [];
  server = createServer(async (request, response) => {
    response.statusCode = status;
    if (request.method === "GET") return response.end(JSON.stringify({ summary: `About ${request.url}` }));
    const { queries } = (await json(request)) as { queries: Query[] };
    asked.push(queries);
    response.end(JSON.stringify({ results: queries.map(answer) }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it("asks for every version, reads further pages, and names what it finds", async () => {
  const inlined = listInlined({ safe: "1.0.0", weak: ["1.0.0", "2.0.0"] });
  const url = await startServer(({ package: { name }, version, page_token }) => {
    if (name !== "weak" || version !== "1.0.0") return {};
    return page_token ? { vulns: [{ id: "GHSA-2" }] } : { vulns: [{ id: "GHSA-1" }], next_page_token: "more" };
  });
  expect(await findWeaknesses(inlined, url)).toEqual([
    { name: "weak", version: "1.0.0", id: "GHSA-1", summary: "About /v1/vulns/GHSA-1" },
    { name: "weak", version: "1.0.0", id: "GHSA-2", summary: "About /v1/vulns/GHSA-2" },
  ]);
  expect(asked.map((queries) => queries.map(({ package: { name }, version }) => `${name}@${version}`))).toEqual([
    ["safe@1.0.0", "weak@1.0.0", "weak@2.0.0"],
    ["weak@1.0.0"],
  ]);
  expect(asked[0]?.[0]).toEqual({ package: { name: "safe", ecosystem: "npm" }, version: "1.0.0" });
});

it("fails if the server does, or leaves a query out", async () => {
  const inlined = [{ name: "safe", version: "1.0.0" }];
  const broken = await startServer(() => ({}), 503);
  await expect(findWeaknesses(inlined, broken)).rejects.toThrow(/\/v1\/querybatch answered 503$/);
  server?.close();
  server = createServer((_, response) => response.end("{}")).listen(0, "127.0.0.1");
  await once(server, "listening");
  const empty = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await expect(findWeaknesses(inlined, empty)).rejects.toThrow("answered undefined of 1 queries");
});

it.each([
  ["nothing", 0, {}],
  ["a weakness", 1, { vulns: [{ id: "GHSA-9" }] }],
])("ends with the right exit code for %s", async (_, code, answer) => {
  const url = await startServer(({ package: { name } }) => (name === "openai" ? answer : {}));
  const words = ["--no-warnings", ...DIES_WITH_PARENT, join(import.meta.dirname, "check-osv.ts"), "--server", url];
  const outcome = await promisify(execFile)(process.execPath, words, { env: childEnvironment() }).catch(
    (error) => error,
  );
  expect(outcome.code ?? 0).toBe(code);
  expect(outcome.stdout).toMatch(new RegExp(`^\\d\\d packages, ${code} known weaknesses$`, "m"));
  expect(asked.flat().some(({ package: { name } }) => name === "@aws-sdk/client-bedrock-runtime")).toBe(true);
});
