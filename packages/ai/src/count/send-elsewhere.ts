/** Sends the request of a model to another endpoint of its provider. */
import { ProtocolError } from "../errors.js";
import { BUILT_IN_APIS } from "../providers/built-in-apis.generated.js";
import type { ApiAdapter } from "../runtime/api-adapter.js";
import { createLazyApiProvider } from "../runtime/create-api-provider.js";
import type { SendContext, WireRequest, WireResponse } from "../transport/wire-request.js";
import type { Context } from "../types/context.js";
import type { AssistantMessage } from "../types/message.js";
import type { KnownApi, Model } from "../types/model.js";
import type { SimpleStreamOptions } from "../types/options.js";

/** Longest response to read, in bytes. It holds a few facts. */
const MAX_RESPONSE = 64 * 1024;

/** Where a request goes instead. */
export interface Destination {
  /** The request of the model, changed for the endpoint. */
  toRequest(request: WireRequest): WireRequest;
  /** Sends to the endpoint. Some SDKs build the URL themselves. */
  toFetch(fetch: SendContext["fetch"]): SendContext["fetch"];
  /** Receives the response. What it throws is the failure of the request. */
  onText(text: string): void;
}

/**
 * Keys, addresses, retries, timeouts and abort are those of a model request. Never rejects: a failure is in the message, as
 * for a model request. The message has no content.
 */
export async function sendElsewhere(
  model: Model & { api: KnownApi },
  context: Context,
  options: SimpleStreamOptions,
  destination: Destination,
): Promise<AssistantMessage> {
  const provider = createLazyApiProvider(model.api, async () =>
    redirectAdapter(await BUILT_IN_APIS[model.api](), destination),
  );
  return provider.streamSimple(model, context, options).result();
}

/** The adapter with another destination. What it receives is not a response of a model. */
function redirectAdapter(adapter: ApiAdapter, { toRequest, toFetch, onText }: Destination): ApiAdapter {
  return {
    ...adapter,
    async send(wireRequest, request, io): Promise<WireResponse> {
      const response = await adapter.send(toRequest(wireRequest), request, { ...io, fetch: toFetch(io.fetch) });
      onText(await readText(response));
      const body = { read: async () => ({ done: true }), cancel: async () => {} };
      return { status: response.status, headers: response.headers, framing: response.framing, body };
    },
    createMapping: () =>
      Object.assign(() => false, { end: (sink: { stop(reason: "stop"): void }) => sink.stop("stop") }),
  };
}

async function readText({ body }: WireResponse): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await body.read();
    if (done) return text + decoder.decode();
    text += typeof value === "string" ? value : decoder.decode(value, { stream: true });
    if (text.length > MAX_RESPONSE) {
      await body.cancel();
      throw new ProtocolError("The response of the endpoint is too long", { retryable: false });
    }
  }
}
