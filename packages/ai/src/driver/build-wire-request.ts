/** Builds the request that is sent: what the adapter builds, with the parts that all apis have in common. */
import {
  alternatesRoles,
  factsOf,
  imageRulesOf,
  rulesOf,
  type ToolRules,
  toolRulesOf,
  withAlternatingRoles,
} from "../catalogue/compat/index.js";
import { ConfigError, ProviderError } from "../errors.js";
import {
  addContextManagement,
  addsTools,
  closeResponse,
  declareServerTools,
  fillBlankEnd,
  fitImages,
  fitSchemas,
  fitTools,
  type GivenNames,
  noteStrayResults,
  withoutDeferral,
} from "../request/index.js";
import { httpProxySecrets, keysInUrl, type RequestNote, type WireRequest } from "../transport/index.js";
import type { Context } from "../types/context.js";
import type { Model } from "../types/model.js";
import { isRecord } from "../utils/is-object.js";
import { toWellFormed } from "../utils/sanitize-unicode.js";
import { alternateRoles } from "./alternate-roles.js";
import type { ApiRequest, VendorAdapter } from "./api-adapter.js";
import type { RequestSecrets } from "./request-secrets.js";

/** An error of a server whose chat template, or whose own check, demands that the roles alternate. */
const ALTERNATION = /\balternat(?:e|es|ing)\b|\bsuccessive user or assistant\b/i;

export interface FittedRequest {
  request: ApiRequest;
  /** What differs from the conversation. */
  notes: readonly RequestNote[];
  /** Turns the names in the response back; undefined if no name differs. */
  names: GivenNames | undefined;
}

/** The request with the names and the schemas that the model's server takes. */
export function fitRequest(adapter: VendorAdapter, given: ApiRequest): FittedRequest {
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
  const fitted = rules && fitTools(context, rules);
  const sent = fitAddedTools(fitted?.context ?? context, rules);
  const request = withSentNames({ ...given, context: sent }, fitted?.names);
  const enforced = fitEnforcedSchemas(adapter, request);
  return {
    request: enforced.request,
    notes: [...notes, ...(fitted?.notes ?? []), ...enforced.notes],
    names: fitted?.names,
  };
}

function assertNotTooMany(tools: Context["tools"], { most }: ToolRules, { provider }: Model): void {
  if (most === undefined || !tools || tools.length <= most) return;
  throw new ConfigError(
    `context.tools has ${tools.length} tools; ${provider} takes at most ${most}. Leave out those that this request does not need.`,
  );
}

/** The schemas of tools that messages add. */
function fitAddedTools(context: Context, rules: ToolRules | undefined): Context {
  if (!rules || !context.messages.some(addsTools)) return context;
  const messages = context.messages.map((message) => {
    if (!addsTools(message)) return message;
    const { tools } = fitTools({ messages: [], tools: message.toolsAdded }, rules).context;
    return tools ? { ...message, toolsAdded: tools } : message;
  });
  return { ...context, messages };
}

function withSentNames(request: ApiRequest, names: GivenNames | undefined): ApiRequest {
  const options: ApiRequest["options"] & { toolChoice?: unknown } = request.options;
  if (!names || options.toolChoice === undefined) return request;
  const toolChoice = names.choiceToSent(options.toolChoice);
  return { ...request, options: { ...options, toolChoice } as ApiRequest["options"] }; // in the form in which it was given
}

/** The request with schemas that fit the provider's rules, if it is asked to enforce one. */
function fitEnforcedSchemas(
  adapter: VendorAdapter,
  request: ApiRequest,
): { request: ApiRequest; notes: readonly RequestNote[] } {
  const { model, context, options } = request;
  const isEnforced = options.outputFormat !== undefined || context.tools?.some(({ strict }) => strict);
  if (!isEnforced) return { request, notes: [] };
  const rules = rulesOf(model, adapter.outputRows);
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
 * @throws ConfigError if the model's `baseUrl` is no address
 */
export function buildWireRequest(adapter: VendorAdapter, request: ApiRequest, secrets: RequestSecrets): WireRequest {
  const { model, options } = request;
  let built = buildWithImages(adapter, request, secrets);
  const { contextManagement } = options;
  if (contextManagement) built = addContextManagement(built, model, contextManagement, adapter.contextManagement);
  if (alternatesRoles(model)) built = alternateRoles(built, adapter.conversation);
  if (isRecord(built.body)) built = { ...built, body: toWellFormed(built.body) };
  secrets.hide([built.apiKey, built.bearerToken, ...keysInUrl(built.baseUrl), ...httpProxySecrets()], built.headers);
  if (!URL.canParse(built.baseUrl)) {
    const shown = built.baseUrl.replace(/[?#].*$/s, "");
    throw new ConfigError(`Model ${model.id} of ${model.provider} has no valid baseUrl: "${shown}"`);
  }
  return built;
}

/** The request without images that the vendor refuses, and with diagnostics for them. */
function buildWithImages(adapter: VendorAdapter, request: ApiRequest, secrets: RequestSecrets): WireRequest {
  const { model, context } = request;
  const { messages, notes } = fitImages(context.messages, {
    model,
    rules: imageRulesOf(model),
    files: adapter.files,
    addressFault: adapter.addressFault,
  });
  if (messages === context.messages) return buildWithTools(adapter, request, secrets);
  const built = buildWithTools(adapter, { ...request, context: { ...context, messages: [...messages] } }, secrets);
  return { ...built, notes: [...(built.notes ?? []), ...notes] };
}

function buildWithTools(adapter: VendorAdapter, given: ApiRequest, secrets: RequestSecrets): WireRequest {
  const request = { ...given, context: withoutDeferral(given.context, adapter.serverTools) };
  if (!request.context.tools?.some(({ server }) => server)) return adapter.buildRequest(request);
  const { own, secrets: found, addTo } = declareServerTools(request, adapter.serverTools);
  secrets.hide(found);
  return addTo(adapter.buildRequest(own));
}

/** The model with the flag that the server's error asks for; undefined if it asks for none, or the flag was set. */
export function correctModel(error: unknown, model: Model): Model | undefined {
  const isRefusal = error instanceof ProviderError && error.status !== undefined && ALTERNATION.test(error.message);
  return isRefusal ? withAlternatingRoles(model) : undefined;
}
