/** The server side of a relay: a function from a `Request` to a `Response`. */

import { PiError } from "../errors.js";
import type { AssistantMessageEventStream } from "../message/index.js";
import { getModel as getCatalogueModel } from "../models.js";
import { registerBuiltInsOnce } from "../providers/register-builtins.js";
import { streamSimple } from "../stream.js";
import type { Context } from "../types/context.js";
import type { Model } from "../types/model.js";
import type { SimpleStreamOptions } from "../types/options.js";
import { collectSecrets } from "../utils/redact.js";
import { type Access, authorizeRequest, ownerOf } from "./access.js";
import { limitOutput } from "./billing.js";
import { checkProxyOptions } from "./check-options.js";
import { checkReferences } from "./client-references.js";
import { clientErrorText } from "./client-texts.js";
import { corsHeaders, respondToPreflight } from "./cross-origin.js";
import { checkInput, estimateUsage, isUsageComplete } from "./estimate-usage.js";
import { ProxyEventEncoder } from "./event-encoder.js";
import { type JsonBody, readJsonBody } from "./json-body.js";
import { keepResponse, RUN_HEADER, readKeptResponse, readRunHeaders, resumeKeptResponse } from "./kept-response.js";
import {
  type EventStore,
  type ProxyHandler,
  type ProxyHandlerOptions,
  type ProxyRuntime,
  type ProxyUsage,
  type ResolvedLimits,
  resolveLimits,
} from "./options.js";
import { runsOf } from "./owned-runs.js";
import { Problem } from "./problem.js";
import { registerRun, stopRun } from "./published-run.js";
import { createReporter } from "./reporter.js";
import { parseProxyRequest } from "./request-schema.js";
import { createResponseBody, type ResponseBody } from "./response-body.js";

/** The status that Nginx logs for a disconnected client. No client receives it. */
const CLIENT_LEFT = 499;

const RESPONSE_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  // Keeps Nginx from buffering the stream.
  "x-accel-buffering": "no",
};

/** Never taken from a client, even if `allowHeaders` names them: credentials, and headers of the connection. */
const FORBIDDEN_HEADER =
  /authorization|api-?key|token|secret|cookie|^(?:host|connection|content-.*|transfer-encoding|te|upgrade|expect|x-forwarded-.*|forwarded|proxy-.*|x-amz-.*|x-goog-.*)$/i;

/**
 * Makes the handler of `POST <anything>/api/stream`, which sends requests to models for clients without keys, such as
 * `streamProxy` of pi-agent. Runs wherever `Request` and `Response` exist; for Node's `http` see `toNodeListener`.
 *
 * A client names the provider and id of a model; everything else about it (address, headers, prices) comes from the
 * server. Status 400 means an invalid body, 401 no valid token, 403 a forbidden model, origin or caller; 404, 405, 408, 413
 * and 415 have their usual meaning. Later failures are the stream's one `error` event.
 *
 * @throws ConfigError for a limit that is out of range, any other wrong or unknown option, and without `authorize` or `allowModels`
 *
 * @example
 * const handler = createProxyHandler({
 *   authorize: async (token) => (await isSession(token)) && { caller: token },
 *   allowModels: ["anthropic/claude-sonnet-5-5"],
 *   onUsage: ({ caller, message }) => bill(caller, message.usage.cost.total),
 * });
 */
export function createProxyHandler<TCaller = unknown>(options: ProxyHandlerOptions<TCaller>): ProxyHandler {
  checkProxyOptions(options);
  const report = createReporter(options.onError ?? (() => undefined));
  registerBuiltInsOnce();
  const limits = resolveLimits(options.limits);
  const { allowOrigins = [], eventStore } = options;
  const exposed = eventStore ? { "access-control-expose-headers": RUN_HEADER } : {};
  return async (request, runtime = {}) => {
    const response = await respond(request, { options, limits, runtime, report }).catch((error) => {
      if (error instanceof Problem) return error.toResponse();
      report(error);
      return new Problem(500, "The server failed").toResponse();
    });
    // Without these headers a page cannot read the error either.
    const cors = corsHeaders(request, allowOrigins);
    if ("access-control-allow-origin" in cors) Object.assign(cors, exposed);
    for (const [name, value] of Object.entries(cors)) response.headers.set(name, value);
    return response;
  };
}

async function respond<TCaller>(request: Request, setup: Setup<TCaller>): Promise<Response> {
  const { options, limits } = setup;
  if (!new URL(request.url).pathname.endsWith("/api/stream"))
    throw new Problem(404, "Not found; requests go to /api/stream");
  const { eventStore, allowOrigins = [] } = options;
  const preflight = respondToPreflight(request, allowOrigins, eventStore !== undefined);
  if (preflight) return preflight;
  if (eventStore && (request.method === "GET" || request.method === "DELETE")) {
    const access = await authorizeRequest(request, options.authorize);
    return respondToRun(request, runsOf(eventStore, ownerOf(access, options.runOwner)), limits);
  }
  if (request.method !== "POST") throw new Problem(405, "Only POST is allowed", { allow: "POST" });
  const access = await authorizeRequest(request, options.authorize);
  const { value, yieldTurn } = await readJsonBody(request, limits);
  const { model: wanted, ...asked } = parseProxyRequest(value, limits);
  const model = await findModel(wanted, access.caller, options);
  // "default" is the choice of Anthropic, which the operator made with the model.
  const { fallbacks } = asked.options;
  for (const id of Array.isArray(fallbacks) ? fallbacks : [])
    await findModel({ provider: model.provider, id }, access.caller, options);
  await checkReferences(asked.context, { model, caller: access.caller }, setup);
  await yieldTurn?.();
  const relayed = { ...asked, ...access, model, yieldTurn };
  checkInput(relayed, limits.maxInputTokens);
  await yieldTurn?.();
  return startResponse(request, relayed, setup);
}

/** Resumes a response, or stops it. */
async function respondToRun(
  request: Request,
  store: EventStore,
  { keepAliveMs }: Pick<ResolvedLimits, "keepAliveMs">,
): Promise<Response> {
  const { runId, offset } = readRunHeaders(request);
  if (request.method === "DELETE") {
    await stopRun(store, runId);
    return new Response(null, { status: 204 });
  }
  const body = await resumeKeptResponse(store, runId, { offset, signal: request.signal, keepAliveMs });
  return new Response(body, { headers: { ...RESPONSE_HEADERS, [RUN_HEADER]: runId } });
}

async function findModel<TCaller>(
  { provider, id }: { provider: string; id: string },
  caller: TCaller | undefined,
  { getModel = getCatalogueModel, allowModels }: ProxyHandlerOptions<TCaller>,
): Promise<Model> {
  const model = getModel(provider, id);
  if (!model) throw new Problem(400, `Unknown model: ${provider}/${id}`);
  const isAllowed =
    typeof allowModels === "function"
      ? (await allowModels(model, caller)) === true
      : allowModels.some((name) => name === `${provider}/${id}` || name === `${provider}/*`);
  if (!isAllowed) throw new Problem(403, `The model ${provider}/${id} may not be used here`);
  return model;
}

interface RelayRequest<TCaller> extends Access<TCaller> {
  model: Model;
  context: Context;
  options: SimpleStreamOptions;
  yieldTurn: JsonBody["yieldTurn"];
}

interface Setup<TCaller> {
  options: ProxyHandlerOptions<TCaller>;
  limits: ResolvedLimits;
  runtime: ProxyRuntime;
  /** Calls `onError`. */
  report: (error: unknown) => void;
}

async function startResponse<TCaller>(
  request: Request,
  relayed: RelayRequest<TCaller>,
  setup: Setup<TCaller>,
): Promise<Response> {
  const { model, context } = relayed;
  const { options, limits, runtime } = setup;
  const limited = limitOutput(relayed, limits.maxTokens);
  const apiKey = await options.getApiKey?.(model.provider, relayed.caller);
  const kept = options.eventStore && runsOf(options.eventStore, ownerOf(relayed, options.runOwner));
  const controller = new AbortController();
  const { signal } = controller;
  if (request.signal.aborted) throw new Problem(CLIENT_LEFT, "The client left");
  // A stored response continues without its client, which may reconnect.
  if (!kept) request.signal.addEventListener("abort", () => controller.abort(), { once: true });
  const streamFn: NonNullable<typeof options.streamFn> = options.streamFn ?? streamSimple;
  const events: AssistantMessageEventStream = await streamFn(limited.model, context, {
    ...toStreamOptions(limited.options, options.allowHeaders ?? [], limits),
    // Between the work that builds a large request and the work that writes it.
    ...(relayed.yieldTurn && { onPayload: relayed.yieldTurn }),
    ...(apiKey === undefined ? {} : { apiKey }),
    signal,
  });
  const encoder = new ProxyEventEncoder(collectSecrets([apiKey], model.headers), model.baseUrl);
  const billed = Promise.withResolvers<void>();
  const abort = (): void => controller.abort();
  const body = createResponseBody({
    model,
    events,
    encode: (event) => (kept ? JSON.stringify(encoder.toWire(event)) : encoder.encode(event)),
    abort,
    report: (message, clientLeft) =>
      void bill({ message, clientLeft }, relayed, setup).then(billed.resolve, billed.resolve),
    // The store reads the body of a stored response.
    keepAliveMs: kept ? 0 : limits.keepAliveMs,
    stallTimeoutMs: kept ? Number.POSITIVE_INFINITY : limits.stallTimeoutMs,
  });
  runtime.waitUntil?.(billed.promise);
  if (kept) return startRun(request, { store: kept, body, abort }, setup);
  if (signal.aborted) body.leave();
  else signal.addEventListener("abort", () => body.leave(), { once: true });
  return new Response(body.stream, { headers: RESPONSE_HEADERS });
}

interface Run {
  /** The runs of the caller. */
  store: EventStore;
  body: ResponseBody;
  abort: () => void;
}

/** Writes a body to the store, and responds from there. */
async function startRun<TCaller>(
  request: Request,
  run: Run,
  { limits, runtime, report }: Setup<TCaller>,
): Promise<Response> {
  const { store } = run;
  const runId = crypto.randomUUID();
  // The client gets the id now, and may reconnect to any server before the first event.
  await registerRun(store, runId).catch((error) => {
    run.body.leave();
    throw error;
  });
  const keeping = keepResponse({ ...run, runId, onError: report });
  runtime.waitUntil?.(keeping);
  const { keepAliveMs } = limits;
  const stream = readKeptResponse(store, runId, { offset: 0, signal: request.signal, keepAliveMs });
  return new Response(stream, { headers: { ...RESPONSE_HEADERS, [RUN_HEADER]: runId } });
}

/** The response has been sent, so only the operator can learn of an error here. */
async function bill<TCaller>(
  { message, clientLeft }: Pick<ProxyUsage, "message" | "clientLeft">,
  request: RelayRequest<TCaller>,
  { options: { onUsage }, report }: Setup<TCaller>,
): Promise<void> {
  const { model, caller } = request;
  const { errorMessage, error } = message;
  if (errorMessage !== undefined && clientErrorText(errorMessage, error, model.baseUrl) !== errorMessage)
    report(new PiError(error?.kind ?? "unknown", errorMessage));
  if (!onUsage) return;
  const complete = isUsageComplete(message);
  let guess: Pick<ProxyUsage, "estimate"> = {};
  try {
    if (!complete) guess = { estimate: estimateUsage(request, message) };
  } catch (error) {
    // A custom stream function may return a message that cannot be measured. `onUsage` is called all the same.
    report(error);
  }
  try {
    await onUsage({ caller, model, message, clientLeft, complete, ...guess });
  } catch (error) {
    report(error);
  }
}

function toStreamOptions(
  { headers, ...rest }: SimpleStreamOptions,
  allowHeaders: readonly string[],
  { timeoutMs }: ResolvedLimits,
): SimpleStreamOptions {
  const allowed = new Set(allowHeaders.map((name) => name.toLowerCase()));
  const kept = Object.entries(headers ?? {}).filter(
    ([name, value]) =>
      allowed.has(name.toLowerCase()) && !FORBIDDEN_HEADER.test(name) && /^[\t\x20-\x7e]*$/.test(value),
  );
  return {
    ...rest,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(kept.length > 0 ? { headers: Object.fromEntries(kept) } : {}),
  };
}
