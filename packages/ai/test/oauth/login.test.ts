/** Logins at a real authorization server. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  createOAuthProvider,
  getOAuthApiKey,
  InMemoryCredentialStore,
  loginOAuth,
  type OAuthCredentials,
  type OAuthProviderOptions,
  registerOAuthProvider,
  resetOAuthProviders,
} from "pi-ai/oauth";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type AuthorizationServer,
  browse,
  CLIENT_ID,
  startAuthorizationServer,
} from "../support/authorization-server.js";

let server: AuthorizationServer;
beforeEach(async () => {
  server = await startAuthorizationServer();
});
afterEach(() => {
  server.close();
  resetOAuthProviders();
});

const neverPrompt = (): Promise<string> => Promise.reject(new Error("No question was expected"));

function createProvider(options: Partial<OAuthProviderOptions> = {}) {
  const scope = "openid offline_access";
  return createOAuthProvider({
    id: "acme",
    name: "Acme",
    issuer: server.issuer,
    clientId: CLIENT_ID,
    scope,
    ...options,
  });
}

describe("a login in a browser", () => {
  it("returns tokens, which are refreshed with the latest refresh token", async () => {
    const addFields = (response: Readonly<Record<string, unknown>>) =>
      "id_token" in response && server.tokenRequests.length === 1 ? { project: "p1" } : {};
    const getApiKey = ({ access, project }: OAuthCredentials) => JSON.stringify({ token: access, project });
    registerOAuthProvider(createProvider({ addFields, getApiKey }));
    const store = new InMemoryCredentialStore();
    const pages: Promise<{ text: string }>[] = [];
    const before = Date.now();
    const first = await loginOAuth(
      "acme",
      { onAuth: ({ url }) => pages.push(browse(url)), onPrompt: neverPrompt },
      store,
    );
    expect((await pages[0])?.text).toContain("return to the program");
    expect(first.expires).toBeGreaterThanOrEqual(before + 3_300_000);
    expect(first.expires).toBeLessThanOrEqual(Date.now() + 3_300_000);
    expect(await getOAuthApiKey("acme", store)).toEqual({
      newCredentials: first,
      apiKey: JSON.stringify({ token: first.access, project: "p1" }),
    });
    expect(server.tokenRequests).toMatchObject([{ grant_type: "authorization_code", client_id: CLIENT_ID }]);

    await store.modify("acme", async () => ({ ...first, expires: 0 }));
    const second = await getOAuthApiKey("acme", store);
    expect(second?.newCredentials.refresh).not.toBe(first.refresh);
    await store.modify("acme", async (current) => current && { ...current, expires: 0 });
    const third = await getOAuthApiKey("acme", store);
    expect(third?.apiKey).toBe(JSON.stringify({ token: third?.newCredentials.access, project: "p1" }));
    expect(server.tokenRequests.map((request) => request["refresh_token"])).toEqual([
      undefined,
      first.refresh,
      second?.newCredentials.refresh,
    ]);
  });

  it.each<[string, (address: URL) => string]>([
    ["the address", ({ href }) => ` ${href}\n`],
    ["the query", ({ search }) => search],
    ["the code and the state", ({ searchParams: query }) => `${query.get("code")}#${query.get("state")}`],
    ["the code", ({ searchParams: query }) => query.get("code") ?? ""],
  ])("asks for the code if its port is busy: %s", async (_, paste) => {
    const other = createServer((_request, response) => response.end("Another program")).listen(0, "127.0.0.1");
    await once(other, "listening");
    // A TCP server's address is an object.
    const { port } = other.address() as AddressInfo;
    let end: URL | undefined;
    const page = Promise.withResolvers<void>();
    const credentials = await createProvider({ redirectUri: `http://127.0.0.1:${port}/callback` })
      .login({
        onAuth: ({ url }) =>
          browse(url).then(({ url: last }) => {
            end = new URL(last);
            page.resolve();
          }, page.reject),
        onPrompt: async () => {
          await page.promise;
          return end ? paste(end) : "";
        },
      })
      .finally(() => other.close().closeAllConnections());
    expect(credentials.refresh).toMatch(/./);
  });

  it("rejects a pasted URL of another login", async () => {
    const login = createProvider().login({
      onAuth: () => {},
      onPrompt: neverPrompt,
      onManualCodeInput: async () => `http://127.0.0.1/callback?code=c0d3&state=other&iss=${server.issuer}`,
    });
    await expect(login).rejects.toMatchObject({ message: expect.stringMatching(/^Acme: the login failed: .*"state"/) });
    expect(server.tokenRequests).toEqual([]);
  });

  it("rejects a pasted code with the state of another login", async () => {
    const login = createProvider().login({
      onAuth: () => {},
      onPrompt: neverPrompt,
      onManualCodeInput: async () => "c0d3#other",
    });
    await expect(login).rejects.toMatchObject({ message: expect.stringMatching(/^Acme: the login failed: .*"state"/) });
    expect(server.tokenRequests).toEqual([]);
  });

  it("listens on this machine only, for its own address, and leaves the code in no cache and no referrer", async () => {
    const statuses: (number | undefined)[] = [];
    const answered = Promise.withResolvers<Headers>();
    const login = createProvider().login({
      async onAuth({ url }) {
        const { searchParams: query } = new URL(url);
        const redirectUri = new URL(query.get("redirect_uri") ?? "");
        redirectUri.search = String(
          new URLSearchParams({ error: "access_denied", state: query.get("state") ?? "", iss: server.issuer }),
        );
        const elsewhere = new URL(redirectUri);
        elsewhere.hostname = "127.0.0.2";
        const otherPath = new URL(redirectUri);
        otherPath.pathname = "/other";
        const status = (address: URL, init?: RequestInit) =>
          fetch(address, init).then(
            (response) => response.status,
            () => undefined,
          );
        statuses.push(await status(elsewhere), await status(otherPath), await status(redirectUri, { method: "POST" }));
        answered.resolve((await fetch(redirectUri)).headers);
      },
      onPrompt: neverPrompt,
    });
    await expect(login).rejects.toMatchObject({ message: "Acme: the login failed: access_denied" });
    expect(statuses).toEqual([undefined, 404, 404]);
    const headers = await answered.promise;
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
  });

  it("reports that the user denied access", async () => {
    const login = createProvider().login({
      async onAuth({ url }) {
        const { searchParams: query } = new URL(url);
        const refused = { error: "access_denied", state: query.get("state") ?? "", iss: server.issuer };
        await fetch(`${query.get("redirect_uri")}?${new URLSearchParams(refused)}`);
      },
      onPrompt: neverPrompt,
    });
    await expect(login).rejects.toMatchObject({ kind: "auth", message: "Acme: the login failed: access_denied" });
  });

  it("ends when it is aborted, and stops listening", async () => {
    const controller = new AbortController();
    let redirectUri = "";
    const login = createProvider().login({
      onAuth({ url }) {
        redirectUri = new URL(url).searchParams.get("redirect_uri") ?? "";
        controller.abort();
      },
      onPrompt: neverPrompt,
      signal: controller.signal,
    });
    await expect(login).rejects.toMatchObject({ kind: "aborted" });
    await expect(fetch(redirectUri)).rejects.toThrow("fetch failed");
  });

  it("ignores requests without its state parameter", async () => {
    const statuses: number[] = [];
    const credentials = await createProvider().login({
      async onAuth({ url }) {
        const redirectUri = new URL(url).searchParams.get("redirect_uri") ?? "";
        for (const query of ["", "?code=stolen&state=other", "?error=access_denied"])
          statuses.push((await fetch(redirectUri + query)).status);
        await browse(url);
      },
      onPrompt: neverPrompt,
    });
    expect(statuses).toEqual([404, 404, 404]);
    expect(credentials.access).toMatch(/./);
  });
});

describe("a login with a code for another device", () => {
  it("waits for the user", async () => {
    let now = 1_000;
    const waits: number[] = [];
    let page = "";
    const provider = createProvider({
      flow: "device",
      clock: {
        now: () => now,
        async wait(ms) {
          now += ms;
          waits.push(ms);
          if (waits.length === 3) expect((await browse(page)).text).toContain("Sign-in Success");
        },
      },
    });
    const credentials = await provider.login({
      onAuth: ({ url, instructions = "" }) => {
        page = `${url}?user_code=${/^Enter code: (.+)$/.exec(instructions)?.[1]}`;
      },
      onPrompt: neverPrompt,
    });
    expect(waits).toEqual([5_000, 5_000, 5_000]);
    expect(credentials).toMatchObject({ access: expect.stringMatching(/./), refresh: expect.stringMatching(/./) });
    expect(credentials.expires).toBe(now + 3_300_000);
  });
});
