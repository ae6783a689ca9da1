/** Captures a request: the SDK sends it over HTTP to a local server, which sends a successful response. */
import { type AssistantMessage, type Context, type Model, type ProviderStreamOptions, stream } from "pi-ai";
import { HttpTarget } from "../conformance/http-target.js";
import { testsOf } from "../protocols/all-apis.js";
import type { ReceivedRequest } from "./exchange.js";
import { TestServer } from "./test-server.js";

export interface CapturedRequest extends Omit<ReceivedRequest, "body"> {
  /** The original URL of the request. The model keeps its base URL, because options may depend on it. */
  url: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every shape.
  body: any;
  /** The response to the request. */
  message: AssistantMessage;
}

/**
 * @param options as for `stream`; a missing key is added
 * @throws Error with the text of the failure if nothing was sent
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
