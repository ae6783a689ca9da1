/** The login with a browser: authorization code with PKCE. */
import { AbortedError } from "../errors.js";
import type { TokenEndpointResponse } from "../sdk/oauth.js";
import { type LoginRedirect, listenForLogin } from "./login-redirect.js";
import type { OAuthClient } from "./oauth-client.js";
import type { OAuthProviderOptions } from "./oauth-provider-options.js";
import type { OAuthLoginCallbacks } from "./oauth-types.js";
import { readPastedCode } from "./pasted-code.js";

export async function logInWithCode(
  client: OAuthClient,
  options: OAuthProviderOptions,
  callbacks: OAuthLoginCallbacks,
): Promise<TokenEndpointResponse> {
  const registered = options.redirectUri ?? "http://127.0.0.1/callback";
  const redirect = await listenForLogin(registered, options.callbackHost ?? "127.0.0.1");
  try {
    const redirectUri = redirect?.redirectUri ?? registered;
    const { url, ...login } = await client.startCode(redirectUri, callbacks.signal);
    const returned = waitForCode(redirect, { state: login.state, issuer: options.issuer }, callbacks);
    callbacks.onAuth({ url, instructions: "Log in with your browser." });
    const parameters = await returned;
    callbacks.onProgress?.("Exchanging the code for tokens");
    return await client.redeemCode(parameters, { ...login, redirectUri }, callbacks.signal);
  } finally {
    redirect?.close();
  }
}

/** Settles with whichever comes first: the browser's redirect, a pasted code, or an abort. */
function waitForCode(
  redirect: LoginRedirect | undefined,
  { state, issuer }: { state: string; issuer: string },
  { onManualCodeInput, onPrompt, signal }: OAuthLoginCallbacks,
): Promise<URLSearchParams> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(new AbortedError("Login was aborted"));
    if (signal?.aborted) return abort();
    signal?.addEventListener("abort", abort, { once: true });
    redirect?.receive(state).then(resolve, reject);
    const message = "The browser cannot return to this machine. Paste the URL of the last page that it shows";
    const input = onManualCodeInput?.() ?? (redirect ? undefined : onPrompt({ message }));
    input?.then((text) => resolve(readPastedCode(text, state, issuer)), reject);
  });
}
