/** A server for the time of a login, to which the browser returns with a code. */
import type { Server } from "node:http";

/** A server that waits for the browser. */
export interface LoginRedirect {
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
export async function listenForLogin(redirectUri: string, host: string): Promise<LoginRedirect | undefined> {
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
