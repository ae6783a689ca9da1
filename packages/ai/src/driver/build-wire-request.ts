/** Builds the request that is sent: what the adapter builds, with the parts that all apis have in common. */
import {
  alternatesRoles,
  factsOf,
  rulesOf,
  type ToolRules,
  toolRulesOf,
  withAlternatingRoles,
} from "../catalogue/compat/index.js";
import { ConfigError, ProviderError } from "../errors.js";
import {
  addsTools,
  closeResponse,
  fillBlankEnd,
  fitTools,
  type GivenNames,
  noteStrayResults,
  withoutDeferral,
} from "../request/index.js";
import { httpProxySecrets, keysInUrl, type RequestNote, type WireRequest } from "../transport/index.js";
import type { Context } from "../types/context.js";
import type { Model } from "../types/model.js";
import { fileBlocksOf } from "../utils/file-blocks.js";
import { isRecord } from "../utils/is-object.js";
import { toWellFormed } from "../utils/sanitize-unicode.js";
import { alternateRoles } from "./alternate-roles.js";
import type { ApiRequest, VendorAdapter, WireMapping } from "./api-adapter.js";
import { manageContext } from "./manage-context.js";
import type { RequestSecrets } from "./request-secrets.js";

/** An error of a server whose chat template, or whose own check, demands that the roles alternate. */
const ALTERNATION =
  /\balternat(?:e|es|ing)\b|\bsuccessive user or assistant\b|\bunexpected role \W?\w+\W? after role\b/i;

export interface FittedRequest {
  request: ApiRequest;
  /** Diagnostics for the differences from the conversation. */
  notes: readonly RequestNote[];
  /** Makes a mapping turn the names in the response back; undefined if no name differs. */
  restore: ((mapping: WireMapping) => WireMapping) | undefined;
}

/** The request with the names and the schemas that the model's server takes. */
export async function fitRequest(adapter: VendorAdapter, given: ApiRequest): Promise<FittedRequest> {
  const rules = toolRulesOf(given.model, adapter.toolRows);
  const filled = fillBlankEnd(given.context.messages);
  const refusesPrefill = adapter.refusesPrefill || factsOf(given.model).refusesPrefill;
  const closed = refusesPrefill ? closeResponse(filled.messages, given.model) : undefined;
  const { messages } = closed ?? filled;
  // Other adapters may send such results.
  const strays = adapter.toolRows ? noteStrayResults(given.context.messages) : [];
  const notes = [...strays, ...filled.notes, ...(closed?.notes ?? [])];
  const context = messages === given.context.messages ? given.context : { ...given.context, messages };
  if (rules) assertNotTooMany(context.tools, rules, given.model);
  const fitted = rules && (await fitTools(context, rules));
  const sent = await fitAddedTools(fitted?.context ?? context, rules);
  const request = withSentNames({ ...given, context: sent }, fitted?.names);
  const enforced = await fitEnforcedSchemas(adapter, request);
  return {
    request: enforced.request,
    notes: [...notes, ...(fitted?.notes ?? []), ...enforced.notes],
    restore: fitted?.names && (await restoring(fitted.names)),
  };
}

async function restoring(names: GivenNames): Promise<FittedRequest["restore"]> {
  const { withGivenNames } = await import("./restore-names.js");
  return (mapping) => withGivenNames(mapping, names);
}

function assertNotTooMany(tools: Context["tools"], { most }: ToolRules, { provider }: Model): void {
  if (most === undefined || !tools || tools.length <= most) return;
  throw new ConfigError(
    `context.tools has ${tools.length} tools; ${provider} takes at most ${most}. Leave out those that this request does not need.`,
  );
}

/** The schemas of tools that messages add. */
async function fitAddedTools(context: Context, rules: ToolRules | undefined): Promise<Context> {
  if (!rules || !context.messages.some(addsTools)) return context;
  const fitted = context.messages.map(async (message) => {
    if (!addsTools(message)) return message;
    const { tools } = (await fitTools({ messages: [], tools: message.toolsAdded }, rules)).context;
    return tools ? { ...message, toolsAdded: tools } : message;
  });
  const messages = await Promise.all(fitted);
  return { ...context, messages };
}

function withSentNames(request: ApiRequest, names: GivenNames | undefined): ApiRequest {
  const options: ApiRequest["options"] & { toolChoice?: unknown } = request.options;
  if (!names || options.toolChoice === undefined) return request;
  const toolChoice = names.choiceToSent(options.toolChoice);
  return { ...request, options: { ...options, toolChoice } as ApiRequest["options"] }; // in the form in which it was given
}

/** The request with schemas that fit the provider's rules, if it is asked to enforce one. */
async function fitEnforcedSchemas(
  adapter: VendorAdapter,
  request: ApiRequest,
): Promise<{ request: ApiRequest; notes: readonly RequestNote[] }> {
  const { model, context, options } = request;
  const isEnforced = options.outputFormat !== undefined || context.tools?.some(({ strict }) => strict);
  if (!isEnforced) return { request, notes: [] };
  const rules = rulesOf(model, adapter.outputRows);
  const { fitSchemas } = await import("../request/schema/fit-schemas.js");
  const fitted = fitSchemas({ model, context, outputFormat: options.outputFormat, rules });
  const format = fitted.outputFormat ? { outputFormat: fitted.outputFormat } : {};
  return {
    request: { ...request, context: fitted.context, options: { ...options, ...format } },
    notes: fitted.notes ?? [],
  };
}

/**
 * The adapter's request with the provider's own tools, with what the provider should do with a long conversation, and in
 * the order of roles that the server accepts. Its secrets are hidden.
 *
 * @throws ConfigError if the model's `baseUrl` is not an address
 */
export async function buildWireRequest(
  adapter: VendorAdapter,
  request: ApiRequest,
  secrets: RequestSecrets,
): Promise<WireRequest> {
  const { model } = request;
  let built = await manageContext(await buildWithFiles(adapter, request, secrets), adapter, request);
  if (alternatesRoles(model)) built = alternateRoles(built, adapter.conversation);
  if (isRecord(built.body)) built = { ...built, body: toWellFormed(adapter.settle?.(built.body) ?? built.body) };
  secrets.hide([built.apiKey, built.bearerToken, ...keysInUrl(built.baseUrl), ...httpProxySecrets()], built.headers);
  if (!URL.canParse(built.baseUrl)) {
    const shown = built.baseUrl.replace(/[?#].*$/s, "");
    const fault = shown ? `valid baseUrl: "${shown}". Begin it with` : "baseUrl. Write the address of its server, with";
    throw new ConfigError(`Model ${model.id} of ${model.provider} has no ${fault} https:// or http://`);
  }
  return built;
}

/** The request without images and files that the vendor refuses, and with diagnostics for them. Few conversations hold any. */
async function buildWithFiles(
  adapter: VendorAdapter,
  request: ApiRequest,
  secrets: RequestSecrets,
): Promise<WireRequest> {
  const { model, context } = request;
  if (!context.messages.some((message) => fileBlocksOf(message).length > 0))
    return buildWithTools(adapter, request, secrets);
  const { fitImages } = await import("../request/fit-images.js");
  const { messages, notes } = fitImages(context.messages, {
    model,
    files: adapter.files,
    fileFault: adapter.fileFault,
  });
  if (messages === context.messages) return buildWithTools(adapter, request, secrets);
  const built = await buildWithTools(
    adapter,
    { ...request, context: { ...context, messages: [...messages] } },
    secrets,
  );
  return { ...built, notes: [...(built.notes ?? []), ...notes] };
}

async function buildWithTools(
  adapter: VendorAdapter,
  given: ApiRequest,
  secrets: RequestSecrets,
): Promise<WireRequest> {
  const request = { ...given, context: withoutDeferral(given.context, adapter.serverTools) };
  const built = await buildWithServerTools(adapter, request, secrets);
  const { tools = [] } = request.context;
  if (!tools.some(({ namespace, callers, output }) => (namespace ?? callers ?? output) !== undefined)) return built;
  const { addToolFields } = await import("../request/tools/tool-fields.js");
  return addToolFields(built, request.model, tools);
}

async function buildWithServerTools(
  adapter: VendorAdapter,
  request: ApiRequest,
  secrets: RequestSecrets,
): Promise<WireRequest> {
  if (!request.context.tools?.some(({ server }) => server)) return adapter.buildRequest(request);
  const { declareServerTools } = await import("../request/server-tools/declare-server-tools.js");
  const { own, secrets: found, addTo } = declareServerTools(request, adapter.serverTools);
  secrets.hide(found);
  return addTo(adapter.buildRequest(own));
}

/** The model with the flag that the server's error asks for; undefined if it asks for none, or the flag was set. */
export function correctModel(error: unknown, model: Model): Model | undefined {
  const isRefusal = error instanceof ProviderError && error.status !== undefined && ALTERNATION.test(error.message);
  return isRefusal ? withAlternatingRoles(model) : undefined;
}
