/// <reference path="./oidc-provider.d.ts" />
/** A real authorization server on this machine, and a simulated browser whose user consents to everything. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import Provider from "oidc-provider";
import { vi } from "vitest";

export const CLIENT_ID = "product-of-a-test";
const SCOPES = ["openid", "offline_access"];

export interface AuthorizationServer {
  issuer: string;
  /** The parameters of each request for tokens. */
  tokenRequests: Record<string, string>[];
  close(): void;
}

/** Starts a server that rotates refresh tokens, and revokes all tokens of a login when one is used twice. */
export async function startAuthorizationServer(lifeInSeconds = 3600): Promise<AuthorizationServer> {
  const tokenRequests: Record<string, string>[] = [];
  let handle: (request: IncomingMessage, response: ServerResponse) => void;
  const server = createServer((request, response) => handle(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const issuer = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  // The library warns about settings that a public server would need.
  for (const method of ["info", "warn"] as const) vi.spyOn(console, method).mockImplementation(() => {});
  const provider = new Provider(issuer, createConfiguration(lifeInSeconds));
  const serve = provider.callback();
  provider.on("grant.success", (context) => tokenRequests.push(readParameters(context)));
  provider.on("grant.error", (context) => tokenRequests.push(readParameters(context)));
  handle = (request, response) => {
    if (request.url?.startsWith("/agree/")) agree(provider, request, response).catch(() => response.destroy());
    else serve(request, response);
  };
  return {
    issuer,
    tokenRequests,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function createConfiguration(lifeInSeconds: number): object {
  return {
    clients: [
      {
        client_id: CLIENT_ID,
        application_type: "native",
        token_endpoint_auth_method: "none",
        grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
        redirect_uris: ["http://127.0.0.1/callback"],
        response_types: ["code"],
      },
    ],
    scopes: SCOPES,
    cookies: { keys: ["only for tests"] },
    features: { devInteractions: { enabled: false }, deviceFlow: { enabled: true } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/agree/${uid}` },
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    ttl: { AccessToken: lifeInSeconds },
  };
}

function readParameters(context: unknown): Record<string, string> {
  // The events of oidc-provider pass its context.
  return (context as { oidc: { params: Record<string, string> } }).oidc.params;
}

async function agree(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { params } = await provider.interactionDetails(request, response);
  const grant = new provider.Grant({ accountId: "user", clientId: params["client_id"] });
  grant.addOIDCScope(SCOPES.join(" "));
  const result = { login: { accountId: "user" }, consent: { grantId: await grant.save() } };
  await provider.interactionFinished(request, response, result);
}

/** Opens a page, follows redirects and submits forms to the end. Returns the last page and its URL. */
export async function browse(start: string): Promise<{ url: string; text: string }> {
  const cookies = new Map<string, string>();
  let url = start;
  let form: URLSearchParams | undefined;
  for (let step = 0; step < 20; step++) {
    const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
    const headers = { cookie, accept: "text/html" };
    const init = { headers, redirect: "manual" } satisfies RequestInit;
    const response = await fetch(url, form ? { ...init, method: "POST", body: form } : init);
    for (const line of response.headers.getSetCookie()) {
      const [name = "", value = ""] = (line.split(";")[0] ?? "").split("=");
      cookies.set(name, value);
    }
    const text = await response.text();
    const location = response.headers.get("location");
    form = location === null ? readForm(text) : undefined;
    if (location === null && !form) return { url, text };
    url = new URL(location ?? /<form[^>]*action="([^"]*)"/.exec(text)?.[1] ?? url, url).href;
  }
  throw new Error(`The pages do not end: ${url}`);
}

/** The inputs of the form on a page. */
function readForm(page: string): URLSearchParams | undefined {
  if (!page.includes("<form")) return undefined;
  const inputs = [...page.matchAll(/<input[^>]*>/g)].map(([input]) => [
    /name="([^"]*)"/.exec(input)?.[1] ?? "",
    /value="([^"]*)"/.exec(input)?.[1] ?? "",
  ]);
  return new URLSearchParams([...inputs, ["confirm", "yes"]]);
}
