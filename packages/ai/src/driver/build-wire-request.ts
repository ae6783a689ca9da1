/** Builds the request of an api. Code that few requests need is loaded by the first one that needs it. */
import { alternatesRoles, withAlternatingRoles } from "../catalogue/compat/index.js";
import { credentials, processEnvironment } from "../catalogue/index.js";
import { ConfigError, ProviderError } from "../errors.js";
import { streamingParser } from "../message/index.js";
import { foreignContent, needsForeignContent } from "../request/index.js";
import { collectSecrets, type RequestGuard, redact, type WireRequest } from "../transport/index.js";
import type { Context } from "../types/context.js";
import type { Model } from "../types/model.js";
import type { StreamOptions } from "../types/options.js";
import { extractDiagnosticError } from "../utils/diagnostics.js";
import { isLoopback } from "../utils/loopback.js";
import type { ApiAdapter, ModelRequest } from "./api-adapter.js";

/** The parts of the driver that building a request uses. */
export interface BuildContext {
  guard: RequestGuard;
  secrets: RequestSecrets;
}

/** An error of a server whose chat template, or whose own check, demands that the roles alternate. */
const ALTERNATION = /\balternat(?:e|es|ing)\b|\bsuccessive user or assistant\b/i;

/** Loads the code that {@link resolveKey} needs. Returns undefined if nothing has to be loaded. */
export function loadKeys({ apiKey }: StreamOptions): Promise<unknown> | undefined {
  return apiKey ? undefined : credentials.load();
}

/** The same for the code that builds this request, because an adapter builds it without waiting. */
export function loadRequestParts({ messages }: Context, model: Model): Promise<unknown> | undefined {
  return !foreignContent.isLoaded && needsForeignContent(messages, model) ? foreignContent.load() : undefined;
}

/** The same for the code that reads the response. A hook may add tools. */
export function loadResponseParts({ tools }: Context, { onPayload }: StreamOptions): Promise<unknown> | undefined {
  return tools?.length || onPayload ? streamingParser.load() : undefined;
}

/** The request as {@link buildApiRequest} builds it, in the order of roles that the server accepts. */
export async function buildWireRequest(
  adapter: ApiAdapter,
  request: ModelRequest,
  context: BuildContext,
): Promise<WireRequest> {
  const built = await buildApiRequest(adapter, request, context);
  if (!alternatesRoles(request.model)) return built;
  const { alternateRoles } = await context.guard.race(import("./alternate-roles.js"));
  return alternateRoles(built, adapter.api);
}

/** The model with the flag that the server's error asks for; undefined if it asks for none, or the flag was set. */
export function correctModel(error: unknown, model: Model): Model | undefined {
  const isRefusal = error instanceof ProviderError && error.status !== undefined && ALTERNATION.test(error.message);
  return isRefusal ? withAlternatingRoles(model) : undefined;
}

/** The request with the provider's own tools, and with what the provider should do with a long conversation. */
async function buildApiRequest(
  adapter: ApiAdapter,
  request: ModelRequest,
  context: BuildContext,
): Promise<WireRequest> {
  const built = await buildWithTools(adapter, request, context);
  const { contextManagement } = request.options;
  if (!contextManagement) return built;
  const { addContextManagement } = await context.guard.race(
    import("../request/context-management/add-context-management.js"),
  );
  return addContextManagement(built, request.model, contextManagement);
}

async function buildWithTools(
  adapter: ApiAdapter,
  request: ModelRequest,
  { guard, secrets }: BuildContext,
): Promise<WireRequest> {
  if (!request.context.tools?.some(({ server }) => server)) return adapter.buildRequest(request);
  const { declareServerTools } = await guard.race(import("../request/server-tools/declare-server-tools.js"));
  const { own, secrets: found, addTo } = declareServerTools(request);
  secrets.hide(found);
  return addTo(adapter.buildRequest(own));
}

/** Whether the provider is asked to enforce a schema, which has to fit its rules. */
export function hasEnforcedSchema({ context: { tools }, options }: ModelRequest): boolean {
  return options.outputFormat !== undefined || Boolean(tools?.some(({ strict }) => strict));
}

/**
 * The caller's key, else the one from the environment.
 *
 * @throws ConfigError if there is none and the adapter needs one, or if a header cannot carry it
 */
export function resolveKey(
  adapter: ApiAdapter,
  model: Model,
  options: StreamOptions,
): Pick<ModelRequest, "apiKey" | "keyIsBearer"> {
  const credential = options.apiKey
    ? { apiKey: options.apiKey }
    : credentials.get().findCredential(model.provider, processEnvironment);
  const apiKey = credential?.apiKey ?? "";
  const hasClient = adapter.takesClient === true && "client" in options && Boolean(options.client);
  const { keyOptional } = adapter;
  const needsKey = keyOptional === "loopback" ? !isLoopback(model.baseUrl) : !keyOptional;
  if (apiKey === "" && needsKey && !hasClient) {
    throw new ConfigError(credentials.get().describeMissingKey(model), { kind: "auth_missing" });
  }
  if (!isHeaderText(apiKey)) {
    throw new ConfigError(
      `The API key for provider ${model.provider} contains characters that an HTTP header cannot carry`,
    );
  }
  return { apiKey, keyIsBearer: credential !== undefined && "scheme" in credential && credential.scheme === "bearer" };
}

function isHeaderText(value: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

/** The secrets of one request: keys and credentials in headers, which must not appear in a message. */
export class RequestSecrets {
  #values: readonly string[] = [];

  /** The secrets so far. A new list after each change, because the redaction caches a pattern for each list. */
  get values(): readonly string[] {
    return this.#values;
  }

  /** Keeps credentials out of every text of the message from now on. */
  hide(...[keys, ...headers]: Parameters<typeof collectSecrets>): void {
    this.#values = collectSecrets([...this.#values, ...keys], ...headers);
  }

  /** Returns the thrown value without its stack and without credentials. */
  clean(error: unknown): unknown {
    if (error === undefined) return undefined;
    const { name, message, code } = extractDiagnosticError(error);
    return { name, message: redact(message, this.#values), code };
  }
}
