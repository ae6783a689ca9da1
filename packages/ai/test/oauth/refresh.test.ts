/** Concurrent callers share one refresh, and errors contain no secrets. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { inspect } from "node:util";
import {
  createOAuthProvider,
  FileCredentialStore,
  getOAuthApiKey,
  InMemoryCredentialStore,
  loginOAuth,
  type OAuthCredentials,
  type OAuthProviderInterface,
  refreshOAuthToken,
  registerOAuthProvider,
  resetOAuthProviders,
} from "pi-ai/oauth";
import { afterEach, describe, expect, it, vi } from "vitest";
import { DIES_WITH_PARENT } from "../../../../test/support/child-flags.js";
import { browse, CLIENT_ID, startAuthorizationServer } from "../support/authorization-server.js";

const ROOT = resolve(import.meta.dirname, "../../../..");
const EXPIRED: OAuthCredentials = { refresh: "refresh-token-1", access: "access-token-1", expires: 0 };

afterEach(resetOAuthProviders);

function register(refreshToken: OAuthProviderInterface["refreshToken"]): void {
  registerOAuthProvider({
    id: "acme",
    name: "Acme",
    login: () => Promise.resolve(EXPIRED),
    refreshToken,
    getApiKey: ({ access }) => access,
  });
}

const renew = (credentials: OAuthCredentials): OAuthCredentials => ({
  ...credentials,
  refresh: "refresh-token-2",
  access: "access-token-2",
  expires: Date.now() + 60_000,
});

describe("expired credentials", () => {
  it.each([
    ["a record", () => ({ acme: EXPIRED })],
    ["a store", () => new InMemoryCredentialStore({ acme: EXPIRED })],
  ])("are refreshed once for concurrent callers: %s", async (_, create) => {
    const refreshToken = vi.fn(async (credentials: OAuthCredentials) => renew(credentials));
    register(refreshToken);
    const credentials = create();
    const keys = await Promise.all(Array.from({ length: 20 }, () => getOAuthApiKey("acme", credentials)));
    expect(new Set(keys.map((key) => key?.apiKey))).toEqual(new Set(["access-token-2"]));
    expect(refreshToken).toHaveBeenCalledTimes(1);
  });

  it("are refreshed to the end if the caller aborts", async () => {
    const { promise, resolve: answer } = Promise.withResolvers<OAuthCredentials>();
    register(() => promise);
    const store = new InMemoryCredentialStore({ acme: EXPIRED });
    const controller = new AbortController();
    const aborted = getOAuthApiKey("acme", store, { signal: controller.signal });
    const other = getOAuthApiKey("acme", store);
    controller.abort();
    await expect(aborted).rejects.toMatchObject({ kind: "aborted" });
    answer(renew(EXPIRED));
    expect((await other)?.apiKey).toBe("access-token-2");
    expect((await store.read("acme"))?.refresh).toBe("refresh-token-2");
  });

  it("stay unchanged if the refresh fails, and the next caller tries again", async () => {
    const refreshToken = vi.fn(async () => Promise.reject(new Error("refused refresh-token-1 (access-token-1)")));
    register(refreshToken);
    const store = new InMemoryCredentialStore({ acme: EXPIRED });
    const error: unknown = await getOAuthApiKey("acme", store).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ message: "Failed to refresh OAuth token for acme", kind: "auth" });
    expect(inspect(error, { depth: 9 })).toContain("refused [redacted] ([redacted])");
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/-token-1/);
    expect(await store.read("acme")).toBe(EXPIRED);
    await expect(getOAuthApiKey("acme", store)).rejects.toThrow("Failed to refresh");
    expect(refreshToken).toHaveBeenCalledTimes(2);
  });

  it("are removed if the user has logged out meanwhile", async () => {
    register(async (credentials) => renew(credentials));
    const store = new InMemoryCredentialStore({ acme: EXPIRED });
    const logout = store.delete("acme");
    expect(await getOAuthApiKey("acme", store)).toBeNull();
    await logout;
    expect(await getOAuthApiKey("acme", {})).toBeNull();
    expect(await getOAuthApiKey("acme", store)).toBeNull();
  });

  it("need a registered provider", async () => {
    await expect(getOAuthApiKey("toString", {})).rejects.toThrow("Unknown OAuth provider: toString");
    register(async (credentials) => renew(credentials));
    expect(await getOAuthApiKey("acme", {})).toBeNull();
    expect((await refreshOAuthToken("acme", EXPIRED)).access).toBe("access-token-2");
  });
});

/** A provider whose server sends this response to every token request. */
function createRefused(body: string, init: ResponseInit, requests: string[] = []): OAuthProviderInterface {
  return createOAuthProvider({
    id: "acme",
    name: "Acme",
    clientId: "c",
    clientSecret: "client-secret",
    issuer: "https://login.test",
    endpoints: { token: "https://login.test/token" },
    fetch: async (url) => {
      requests.push(String(url));
      return new Response(body, { headers: { "content-type": "application/json" }, ...init });
    },
  });
}

describe("a refresh that the server rejects", () => {
  const quoting = JSON.stringify({ error: "invalid_grant", error_description: "refresh-token-1 client-secret" });
  it.each<[string, string, ResponseInit, string, RegExp]>([
    ["an error", quoting, { status: 400 }, "auth", /invalid_grant: \[redacted\] \[redacted\]$/],
    ["a page", "<h1>refresh-token-1</h1>", { status: 502 }, "server", /\(status 502\)$/],
    ["too many requests", "{}", { status: 429 }, "rate_limit", /\(status 429\)$/],
    ["no token", '{"refresh_token":"refresh-token-1"}', { status: 200 }, "protocol", /access_token/],
    ["no JSON", "refresh-token-1", { status: 200 }, "protocol", /JSON/i],
    ["an endless body", "x".repeat(1_000_001), { status: 200 }, "protocol", /too long$/],
    [
      "a challenge",
      quoting,
      { status: 401, headers: { "www-authenticate": 'Basic realm="client-secret"' } },
      "auth",
      /the client was rejected$/,
    ],
  ])("reports the reason without secrets: %s", async (_, body, init, kind, message) => {
    registerOAuthProvider(createRefused(body, init));
    const error: unknown = await getOAuthApiKey("acme", { acme: EXPIRED }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ kind, cause: { kind, message: expect.stringMatching(message) } });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/-token-1|client-secret/);
  });

  it("is not sent unencrypted to another host", async () => {
    const requests: string[] = [];
    const options = { id: "acme", name: "Acme", clientId: "c", issuer: "https://login.test" };
    const endpoints = { token: "http://login.test/token", authorization: "javascript:alert(1)" };
    const provider = createOAuthProvider({
      ...options,
      endpoints,
      fetch: async (url) => {
        requests.push(String(url));
        return new Response("{}");
      },
    });
    await expect(provider.refreshToken(EXPIRED)).rejects.toMatchObject({ kind: "config" });
    const callbacks = { onAuth: (): never => expect.unreachable(), onPrompt: async () => "" };
    await expect(provider.login(callbacks)).rejects.toMatchObject({ kind: "config" });
    expect(requests).toEqual([]);
  });
});

describe("credentials in a file", () => {
  it("are refreshed once by several processes", async () => {
    const server = await startAuthorizationServer();
    const folder = await mkdtemp(join(tmpdir(), "oauth-"));
    const file = join(folder, "auth.json");
    const children: ChildProcess[] = [];
    try {
      const scope = "openid offline_access";
      const options = { id: "acme", name: "Acme", issuer: server.issuer, clientId: CLIENT_ID, scope };
      registerOAuthProvider(createOAuthProvider(options));
      const store = new FileCredentialStore(file);
      const callbacks = { onAuth: ({ url }: { url: string }) => void browse(url), onPrompt: async () => "" };
      await loginOAuth("acme", callbacks, store);
      await store.modify("acme", async (current) => current && { ...current, expires: 0 });
      const outputs = await Promise.all(
        Array.from({ length: 4 }, async () => {
          const words = ["--import", join(ROOT, "scripts/resolve-sources.ts")];
          const program = [join(import.meta.dirname, "refresh-program.ts"), file, server.issuer, CLIENT_ID];
          const child = spawn(process.execPath, [...DIES_WITH_PARENT, ...words, ...program], { stdio: "pipe" });
          children.push(child);
          await once(child.stdout, "data");
          return child;
        }),
      ).then((started) =>
        Promise.all(
          started.map(async (child) => {
            child.stdin.end("go\n");
            const [printed, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
            return errors.replaceAll(/.*Warning.*\n/g, "") + printed;
          }),
        ),
      );
      const refreshed = await store.read("acme");
      expect(outputs).toEqual(Array.from({ length: 4 }, () => `${refreshed?.access}\n`));
      expect(server.tokenRequests.map(({ grant_type }) => grant_type)).toEqual(["authorization_code", "refresh_token"]);
      expect(await readdir(folder)).toEqual(["auth.json"]);
    } finally {
      for (const child of children) child.kill("SIGKILL");
      server.close();
      await rm(folder, { recursive: true });
    }
  });
});
