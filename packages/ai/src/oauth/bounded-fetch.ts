/** A `fetch` for servers that may be hostile. */
import { ProtocolError } from "../errors.js";
import { checkOAuthAddress } from "./oauth-address.js";

/** Longest body, in bytes. Tokens and metadata are a few kilobytes. */
const MAX_BODY = 1_000_000;

/** Sends only to safe URLs. Reads the whole body, which must not be longer than 1 MB. */
export function createBoundedFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    checkOAuthAddress(input instanceof Request ? input.url : String(input));
    const response = await fetch(input, init);
    if (!response.body) return response;
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    let length = 0;
    for await (const chunk of response.body) {
      length += chunk.length;
      // Leaving the loop cancels the body.
      if (length > MAX_BODY)
        throw new ProtocolError("The authorization server's response is too long", { retryable: false });
      chunks.push(chunk);
    }
    const { status, statusText, headers } = response;
    return new Response(new Blob(chunks), { status, statusText, headers });
  };
}
