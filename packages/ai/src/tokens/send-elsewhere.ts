/** Sends a model request to another endpoint of its provider. */

import { type ApiAdapter, createLazyApiProvider } from "../driver/index.js";
import { ProtocolError } from "../errors.js";
import { BUILT_IN_APIS } from "../providers/built-in-apis.generated.js";
import type { SendContext, WireRequest, WireResponse } from "../transport/index.js";
import type { Context } from "../types/context.js";
import type { AssistantMessage } from "../types/message.js";
import type { KnownApi, Model } from "../types/model.js";
import type { SimpleStreamOptions } from "../types/options.js";

/** The longest response to read, in bytes. Such responses are short. */
const MAX_RESPONSE = 64 * 1024;

/** Another endpoint. */
export interface Destination {
  /** Converts the model request for the endpoint. */
  toRequest(request: WireRequest): WireRequest;
  /** Wraps `fetch` to change the URL, because some SDKs build it themselves. */
  toFetch(fetch: SendContext["fetch"]): SendContext["fetch"];
  /** Receives the response. If it throws, the request fails with that error. */
  onText(text: string): void;
}

/**
 * Uses the keys, URLs, retries, timeouts and signal of a model request. Never rejects: like a model request, it reports
 * a failure in the message. The message has no content.
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

/** Copies an adapter with another destination. Its mapping gets no events, because the response is not a model's. */
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
