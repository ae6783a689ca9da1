/** Bad values in models of your own and in options: refused with the field, before anything is sent. */
import { completeSimple, getModel, type Model, registerModels } from "pi-ai";
import { describe, expect, test } from "vitest";

const MODEL = getModel("anthropic", "claude-sonnet-4-6");
const OPENAI = getModel("openai", "gpt-5.4");
const RATES = { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1 };

/** Values as plain JavaScript passes them. */
const untyped = (value: unknown): never => value as never;

/** Asks, and counts what is sent. */
async function ask(model: Model, options: object = {}) {
  const bodies: Record<string, unknown>[] = [];
  const fetch = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    bodies.push(JSON.parse(String(init?.body)));
    return new Response("{}", { status: 400 });
  };
  const message = await completeSimple(model, "Hi", untyped({ apiKey: "key-key", fetch, ...options }));
  return { bodies, message };
}

describe("prices of a model that change", () => {
  const register = (changes: unknown) => (): void =>
    registerModels([{ ...MODEL, provider: "own", id: "dated", cost: { ...RATES, changes: untyped(changes) } }])();
  const from = (...days: unknown[]): object[] => days.map((day) => ({ ...RATES, from: day }));

  test.each<[name: string, changes: unknown]>([
    ["a date that is none", from("soon")],
    ["a day that no month has", from("2026-02-31")],
    ["a date with a time", from("2026-02-01T00:00:00Z")],
    ["no date", from(undefined)],
    ["two rows of one date", from("2026-01-01", "2026-01-01")],
    ["a price that goes back in time", from("2026-03-01", "2026-01-01")],
    ["a price that is no number", [{ ...RATES, input: "1", from: "2026-01-01" }]],
    ["no list", { from: "2026-01-01" }],
  ])("are refused: %s", (_, changes) => {
    expect(register(changes)).toThrow(/^registerModels: models\[0\]: cost\.changes/);
  });

  test("are taken from old to new", () => {
    expect(register(from("2026-01-01", "2026-03-01"))).not.toThrow();
  });
});

describe("options", () => {
  test.each<[options: object, text: string]>([
    [{ serviceTier: "gold" }, 'serviceTier: openai has no "gold", only auto, default, flex, priority, scale'],
    [{ serviceTier: "" }, 'serviceTier must be "flex", "standard", "priority"'],
    [{ stopSequences: ["END", ""] }, "stopSequences must be a list of texts that are not empty"],
    [{ maxTokens: 0 }, "The option maxTokens must be a whole number of 1 or more, not 0"],
  ])("are refused before anything is sent: %o", async (options, text) => {
    const { bodies, message } = await ask(OPENAI, options);
    expect(message.errorMessage).toContain(text);
    expect(bodies).toEqual([]);
  });

  test("stop sequences that an api has no field for are told", async () => {
    const { message } = await ask(OPENAI, { stopSequences: Array.from({ length: 20 }, (_, index) => `stop ${index}`) });
    expect(message.diagnostics).toMatchObject([{ type: "option_omitted", details: { name: "stopSequences" } }]);
  });

  test("a model without an output limit gets one that its api demands", async () => {
    const { bodies } = await ask({ ...MODEL, maxTokens: untyped(undefined) });
    expect(bodies[0]?.["max_tokens"]).toBeGreaterThan(0);
  });
});
