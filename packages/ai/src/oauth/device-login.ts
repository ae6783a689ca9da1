/** The login with a code that the user enters on any device (RFC 8628). */
import { AbortedError, ProviderError } from "../errors.js";
import type { DeviceAuthorizationResponse, TokenEndpointResponse } from "../sdk/oauth.js";
import { checkOAuthAddress } from "./oauth-address.js";
import type { OAuthClient } from "./oauth-client.js";
import type { OAuthClock, OAuthDeviceCodeInfo, OAuthLoginCallbacks } from "./oauth-types.js";

/** The default polling interval, and its increase after `slow_down`, in seconds (RFC 8628). */
const INTERVAL = 5;

export async function logInWithDevice(
  client: OAuthClient,
  name: string,
  clock: OAuthClock,
  callbacks: OAuthLoginCallbacks,
): Promise<TokenEndpointResponse> {
  const device = await client.startDevice(callbacks.signal);
  show(device, callbacks);
  // Counted by the waits: the time of the system may be set while the user looks for the browser.
  let left = device.expires_in * 1000;
  let interval = device.interval ?? INTERVAL;
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

function show(device: DeviceAuthorizationResponse, callbacks: OAuthLoginCallbacks): void {
  const { verification_uri_complete: complete } = device;
  const info: OAuthDeviceCodeInfo = {
    // The code is shown in terminals, which execute control characters.
    userCode: device.user_code.replaceAll(/\p{Cc}/gu, ""),
    verificationUri: checkOAuthAddress(device.verification_uri),
    ...(complete === undefined ? {} : { verificationUriComplete: checkOAuthAddress(complete) }),
    expiresInSeconds: device.expires_in,
    intervalSeconds: device.interval ?? INTERVAL,
  };
  if (callbacks.onDeviceCode) callbacks.onDeviceCode(info);
  else callbacks.onAuth({ url: info.verificationUri, instructions: `Enter code: ${info.userCode}` });
}
