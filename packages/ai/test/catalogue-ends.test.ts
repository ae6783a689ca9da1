/** The catalogue has the ends that a vendor announces in its SDK, so that an update of the SDK shows what is new. */
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { getModels } from "pi-ai";
import { expect, it } from "vitest";

const SDK = createRequire(import.meta.url).resolve("@anthropic-ai/sdk");

/** `2027-01-22` of "January 22nd, 2027". */
function dayOf(words: string): string {
  const time = Date.parse(`${words.replace(/(\d)(?:st|nd|rd|th)/, "$1")} UTC`);
  return new Date(time).toISOString().slice(0, 10);
}

it("says when a model of Anthropic's ends, as the SDK does", async () => {
  const data = new URL("internal/data/deprecated-models.mjs", pathToFileURL(SDK));
  const announced: Readonly<Record<string, string>> = (await import(data.href)).DEPRECATED_MODELS;
  const ending = getModels("anthropic").filter(({ id, lifecycle }) => lifecycle !== undefined || announced[id]);
  expect(ending.length).toBeGreaterThan(0);
  expect(ending.map(({ id, lifecycle }) => [id, lifecycle])).toEqual(
    ending.map(({ id }) => [id, { status: "deprecated", endsAt: dayOf(announced[id] ?? "") }]),
  );
});
