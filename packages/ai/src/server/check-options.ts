/** Checks the options of a relay. One that is ignored shows only in a limit that does not hold, or a page that gets no answer. */
import { ConfigError } from "../errors.js";
import { isRecord } from "../utils/is-object.js";
import { nameValue } from "../utils/name-value.js";
import { checkOptionNames, type OptionNames } from "../utils/nearest-names.js";
import type { ProxyHandlerOptions } from "./options.js";

const NAMES: OptionNames<ProxyHandlerOptions> = {
  authorize: true,
  allowModels: true,
  getApiKey: true,
  allowFile: true,
  allowAddress: true,
  limits: true,
  allowHeaders: true,
  allowOrigins: true,
  eventStore: true,
  runOwner: true,
  onUsage: true,
  onError: true,
  getModel: true,
  streamFn: true,
};

const FUNCTIONS = [
  "getApiKey",
  "allowFile",
  "allowAddress",
  "runOwner",
  "onUsage",
  "onError",
  "getModel",
  "streamFn",
] as const;

/** Also of other schemes, such as those of applications; "null" is that of a page in a sandbox. */
const isOrigin = (text: string): boolean => /^(?:\*|null|[a-z][a-z0-9+.-]*:\/\/[^/?#]+\/?)$/i.test(text);

/** @throws ConfigError that names the option and what it may be */
export function checkProxyOptions<TCaller>(options: ProxyHandlerOptions<TCaller>): void {
  const { authorize, allowModels } = Object(options);
  if (typeof authorize !== "string" && !Array.isArray(authorize) && typeof authorize !== "function")
    throw new ConfigError("createProxyHandler needs authorize, the token of its clients, or a function that checks it");
  if (!Array.isArray(allowModels) && typeof allowModels !== "function")
    throw new ConfigError(
      'createProxyHandler needs allowModels, a list such as ["anthropic/claude-sonnet-5-5"], or a function',
    );
  checkOptionNames("createProxyHandler", options, NAMES);
  if (typeof authorize !== "function")
    checkTexts("authorize", [authorize].flat(), (token) => token !== "", "a token, never an empty one");
  if (typeof allowModels !== "function")
    checkTexts("allowModels", allowModels, (name) => name.includes("/"), '"provider/id" or "provider/*"');
  checkTexts("allowOrigins", options.allowOrigins, isOrigin, 'an origin such as "https://app.example.com", or "*"');
  checkTexts("allowHeaders", options.allowHeaders, (name) => name !== "", 'the name of a header, such as "x-trace"');
  for (const name of FUNCTIONS)
    if (options[name] !== undefined && typeof options[name] !== "function") refuse(name, "a function", options[name]);
  const { eventStore } = options;
  if (eventStore !== undefined && (!isRecord(eventStore) || typeof eventStore.append !== "function"))
    refuse("eventStore", "a store such as createRedisEventStore(client) returns", eventStore);
}

function checkTexts(name: string, list: unknown, fits: (text: string) => boolean, wanted: string): void {
  if (list === undefined) return;
  if (!Array.isArray(list)) refuse(name, "a list", list);
  for (const [index, text] of (list as unknown[]).entries())
    if (typeof text !== "string" || !fits(text)) {
      // A token is never shown.
      const shown = name === "authorize" && text !== "" ? `a value of the type ${typeof text}` : nameValue(text);
      throw new ConfigError(`createProxyHandler: ${name}[${index}] must be ${wanted}, not ${shown}`);
    }
}

function refuse(name: string, wanted: string, value: unknown): never {
  throw new ConfigError(`createProxyHandler: ${name} must be ${wanted}, not ${nameValue(value)}`);
}
