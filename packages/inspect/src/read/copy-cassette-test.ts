/** Writes a test that sends the requests of a cassette again and receives the recorded responses. */

import type { CopiedTest } from "../record/copied-test.js";
import { textOf } from "../record/fields.js";
import type { Exchange } from "./exchange.js";

/**
 * The test sends the recorded requests themselves. Users replace them with their own code, which gets `fetch` as an
 * option.
 */
export function copyCassetteTest(exchanges: readonly Exchange[]): CopiedTest {
  const test = `import { readFile } from "node:fs/promises";
import { replay } from "pi-ai/testing";
import { expect, test } from "vitest";

test("replays the recorded exchanges", async () => {
  const cassette = await readFile(new URL("cassette.jsonl", import.meta.url), "utf8");
  const fetch = replay(cassette);
  const lines = cassette.split("\\n").filter(Boolean).map((line) => JSON.parse(line));
  for (const { url, method, body, exchange } of lines.filter(({ type }) => type === "request")) {
    const sent = body === "" ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
    const response = await fetch(url, { method, ...sent });
    expect(response.status).toBe(lines.find((line) => line.type === "response" && line.exchange === exchange).status);
    await response.text();
  }
  fetch.assertDone();
});
`;
  const urls = exchanges.map(
    ({ request: { method, url } }) => `// ${JSON.stringify(`${textOf(method)} ${textOf(url)}`)}`,
  );
  // Several recordings in one file may use the same numbers.
  const lines = exchanges.flatMap((one, exchange) => one.lines.map((line) => JSON.stringify({ ...line, exchange })));
  const cassette = lines.map((line) => `${line}\n`).join("");
  return { files: { "cassette.test.ts": `${urls.join("\n")}\n${test}`, "cassette.jsonl": cassette } };
}
