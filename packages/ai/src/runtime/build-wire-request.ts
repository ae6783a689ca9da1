/** Builds the request of an api. Code that few requests need is loaded by the first one that needs it. */
import type { RequestGuard } from "../transport/request-guard.js";
import type { WireRequest } from "../transport/wire-request.js";
import type { ApiAdapter, ModelRequest } from "./api-adapter.js";
import type { RequestSecrets } from "./request-secrets.js";

/** What building a request may need from its driver. */
export interface BuildContext {
  guard: RequestGuard;
  secrets: RequestSecrets;
}

/** The request with the provider's own tools, and with what the provider should do with a long conversation. */
export async function buildWireRequest(
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
