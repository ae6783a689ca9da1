/** What a login sends, and what its errors quote, with a scripted server. */
import { createOAuthProvider, type OAuthLoginCallbacks, type OAuthProviderOptions } from "pi-ai/oauth";
import { expect, it } from "vitest";

const PASTED = "c0d3-of-this-login";

/** @param answer the answer of the token endpoint to a request */
function createProvider(
  answer: (body: URLSearchParams) => object,
  options: Partial<OAuthProviderOptions> = {},
): ReturnType<typeof createOAuthProvider> {
  return createOAuthProvider({
    ...{ id: "acme", name: "Acme", clientId: "c", issuer: "https://login.test" },
    endpoints: { authorization: "https://login.test/authorize", token: "https://login.test/token" },
    fetch: async (_url, init) => Response.json(answer(new URLSearchParams(String(init?.body))), { status: 400 }),
    ...options,
  });
}

function pasting(more: Partial<OAuthLoginCallbacks> = {}): OAuthLoginCallbacks {
  return { onAuth: () => {}, onPrompt: async () => PASTED, onManualCodeInput: async () => PASTED, ...more };
}

it("does not quote the code and the secrets of a login that a server repeats", async () => {
  let sent = "";
  const provider = createProvider(
    (body) => {
      sent = `${body.get("code")} ${body.get("code_verifier")} ${body.get("client_secret")}`;
      return { error: "invalid_grant", error_description: sent };
    },
    { clientSecret: "secret-of-the-client" },
  );
  await expect(provider.login(pasting())).rejects.toMatchObject({
    message: "Acme: the login failed: invalid_grant: [redacted] [redacted] [redacted]",
  });
  expect(sent).toMatch(new RegExp(`^${PASTED} [\\w-]{43} secret-of-the-client$`));
});

it("takes parameters of the application, which cannot weaken the login", async () => {
  let page = new URLSearchParams();
  const authorizationParameters = {
    ...{ audience: "api", state: "s", code_challenge: "x", code_challenge_method: "plain" },
    ...{ client_id: "other", redirect_uri: "https://other.test", response_type: "token" },
  };
  const provider = createProvider(() => ({ error: "invalid_grant" }), { authorizationParameters });
  const onAuth = ({ url }: { url: string }): void => {
    page = new URL(url).searchParams;
  };
  await expect(provider.login(pasting({ onAuth }))).rejects.toMatchObject({ kind: "auth" });
  expect(Object.fromEntries(page)).toMatchObject({
    ...{ audience: "api", client_id: "c", response_type: "code", code_challenge_method: "S256" },
    redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
    state: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
  });
});

it("ends at once if it is aborted before it begins", async () => {
  const input = new Promise<string>(() => {});
  const provider = createProvider(() => ({}));
  const login = provider.login(pasting({ signal: AbortSignal.abort(), onManualCodeInput: () => input }));
  await expect(login).rejects.toMatchObject({ kind: "aborted" });
});

it("sends no refresh without a token", async () => {
  let requests = 0;
  const provider = createProvider(() => ({ error: `${++requests}` }));
  await expect(provider.refreshToken({ access: "a", refresh: "", expires: 0 })).rejects.toMatchObject({
    kind: "auth",
    message: "Acme: there is no refresh token. Log in again",
  });
  expect(requests).toBe(0);
});

it("does not quote a refresh token that a server repeats", async () => {
  const provider = createProvider((body) => ({
    error: "invalid_grant",
    error_description: `${body.get("refresh_token")} is unknown`,
  }));
  const refreshed = provider.refreshToken({ access: "a", refresh: "refresh-token-1", expires: 0 });
  await expect(refreshed).rejects.toMatchObject({
    message: "Acme: the refresh failed: invalid_grant: [redacted] is unknown",
  });
});

it("takes no metadata of another issuer", async () => {
  const sent: string[] = [];
  const provider = createOAuthProvider({
    ...{ id: "acme", name: "Acme", clientId: "c", issuer: "https://login.test" },
    fetch: async (url) => {
      sent.push(String(url));
      const issuer = "https://other.test";
      return Response.json({
        issuer,
        token_endpoint: `${issuer}/token`,
        authorization_endpoint: `${issuer}/authorize`,
      });
    },
  });
  const onAuth = (): never => expect.unreachable();
  await expect(provider.login(pasting({ onAuth }))).rejects.toMatchObject({ kind: "protocol" });
  expect(sent).toEqual(["https://login.test/.well-known/oauth-authorization-server"]);
});

it("quotes the beginning of a long text, and no part of a secret at its end", async () => {
  const provider = createProvider((body) => ({
    error: "invalid_grant",
    error_description: `${"x".repeat(270)} ${body.get("refresh_token")}`.padEnd(50_000, "y"),
  }));
  const refreshed = provider.refreshToken({ access: "a", refresh: "refresh-token-1".repeat(10), expires: 0 });
  const message = await refreshed.then(String, (error: Error) => error.message);
  expect(message).toMatch(/^Acme: the refresh failed: invalid_grant: x{270}/);
  expect(message.length).toBeLessThan(400);
  expect(message).not.toContain("refresh-");
});

it("ends as aborted if it is aborted while the server answers", async () => {
  const controller = new AbortController();
  const provider = createProvider(() => ({}), {
    fetch: async () => {
      controller.abort();
      throw new TypeError("fetch failed");
    },
  });
  await expect(provider.login(pasting({ signal: controller.signal }))).rejects.toMatchObject({ kind: "aborted" });
});
