/** A local server that sends one prepared response to every request and records the requests. */
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";

export interface LocalResponse {
  status?: number;
  headers?: Record<string, string>;
  body: string | Uint8Array;
}

export interface SeenRequest {
  method: string;
  /** Path and query. */
  path: string;
  headers: http.IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every shape.
  body: any;
}

export interface LocalServer extends AsyncDisposable {
  url: string;
  requests: SeenRequest[];
}

export async function serveResponse(response: LocalResponse): Promise<LocalServer> {
  const requests: SeenRequest[] = [];
  const server = http.createServer(async (request, out) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = "", url = "", headers } = request;
    requests.push({ method, path: url, headers, body: JSON.parse(Buffer.concat(chunks).toString() || "null") });
    out.writeHead(response.status ?? 200, response.headers ?? {});
    out.end(response.body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // a TCP server's address is an object
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
