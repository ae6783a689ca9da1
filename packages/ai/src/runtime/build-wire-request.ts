/** Builds the request of an api. Code that few requests need is loaded by the first one that needs it. */
import { alternatesRoles, withAlternatingRoles } from "../compat/alternating-roles.js";
import { ProviderError } from "../errors.js";
import type { RequestGuard } from "../transport/request-guard.js";
import type { WireRequest } from "../transport/wire-request.js";
import type { Model } from "../types/model.js";
import type { ApiAdapter, ModelRequest } from "./api-adapter.js";
import type { RequestSecrets } from "./request-secrets.js";

/** What building a request may need from its driver. */
export interface BuildContext {
  guard: RequestGuard;
  secrets: RequestSecrets;
}

/** An error of a server whose chat template, or whose own check, demands that the roles alternate. */
const ALTERNATION = /\balternat(?:e|es|ing)\b|\bsuccessive user or assistant\b/i;

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
  const { addContextManagement } = await context.guard.race(import("../context-management/add-context-management.js"));
  return addContextManagement(built, request.model, contextManagement);
}

async function buildWithTools(
  adapter: ApiAdapter,
  request: ModelRequest,
  { guard, secrets }: BuildContext,
): Promise<WireRequest> {
  if (!request.context.tools?.some(({ server }) => server)) return adapter.buildRequest(request);
  const { declareServerTools } = await guard.race(import("../server-tools/declare-server-tools.js"));
  const { own, secrets: found, addTo } = declareServerTools(request);
  secrets.hide(found);
  return addTo(adapter.buildRequest(own));
}

/** Whether the provider is asked to enforce a schema, which has to fit its rules. */
export function hasEnforcedSchema({ context: { tools }, options }: ModelRequest): boolean {
  return options.outputFormat !== undefined || Boolean(tools?.some(({ strict }) => strict));
}
