/** Checks that pi-ai uses the dispatcher of Node's `fetch`, and that proxies, mocks and CAs set on it apply. */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { stripTypeScriptTypes } from "node:module";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { renameImports, SCOPE } from "../../scripts/published-names.ts";

const run = promisify(execFile);
const PROGRAM = "direct-fetch.mjs";

/** The packages of undici, and the first version of Node.js that each one supports. */
const PACKAGES = [
  { name: "undici6", range: "6", since: [22, 0] },
  { name: "undici7", range: "7", since: [22, 0] },
  { name: "undici8", range: "8", since: [22, 19] },
] as const;
const KINDS = ["mock", "proxy", "interceptor"] as const;
/** The first versions of Node.js with `NODE_USE_ENV_PROXY` (22.21 and 24.0: its changelog). */
const SINCE_ENV_PROXY = [22, 21] as const;

export interface Check {
  name: string;
  /** The wrong output of the program. */
  wrong?: string;
}

/** Adds what the checks need to a folder in which the packages are installed: the program, undici, and a certificate. */
export async function prepareDispatchers(project: string): Promise<void> {
  const source = await readFile(join(import.meta.dirname, "direct-fetch.ts"), "utf8");
  await writeFile(join(project, PROGRAM), renameImports(stripTypeScriptTypes(source), SCOPE));
  const packages = PACKAGES.map(({ name, range }) => `${name}@npm:undici@${range}`);
  await run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", ...packages], { cwd: project });
  const subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
  const files = ["-keyout", "key.pem", "-out", "certificate.pem"];
  await run("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", ...subject, ...files], {
    cwd: project,
  });
}

/**
 * Runs the program on a version of Node.js, once for each way to set a dispatcher.
 *
 * @param node the path of Node.js
 * @param project the folder that {@link prepareDispatchers} has filled
 */
export async function checkDispatcher(node: string, project: string): Promise<Check[]> {
  const { stdout } = await run(node, ["-p", "process.versions.node"]);
  const isSince = ([major, minor]: readonly [number, number]): boolean => {
    const [ownMajor = 0, ownMinor = 0] = stdout.split(".").map(Number);
    return ownMajor > major || (ownMajor === major && ownMinor >= minor);
  };
  const proxy = await startProxy();
  const secure = await startSecureServer(project);
  const PROXY_URL = addressOf(proxy.server);
  const see = async (name: string, env: Record<string, string>, expected: string): Promise<Check> => {
    const printed = await run(node, ["--no-warnings", PROGRAM], { cwd: project, env }).catch((error: unknown) => error);
    const output = String((printed as { stdout?: string }).stdout ?? printed).trim(); // of the run, or of its failure
    const tunnels = proxy.takeCount();
    const seen = tunnels > 0 ? `${output} through the proxy` : output;
    return seen === expected ? { name: `${name}: ${seen}` } : { name, wrong: `printed ${seen}, not ${expected}` };
  };
  try {
    const checks = [await see("local request", {}, direct("Hello"))];
    for (const { name } of PACKAGES.filter((entry) => isSince(entry.since))) {
      for (const kind of KINDS) {
        const text = direct(kind === "mock" ? "Mocked" : "Hello") + (kind === "proxy" ? " through the proxy" : "");
        checks.push(await see(`${kind} of ${name}`, { UNDICI: name, DISPATCHER: kind, PROXY_URL }, text));
      }
    }
    if (isSince(SINCE_ENV_PROXY)) {
      const env = { NODE_USE_ENV_PROXY: "1", HTTP_PROXY: PROXY_URL };
      checks.push(await see("NODE_USE_ENV_PROXY", env, `${direct("Hello")} through the proxy`));
    }
    const env = { SERVER_URL: addressOf(secure, "https"), NODE_EXTRA_CA_CERTS: join(project, "certificate.pem") };
    return [...checks, await see("NODE_EXTRA_CA_CERTS", env, direct("Hello"))];
  } finally {
    for (const server of [proxy.server, secure]) {
      server.closeAllConnections();
      server.close();
    }
  }
}

const direct = (text: string): string => JSON.stringify({ text, dispatched: 1 });

function addressOf(server: Pick<Server, "address">, scheme = "http"): string {
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP server
}

interface CountingProxy {
  server: Server;
  /** The number of requests or tunnels that it has served since the last call. */
  takeCount(): number;
}

/** A proxy that tunnels connections, as undici opens them by default, and forwards requests with absolute URLs. */
async function startProxy(): Promise<CountingProxy> {
  let count = 0;
  const server = createServer((request, response) => {
    count++;
    const { method = "POST", headers } = request;
    const forwarded = fetch(request.url ?? "", { method, headers: { authorization: String(headers.authorization) } });
    forwarded.then(
      async (reply) =>
        response.writeHead(reply.status, { "content-type": "text/event-stream" }).end(await reply.text()),
      () => response.writeHead(502).end(),
    );
  });
  server.on("connect", ({ url = "" }, socket) => {
    count++;
    const target = new URL(`http://${url}`);
    const upstream = connect(Number(target.port), target.hostname, () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      upstream.pipe(socket).pipe(upstream);
    });
    // An error on one end of the tunnel closes the other one.
    upstream.on("error", () => socket.destroy());
    socket.on("error", () => upstream.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const takeCount = (): number => {
    const served = count;
    count = 0;
    return served;
  };
  return { server, takeCount };
}

/** A server with a self-signed certificate. */
async function startSecureServer(project: string) {
  const [key, cert] = await Promise.all(
    ["key.pem", "certificate.pem"].map((file) => readFile(join(project, file), "utf8")),
  );
  const server = createTlsServer({ key, cert }, (_request, response) => {
    const events = [
      { choices: [{ index: 0, delta: { content: "Hello" }, finish_reason: null }] },
      { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
    ];
    const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
    response.writeHead(200, { "content-type": "text/event-stream" }).end(`${body}data: [DONE]\n\n`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}
