/** Texts of servers for people, beside the answers of models that the fault matrix gives: no hidden character in any. */
import { inspect } from "node:util";
import { complete, NetworkError, ProviderError, registerModels } from "pi-ai";
import { AssistantMessageBuilder } from "pi-ai/assemble";
import { collectSecrets, describeThrown, formatThrownValue, toFailure } from "pi-ai/call";
import { countTokens } from "pi-ai/count";
import { type ListModelsNote, listModels } from "pi-ai/list-models";
import { createOAuthProvider } from "pi-ai/oauth";
import { expect, test } from "vitest";
import { createModel } from "./models.js";

const ODD = "a\u001b[31m\u0007\u202eb";
const SHOWN = String.raw`a\u{1b}[31m\u{7}\u{202e}b`;
/** Also in stacks, which have line feeds. */
const HIDDEN = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const MODEL = createModel("anthropic-messages");

async function thrownBy(work: Promise<unknown>): Promise<Error> {
  const error = await work.then(
    () => expect.unreachable(),
    (thrown: unknown) => thrown,
  );
  return error as Error; // what the functions here throw
}

function answer(body: unknown, status = 200): typeof globalThis.fetch {
  return async () => Response.json(body, { status });
}

test("an error that is thrown, with its stack, its code and its id", () => {
  const facts = { kind: "server", message: ODD, code: ODD, requestId: ODD, body: ODD } as const;
  const error = new ProviderError(facts);
  expect(error).toMatchObject({ message: SHOWN, code: SHOWN, requestId: SHOWN, body: ODD });
  expect(error.stack).not.toMatch(HIDDEN);
  expect(error.withMessage(ODD).message).toBe(SHOWN);
});

test("the text of any thrown value", () => {
  for (const thrown of [new Error(ODD), ODD, { message: ODD }]) {
    expect(formatThrownValue(thrown)).toBe(SHOWN);
    expect(describeThrown(thrown, [])).toBe(SHOWN);
  }
});

test("a key with a hidden character is still redacted", () => {
  const key = "key-\u00ad\u009f-1234567";
  const secrets = collectSecrets([key]);
  for (const error of [new Error(`no access with ${key}`), new NetworkError(`no access with ${key}`)]) {
    expect(describeThrown(error, secrets)).toBe("no access with [redacted]");
    expect(toFailure(error, { secrets, attempts: 1 }).errorMessage).toBe("no access with [redacted]");
  }
});

test("an error of fetch", async () => {
  const fetch = () => Promise.reject(Object.assign(new TypeError(ODD), { cause: new Error(ODD) }));
  const message = await complete(MODEL, { messages: [] }, { apiKey: "k-1234567", maxRetries: 0, fetch });
  expect(message.errorMessage).toContain(SHOWN);
  expect(message.errorMessage).not.toMatch(HIDDEN);
});

test("a builder's failure, notes, sources, files and names", () => {
  const builder = new AssistantMessageBuilder({ model: MODEL, emit: () => {} });
  builder.response({ responseModel: ODD, responseId: "id" });
  builder.note("odd", { [ODD]: [{ text: `${ODD}\n` }], n: 1 }, new NetworkError(ODD));
  // What the model itself wrote stays as it is.
  builder.note("logprobs", { logprobs: [{ token: ODD }] });
  builder.open(0, { type: "text" });
  builder.append(0, ODD);
  builder.cite(0, { url: "https://a.test/\u202e", title: `${ODD}\n`, quote: `${ODD}\n`, source: ODD, signature: ODD });
  builder.open(1, { type: "serverTool", id: "t", name: "web_search", status: "failed", errorText: ODD, output: ODD });
  builder.open(2, { type: "file", mimeType: "text/plain", fileId: "f", name: ODD });
  const message = builder.fail({ reason: "error", errorMessage: ODD, error: { kind: "server", requestId: ODD } });
  expect(message).toMatchObject({
    responseModel: SHOWN,
    errorMessage: SHOWN,
    error: { kind: "server", requestId: SHOWN },
    diagnostics: [
      { type: "odd", details: { [SHOWN]: [{ text: `${SHOWN}\n` }], n: 1 }, error: { message: SHOWN } },
      { type: "logprobs", details: { logprobs: [{ token: ODD }] } },
    ],
    content: [
      {
        text: ODD,
        citations: [
          {
            url: String.raw`https://a.test/\u{202e}`,
            title: String.raw`${SHOWN}\u{a}`,
            quote: `${SHOWN}\n`,
            source: SHOWN,
            signature: ODD,
          },
        ],
      },
      { errorText: SHOWN, output: ODD },
      { name: SHOWN, fileId: "f" },
    ],
  });
  expect(message.diagnostics?.[0]?.error?.stack).not.toMatch(HIDDEN);
});

test.each([
  "javascript:alert(1)",
  "data:text/html,x",
  "httpx://a.test",
  "https:a.test",
  "https://bank.test@a.test",
  "//a.test",
])("a source with the address %s is named, not linked", (url) => {
  const builder = new AssistantMessageBuilder({ model: MODEL, emit: () => {} });
  builder.open(0, { type: "text" });
  builder.cite(0, { url, title: "A" });
  builder.cite(0, { url, source: "file_1" });
  builder.cite(0, { url: "HTTPS://a.test/a b", title: "A" });
  builder.stop("stop");
  expect(builder.finish().content).toMatchObject([
    { citations: [{ source: url, title: "A" }, { source: "file_1" }, { url: "HTTPS://a.test/a b", title: "A" }] },
  ]);
});

test("notes that are nested without end are cut", () => {
  const builder = new AssistantMessageBuilder({ model: MODEL, emit: () => {} });
  builder.note("deep", { deep: JSON.parse("[".repeat(100_000) + "]".repeat(100_000)) });
  builder.stop("stop");
  expect(JSON.stringify(builder.finish().diagnostics)).toContain("[nested too deeply]");
});

test("names and ids of listed models, and their notes", async () => {
  const data = [{ id: "good", name: ODD }, { id: `bad${ODD}` }, { id: "bad\u200e" }, { id: "می\u200cخواهم" }];
  const notes: ListModelsNote[] = [];
  const models = await listModels(
    { baseUrl: "http://127.0.0.1:9" },
    { fetch: answer({ data }), onNote: (note) => notes.push(note) },
  );
  expect(models.map(({ id }) => id)).toEqual(["good", "می\u200cخواهم"]);
  expect(models[0]?.name).toBe(SHOWN);
  expect(notes).toContainEqual({ type: "unreadable", count: 2 });
});

test("errors of lists of models", async () => {
  const target = { baseUrl: "http://127.0.0.1:9" };
  const answers = [
    answer({ error: { message: ODD, code: ODD } }, 400),
    async () => new Response(ODD, { headers: { "content-type": "text/html" } }),
    () => Promise.reject(new TypeError(ODD)),
  ];
  for (const fetch of answers) {
    const error = await thrownBy(listModels(target, { fetch }));
    expect(error.message).toContain(SHOWN);
    expect(`${error.message}${error.stack}`).not.toMatch(HIDDEN);
  }
});

test("a registered model with a hidden character is refused by the field's name", () => {
  for (const field of ["id", "name", "provider"]) {
    const add = () => registerModels([{ ...MODEL, [field]: `a${ODD}` }]);
    expect(add).toThrow(`models[0]: ${field} must be a line without hidden characters`);
    expect(add).not.toThrow(HIDDEN);
  }
});

test("the reason why a provider could not count tokens", async () => {
  const fetch = answer({ error: { message: ODD } }, 400);
  const counted = await countTokens(MODEL, { messages: [] }, { apiKey: "k-1234567", maxRetries: 0, fetch });
  expect(JSON.stringify(counted)).toContain(JSON.stringify(SHOWN).slice(1, -1));
  expect(inspect(counted)).not.toMatch(HIDDEN);
});

test("a refused login", async () => {
  const provider = createOAuthProvider({
    id: "acme",
    name: "Acme",
    clientId: "c",
    issuer: "https://login.test",
    flow: "device",
    endpoints: { token: "https://login.test/token", deviceAuthorization: "https://login.test/device" },
    fetch: answer({ error: ODD, error_description: ODD }, 400),
  });
  const error = await thrownBy(provider.login({ onAuth: () => {}, onPrompt: async () => "" }));
  expect(error.message).toBe(`Acme: the login failed: ${SHOWN}: ${SHOWN}`);
  expect(error.stack).not.toMatch(HIDDEN);
});
