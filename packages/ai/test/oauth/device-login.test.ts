/** The polling of the device flow, with a scripted server. */

import { createOAuthProvider, type OAuthDeviceCodeInfo } from "pi-ai/oauth";
import { expect, it } from "vitest";

const TOKENS = { access_token: "access-token-1", token_type: "bearer", expires_in: 60 };

/** Logs in. Returns the times of the polls, in milliseconds, and the outcome. */
async function logIn(answers: readonly object[], device: object = {}, signal?: AbortSignal, setBy = 0) {
  let now = 0;
  let onWait: (() => void) | undefined = () => {
    now += setBy;
    onWait = undefined;
  };
  const times: number[] = [];
  const codes: OAuthDeviceCodeInfo[] = [];
  const provider = createOAuthProvider({
    id: "acme",
    name: "Acme",
    clientId: "c",
    issuer: "https://login.test",
    flow: "device",
    endpoints: { token: "https://login.test/token", deviceAuthorization: "https://login.test/device" },
    clock: {
      now: () => now,
      async wait(ms) {
        now += ms;
        onWait?.();
      },
    },
    fetch: async (url) => {
      if (String(url).endsWith("/device")) {
        const code = { device_code: "device-code-1", user_code: "AB\u001b[2J\n\u202e-CD", expires_in: 40 };
        return Response.json({ ...code, verification_uri: "https://login.test/activate", ...device });
      }
      times.push(now);
      const answer = answers[times.length - 1] ?? { error: "authorization_pending" };
      return Response.json(answer, { status: "error" in answer ? 400 : 200 });
    },
  });
  const callbacks = {
    onAuth: (): never => expect.unreachable(),
    onPrompt: async () => "",
    onDeviceCode: (info: OAuthDeviceCodeInfo) => void codes.push(info),
    ...(signal ? { signal } : {}),
  };
  const outcome: unknown = await provider.login(callbacks).catch((error: unknown) => error);
  return { times, outcome, codes };
}

it("polls at the server's interval, and less often after slow_down", async () => {
  const pending = { error: "authorization_pending" };
  const { times, outcome, codes } = await logIn([pending, pending, { error: "slow_down" }, TOKENS], { interval: 6 });
  expect(times).toEqual([6_000, 12_000, 18_000, 29_000]);
  // Without a refresh token; expires a fifth of the lifetime early.
  expect(outcome).toEqual({ access: "access-token-1", refresh: "", expires: 29_000 + 48_000 });
  expect(codes).toEqual([
    {
      userCode: String.raw`AB\u{1b}[2J\u{a}\u{202e}-CD`,
      verificationUri: "https://login.test/activate",
      intervalSeconds: 6,
      expiresInSeconds: 40,
    },
  ]);
});

it("polls a last time when the code expires", async () => {
  const { times, outcome } = await logIn([{ error: "slow_down" }, { error: "slow_down" }]);
  expect(times).toEqual([5_000, 15_000, 30_000, 40_000]);
  expect(outcome).toMatchObject({ kind: "auth", message: "Acme: the code has expired. Log in again" });
});

it("ends when the user denies access", async () => {
  const { times, outcome } = await logIn([{ error: "access_denied", error_description: "device-code-1" }]);
  expect(times).toHaveLength(1);
  expect(outcome).toMatchObject({ kind: "auth", message: "Acme: the login failed: access_denied: [redacted]" });
});

it("ends when it is aborted", async () => {
  const { times, outcome } = await logIn([], {}, AbortSignal.abort());
  expect(times).toEqual([]);
  expect(outcome).toMatchObject({ kind: "aborted" });
});

it("shows no URL that is unsafe to open", async () => {
  for (const field of ["verification_uri", "verification_uri_complete"]) {
    const { outcome, codes } = await logIn([], { [field]: "file:///etc/passwd" });
    expect(codes).toEqual([]);
    expect(outcome).toMatchObject({ kind: "config" });
  }
});

it.each([-3_600_000, 3_600_000])("asks as long as the code is valid when the time is set by %i ms", async (setBy) => {
  const { times, outcome } = await logIn([], { interval: 10 }, undefined, setBy);
  expect(times).toHaveLength(4);
  expect(outcome).toMatchObject({ message: "Acme: the code has expired. Log in again" });
});

it("bounds how often a server has its client ask, and for how long", async () => {
  const { times, codes } = await logIn([], { interval: 0.0001, expires_in: 1e9 });
  expect(codes).toMatchObject([{ intervalSeconds: 1, expiresInSeconds: 3600 }]);
  expect(times.slice(0, 3)).toEqual([1000, 2000, 3000]);
  expect(times).toHaveLength(3600);
});

const PRIVATE = [
  "https://127.0.0.1/x",
  "https://[::1]/x",
  "https://169.254.169.254/x",
  "https://10.0.0.1/x",
  "http://localhost:1/x",
];

it.each(PRIVATE)("does not send its user to %s for a server of the public web", async (address) => {
  for (const field of ["verification_uri", "verification_uri_complete"]) {
    const { outcome } = await logIn([], { [field]: address });
    expect(String(outcome)).toContain("one of this machine or of a private network");
  }
});

it.each(PRIVATE)("does not send a code to %s because the metadata of the server names it", async (address) => {
  const sent: string[] = [];
  const provider = createOAuthProvider({
    ...{ id: "acme", name: "Acme", clientId: "c", issuer: "https://login.test", flow: "device" as const },
    fetch: async (url) => {
      sent.push(String(url));
      return Response.json({
        issuer: "https://login.test",
        token_endpoint: address,
        device_authorization_endpoint: address,
      });
    },
  });
  const callbacks = { onAuth: (): never => expect.unreachable(), onPrompt: async () => "" };
  const outcome: unknown = await provider.login(callbacks).catch((error: unknown) => error);
  expect(String(outcome)).toContain("one of this machine or of a private network");
  expect(sent.join()).not.toContain(address);
});

it.each([1e308, 315_360_001])("keeps a number for tokens that live for %d seconds", async (life) => {
  const { outcome } = await logIn([{ ...TOKENS, expires_in: life }]);
  expect(JSON.parse(JSON.stringify(outcome)).expires).toBe(5000 + 315_360_000_000 - 300_000);
});

it("takes no token that is longer than a login server has", async () => {
  const { outcome } = await logIn([{ ...TOKENS, access_token: "x".repeat(100_000) }]);
  expect(String(outcome)).toContain("The authorization server's response is too long");
});
