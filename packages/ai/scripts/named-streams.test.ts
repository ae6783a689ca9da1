import { fileURLToPath } from "node:url";
import type { Model } from "pi-ai";
import * as root from "pi-ai";
import { describe, expect, it } from "vitest";
import { readApiRows } from "./api-rows.ts";

const rows = readApiRows(fileURLToPath(new URL("..", import.meta.url)));
const entries = await Promise.all(rows.map(({ entry }) => import(`pi-ai/${entry}`)));

const CASES = rows.flatMap(({ name, api }, index) => [
  { name, api, from: "the root", entry: root },
  { name, api, from: "its own entry", entry: entries[index] },
]);

const model = (api: string): Model => ({
  id: "m",
  name: "m",
  api,
  provider: "unknown-provider",
  baseUrl: "not an address",
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1,
  maxTokens: 1,
});

describe.each(CASES)("stream$name of $from", ({ name, api, entry }) => {
  // A module exports the function names of its row, which the type of the import cannot express.
  const functions = entry as unknown as Record<
    string,
    (model: Model, context: root.Context) => root.AssistantMessageEventStream
  >;

  it.each([`stream${name}`, `streamSimple${name}`])(
    "%s sends a request of its api and returns at once",
    async (key) => {
      const message = await functions[key]!(model(api), { messages: [] }).result();
      expect(message).toMatchObject({ api, stopReason: "error" });
    },
  );

  it("rejects a model of another api", () => {
    expect(() => functions[`stream${name}`]!(model("other"), { messages: [] })).toThrow(
      `Mismatched api: other expected ${api}`,
    );
  });
});
