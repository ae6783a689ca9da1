/** Sees the request that a call makes: the SDK sends it over HTTP to a server of the test, which gives a good answer. */
import { stream } from "../../src/index.js";
import type { Context } from "../../src/types/context.js";
import type { AssistantMessage } from "../../src/types/message.js";
import type { Model } from "../../src/types/model.js";
import type { ProviderStreamOptions } from "../../src/types/options.js";
import { HttpTarget } from "../conformance/http-target.js";
import { testsOf } from "../protocols/all-apis.js";
import type { ReceivedRequest } from "./exchange.js";
import { TestServer } from "./test-server.js";

export interface CapturedRequest extends Omit<ReceivedRequest, "body"> {
  /** Where the request was meant to go: the model's own address is kept, so that what depends on it is seen. */
  url: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  body: any;
  /** The answer that the call got. */
  message: AssistantMessage;
}

/**
 * @param options as for `stream`; a key is added where there is none
 * @throws Error where nothing was sent, with the text of the failure
 */
export async function captureRequest(
  model: Model,
  context: Context,
  options: ProviderStreamOptions = {},
  call: typeof stream = stream,
): Promise<CapturedRequest> {
  await using server = await TestServer.start();
  const target = new HttpTarget(testsOf(model.api).fixtures, () => server);
  const exchange = server.expect(target.response(target.responses.text.frames));
  let url = "";
  const fetch: typeof globalThis.fetch = (input, init) => {
    url = input instanceof Request ? input.url : String(input);
    const { pathname, search } = new URL(url);
    return globalThis.fetch(`${exchange.url}${pathname}${search}`, init);
  };
  const message = await call(model, context, { apiKey: "test-key", maxRetries: 0, ...options, fetch }).result();
  const request = exchange.requests[0];
  if (!request) throw new Error(`Nothing was sent: ${message.errorMessage}`);
  return { ...request, url, body: JSON.parse(request.body), message };
}
