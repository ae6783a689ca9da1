/** A wrong option of what a server or a test sets up throws where it is written: later, it would fail without its name, or not at all. */
import {
  createToolParameters,
  fauxAssistantMessage,
  fauxToolCall,
  getModel,
  type ToolCall,
  Type,
  validateToolArguments,
} from "pi-ai";
import {
  createOAuthProvider,
  FileCredentialStore,
  getOAuthApiKey,
  InMemoryCredentialStore,
  loginOAuth,
  refreshOAuthToken,
  registerOAuthProvider,
  resetOAuthProviders,
} from "pi-ai/oauth";
import { completeObject } from "pi-ai/object";
import { createProxyHandler, type ProxyHandlerOptions, toNodeListener } from "pi-ai/proxy-server";
import { createRedisLimitStore, route } from "pi-ai/route";
import { fileSearchTool, mcpServerTool, serverTool, webSearchTool } from "pi-ai/server-tools";
import { createScriptedStreamFn, record, replay } from "pi-ai/testing";
import * as valibot from "valibot";
import { afterEach, expect, test } from "vitest";

/** Values as plain JavaScript passes them. */
const untyped = (value: unknown): never => value as never;

const model = getModel("anthropic", "claude-sonnet-5-5");
const relay = (options: object): unknown =>
  createProxyHandler({ authorize: "t".repeat(32), allowModels: ["anthropic/*"], ...options } as ProxyHandlerOptions);
const login = (options: object): unknown =>
  createOAuthProvider(untyped({ id: "a", name: "A", issuer: "https://a.test", clientId: "c", ...options }));
const client = { call: async () => 0 };
const callbacks = { onAuth: () => {}, onPrompt: async () => "" };

afterEach(resetOAuthProviders);

test.each<[title: string, call: () => unknown, text: string]>([
  [
    "a limit of a relay",
    () => relay({ limits: { maxtokens: 5 } }),
    'limits: unknown option "maxtokens". Did you mean "maxTokens"?',
  ],
  ["null for limits", () => relay({ limits: null }), "limits: the options must be an object of options, not null."],
  [
    "a text as a limit",
    () => relay({ limits: { maxBodyBytes: "5mb" } }),
    'limits.maxBodyBytes must be a number of 0 or more, not "5mb"',
  ],
  ["an empty token", () => relay({ authorize: "" }), 'authorize[0] must be a token, never an empty one, not ""'],
  [
    "a token that is none",
    () => relay({ authorize: ["a", 5] }),
    "authorize[1] must be a token, never an empty one, not a value of the type number",
  ],
  [
    "a model without its provider",
    () => relay({ allowModels: ["claude"] }),
    'allowModels[0] must be "provider/id" or "provider/*", not "claude"',
  ],
  [
    "one origin alone",
    () => relay({ allowOrigins: "https://a.test" }),
    'allowOrigins must be a list, not "https://a.test"',
  ],
  ["an origin with a path", () => relay({ allowOrigins: ["https://a.test/x"] }), "allowOrigins[0] must be an origin"],
  ["one header alone", () => relay({ allowHeaders: "x-a" }), 'allowHeaders must be a list, not "x-a"'],
  ["a callback that is none", () => relay({ onUsage: "x" }), 'onUsage must be a function, not "x"'],
  [
    "a store that is none",
    () => relay({ eventStore: {} }),
    "eventStore must be a store such as createRedisEventStore(client) returns, not an object",
  ],
  [
    "a request as options",
    () =>
      toNodeListener(
        untyped(() => {}),
        untyped(new Request("http://a.test")),
      ),
    "toNodeListener: the options must be an object of options, not an object.",
  ],
  [
    "an option of a store of limits",
    () => createRedisLimitStore(client, untyped({ prefx: "a" })),
    'createRedisLimitStore: unknown option "prefx". Did you mean "prefix"?',
  ],
  [
    "no client of Redis",
    () => createRedisLimitStore(untyped(undefined)),
    "createRedisLimitStore needs a client of redis or ioredis, not undefined",
  ],
  [
    "a breaker",
    () => route([model], { breaker: untyped({ failure: 5 }) }),
    'route: breaker: unknown option "failure". Did you mean "failures"?',
  ],
  ["a store of limits", () => route([model], { store: untyped({}) }), "route: store must be a store of limits"],
  [
    "no options of a login",
    () => createOAuthProvider(untyped(undefined)),
    "createOAuthProvider: the options must be an object of options, not undefined.",
  ],
  [
    "a client id in other letters",
    () => login({ clientID: "c" }),
    'unknown option "clientID". Did you mean "clientId"?',
  ],
  ["no issuer", () => login({ issuer: undefined }), "createOAuthProvider needs issuer, a text, not undefined"],
  ["an issuer without TLS", () => login({ issuer: "http://a.test" }), "neither HTTPS nor HTTP on this machine"],
  ["a flow that does not exist", () => login({ flow: "devic" }), 'flow must be "code" or "device", not "devic"'],
  ["a list of scopes", () => login({ scope: ["a"] }), "scope must be one text"],
  [
    "a provider that cannot log in",
    () => registerOAuthProvider(untyped({ id: "z" })),
    "registerOAuthProvider needs { id, name, login, refreshToken, getApiKey }",
  ],
  [
    "a store without a file",
    () => new FileCredentialStore(untyped(undefined)),
    "FileCredentialStore needs the path of a file, not undefined",
  ],
  [
    "one domain alone",
    () => webSearchTool({ allowedDomains: untyped("a.test") }),
    'webSearchTool: allowedDomains must be a list of texts, not "a.test".',
  ],
  [
    "a number as text",
    () => webSearchTool({ maxUses: untyped("3") }),
    'webSearchTool: maxUses must be a whole number of 1 or more, not "3".',
  ],
  ["a count of 0", () => fileSearchTool({ storeIds: ["a"], maxResults: 0 }), "fileSearchTool: maxResults must be"],
  [
    "one tool alone",
    () => mcpServerTool({ name: "a", url: "https://a.test", allowedTools: untyped("b") }),
    "mcpServerTool: allowedTools must be a list of texts",
  ],
  [
    "one beta",
    () => serverTool("anthropic-messages", { type: "a" }, untyped({ beta: ["b"] })),
    'serverTool: unknown option "beta". Did you mean "betas"?',
  ],
  [
    "the pace of a script",
    () => createScriptedStreamFn([], untyped({ tokenPerSecond: 5 })),
    'unknown option "tokenPerSecond". Did you mean "tokensPerSecond"?',
  ],
  ["no recording", () => replay(untyped(undefined)), "replay needs the text of a recording"],
  ["a recording that nobody gets", () => record(untyped({})), "record needs onLine"],
  [
    "a stop reason",
    () => fauxAssistantMessage("a", { stopReason: untyped("done") }),
    'The stopReason of fauxAssistantMessage must be one of stop, length, toolUse, pause, error, aborted, not "done"',
  ],
  [
    "a kind of error",
    () => fauxAssistantMessage("", { error: untyped({ kind: "ratelimit" }) }),
    "The error.kind of fauxAssistantMessage must be one of config,",
  ],
  [
    "a call before its tool",
    () =>
      validateToolArguments(
        untyped(fauxToolCall("a")),
        untyped({ name: "a", parameters: Type.Object({}) }) as ToolCall,
      ),
    "The arguments of a call are checked with (tool, toolCall)",
  ],
  [
    "no schema of a library",
    () => createToolParameters(untyped({})),
    "createToolParameters needs a schema of Zod, Valibot, ArkType or another library, not an object",
  ],
  [
    "a conversion without a result",
    () =>
      createToolParameters(
        valibot.object({}),
        untyped(() => 5),
      ),
    "toJsonSchema must return JSON Schema, but it returned 5",
  ],
  [
    "a schema that JSON cannot hold",
    () =>
      createToolParameters(valibot.object({ at: valibot.date() }), () => {
        throw new Error("no date");
      }),
    "The schema cannot be written as JSON Schema: no date. Write what JSON can hold",
  ],
])("%s", (_title, call, text) => {
  expect(call).toThrow(text);
});

test.each<[title: string, call: () => Promise<unknown>, text: string]>([
  [
    "no callbacks",
    () => loginOAuth("acme", untyped(undefined), new InMemoryCredentialStore()),
    "loginOAuth needs (id, { onAuth, onPrompt }, store)",
  ],
  [
    "a callback in other letters",
    () => loginOAuth("acme", untyped({ ...callbacks, onAuth: undefined, onauth() {} }), new InMemoryCredentialStore()),
    "loginOAuth needs",
  ],
  ["no store for the tokens", () => loginOAuth("acme", callbacks, untyped(undefined)), "loginOAuth needs"],
  [
    "no credentials",
    () => getOAuthApiKey("acme", untyped(undefined)),
    'getOAuthApiKey needs a store, or { "acme": credentials }, not undefined',
  ],
  [
    "a token as credentials",
    () => getOAuthApiKey("acme", untyped({ acme: "token" })),
    "The credentials must be what loginOAuth has returned",
  ],
  [
    "no credentials to refresh",
    () => refreshOAuthToken("acme", untyped(undefined)),
    "The credentials must be what loginOAuth has returned",
  ],
  [
    "a stream for the function that begins it",
    () => completeObject(model, "a", untyped({ schema: Type.Object({}), streamFn: {} })),
    "The option streamFn must be a function, such as a route, not what it returns",
  ],
  [
    "an option of an output",
    () => completeObject(model, "a", untyped({ schema: Type.Object({}), maxRepair: 2 })),
    'Unknown option "maxRepair": did you mean "maxRepairs"?',
  ],
])("%s, before anything is sent", async (_title, call, text) => {
  const refuse = async (): Promise<never> => Promise.reject(new Error("a login began"));
  registerOAuthProvider({ id: "acme", name: "A", login: refuse, refreshToken: refuse, getApiKey: () => "" });
  await expect(call()).rejects.toThrow(text);
});

test("origins of applications and of sandboxes", () => {
  expect(() =>
    relay({ allowOrigins: ["https://a.test", "https://a.test/", "tauri://localhost", "null", "*"] }),
  ).not.toThrow();
});
