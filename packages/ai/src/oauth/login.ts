/**
 * The two ways to log in: with a browser (authorization code with PKCE), and with a code that the user enters on any
 * device (RFC 8628).
 */
import type { Server } from "node:http";
import { AbortedError, ProviderError } from "../errors.js";
import type { DeviceAuthorizationResponse, TokenEndpointResponse } from "../transport/sdk/oauth.js";
import { visibleLine } from "../utils/visible-text.js";
import { checkOAuthAddress, type OAuthClient } from "./oauth-client.js";
import type { OAuthClock, OAuthDeviceCodeInfo, OAuthLoginCallbacks, OAuthProviderOptions } from "./oauth-types.js";

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

/** A server that waits for the browser. */
interface LoginRedirect {
  /** The redirect URL, with the port. */
  redirectUri: string;
  /** Waits for the code. */
  receive(state: string): Promise<URLSearchParams>;
  close(): void;
}

const PAGE = `<!doctype html><meta charset="utf-8"><title>Login</title><p>You can close this page and return to the program.`;

/**
 * Listens for the browser.
 *
 * @returns undefined if the port is busy
 */
async function listenForLogin(redirectUri: string, host: string): Promise<LoginRedirect | undefined> {
  const { createServer } = await import("node:http");
  const url = new URL(redirectUri);
  const server = createServer();
  const port = await listen(server, Number(url.port), host);
  if (port === undefined) return undefined;
  url.port = String(port);
  return {
    redirectUri: url.href,
    receive: (state) => receive(server, url.pathname, state),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function listen(server: Server, port: number, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => {
      if ("code" in error && error.code === "EADDRINUSE") resolve(undefined);
      else reject(error);
    });
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === "object" ? address?.port : undefined);
    });
  });
}

/** Waits for the request with the state of this login. Other requests, such as those of other programs, are ignored. */
function receive(server: Server, path: string, state: string): Promise<URLSearchParams> {
  return new Promise((resolve) => {
    server.on("request", (request, response) => {
      const url = URL.parse(request.url ?? "", "http://localhost");
      const isReturn = request.method === "GET" && url?.pathname === path && url.searchParams.get("state") === state;
      response.writeHead(isReturn ? 200 : 404, {
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-store",
        "referrer-policy": "no-referrer",
        connection: "close",
      });
      // Settles only after the page was sent, because the server then closes.
      response.end(isReturn ? PAGE : "Not found", () => isReturn && resolve(url.searchParams));
    });
  });
}

/**
 * Returns the parameters in a URL, a query string, `code#state`, or a code alone. A code alone gets the state of this
 * login, because PKCE binds the code to the login.
 */
function readPastedCode(text: string, state: string, issuer: string): URLSearchParams {
  const pasted = text.trim();
  const query = URL.parse(pasted)?.searchParams ?? (/^\??(code|error|state)=/.test(pasted) ? pasted : undefined);
  if (query !== undefined) return new URLSearchParams(query);
  const [code = "", pastedState = state] = pasted.split("#", 2);
  return new URLSearchParams({ code, state: pastedState, iss: issuer });
}

/** The default polling interval, and its increase after `slow_down`, in seconds (RFC 8628). */
const INTERVAL = 5;
/** A server that asks for more polls would have its client flood it. In seconds. */
const LEAST_INTERVAL = 1;
/** The longest life of a code, in seconds. Vendors give 15 minutes. */
const LONGEST_LIFE = 3600;

/** The interval and the life that a server states, within bounds. */
function bounded({ interval = INTERVAL, expires_in: life }: DeviceAuthorizationResponse): {
  interval: number;
  life: number;
} {
  return { interval: Math.max(LEAST_INTERVAL, interval), life: Math.min(life, LONGEST_LIFE) };
}

export async function logInWithDevice(
  client: OAuthClient,
  { name, issuer }: OAuthProviderOptions,
  clock: OAuthClock,
  callbacks: OAuthLoginCallbacks,
): Promise<TokenEndpointResponse> {
  const device = await client.startDevice(callbacks.signal);
  let { interval, life } = bounded(device);
  show(device, issuer, callbacks);
  // Counted by the waits: the time of the system may be set while the user looks for the browser.
  let left = life * 1000;
  const signal = callbacks.signal ?? new AbortController().signal;
  for (;;) {
    if (left <= 0) throw new ProviderError({ kind: "auth", message: `${name}: the code has expired. Log in again` });
    // The last poll happens when the code expires.
    const wait = Math.min(interval * 1000, left);
    await clock.wait(wait, signal);
    left -= wait;
    if (signal.aborted) throw new AbortedError("Login was aborted");
    const asked = await ask(client, device.device_code, signal);
    if (typeof asked === "object") return asked;
    if (asked === "slow_down") interval += INTERVAL;
  }
}

/** Polls once. Returns the tokens, or the reason why there are none yet. */
async function ask(
  client: OAuthClient,
  deviceCode: string,
  signal: AbortSignal,
): Promise<TokenEndpointResponse | "authorization_pending" | "slow_down"> {
  try {
    return await client.redeemDevice(deviceCode, signal);
  } catch (error) {
    const code = error instanceof ProviderError ? error.code : undefined;
    if (code !== "authorization_pending" && code !== "slow_down") throw error;
    return code;
  }
}

function show(device: DeviceAuthorizationResponse, issuer: string, callbacks: OAuthLoginCallbacks): void {
  const { verification_uri_complete: complete } = device;
  const { interval, life } = bounded(device);
  const info: OAuthDeviceCodeInfo = {
    // A person types what is shown here, and it must be all of the code.
    userCode: visibleLine(device.user_code),
    verificationUri: checkOAuthAddress(device.verification_uri, issuer),
    ...(complete === undefined ? {} : { verificationUriComplete: checkOAuthAddress(complete, issuer) }),
    expiresInSeconds: life,
    intervalSeconds: interval,
  };
  if (callbacks.onDeviceCode) callbacks.onDeviceCode(info);
  else callbacks.onAuth({ url: info.verificationUri, instructions: `Enter code: ${info.userCode}` });
}
