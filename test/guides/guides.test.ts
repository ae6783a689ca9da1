/** Every guide contains a whole program word for word; those that are a module of handlers work as the guide says. */
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, it, vi } from "vitest";
import * as agUi from "../../examples/guides/src/ag-ui.js";
import bun from "../../examples/guides/src/bun.js";
import cloudflare from "../../examples/guides/src/cloudflare.js";
import deno from "../../examples/guides/src/deno.js";
import { POST } from "../../examples/guides/src/nextjs-route.js";
import * as runs from "../../examples/guides/src/resumable-nextjs.js";
import * as stopAndSteer from "../../examples/guides/src/stop-and-steer.js";
import * as sveltekit from "../../examples/guides/src/sveltekit.js";
import * as useChat from "../../examples/guides/src/use-chat.js";
import { respondingFetch } from "../readme/responding-fetch.js";
import { as, chat, expectResumable, PROGRAMS, ROOT, USER_TOKENS } from "./programs.js";

/** What a page with `useChat` sends. */
const CHAT = JSON.stringify({ messages: [{ id: "m1", role: "user", parts: [{ type: "text", text: "Hi" }] }] });

afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

describe("the guides", () => {
  it("show their programs word for word", async () => {
    const pages = (await readdir(join(ROOT, "docs/guides"))).filter((name) => name !== "README.md");
    const programs = await readdir(PROGRAMS);
    expect(pages.map((page) => basename(page, ".md")).sort()).toEqual(
      programs.map((name) => basename(name, ".ts")).sort(),
    );
    for (const page of pages) {
      const program = await readFile(join(PROGRAMS, page.replace(/\.md$/, ".ts")), "utf8");
      expect(await readFile(join(ROOT, "docs/guides", page), "utf8"), page).toContain(`\`\`\`ts\n${program}\`\`\``);
    }
  });

  it("are all listed on one page", async () => {
    const list = await readFile(join(ROOT, "docs/guides/README.md"), "utf8");
    for (const page of await readdir(join(ROOT, "docs/guides"))) {
      if (page !== "README.md") expect(list).toContain(`(${page})`);
    }
  });
});

describe("handlers of the guides", () => {
  it.each([
    ["cloudflare.ts", (request: Request) => cloudflare.fetch(request, { ANTHROPIC_API_KEY: "no-real-key" })],
    ["deno.ts", (request: Request) => deno.fetch(request)],
    ["bun.ts", (request: Request) => bun.fetch(request)],
    ["sveltekit.ts", (request: Request) => sveltekit.POST({ request })],
  ])("respond to useChat: %s", async (program, handle) => {
    vi.stubGlobal("fetch", respondingFetch);
    if (program !== "cloudflare.ts") vi.stubEnv("ANTHROPIC_API_KEY", "no-real-key");
    const send = (body: string) => handle(new Request("http://localhost/chat", { method: "POST", body }));
    expect(await (await send(CHAT)).text()).toContain('"delta":"Hello!"');
    expect((await send("7")).status).toBe(400);
    expect((await send("no JSON")).status).toBe(400);
    if (program !== "sveltekit.ts") expect((await handle(new Request("http://localhost/"))).status).toBe(404);
  });

  it("stream through the runtime of Lambda: lambda.ts", async () => {
    vi.stubGlobal("fetch", respondingFetch);
    vi.stubEnv("ANTHROPIC_API_KEY", "no-real-key");
    const heads: object[] = [];
    vi.stubGlobal("awslambda", {
      streamifyResponse: (handle: unknown) => handle,
      HttpResponseStream: {
        from: (stream: PassThrough, head: object) => {
          heads.push(head);
          return stream;
        },
      },
    });
    const { handler } = await import("../../examples/guides/src/lambda.js");
    const send = async (event: object): Promise<string> => {
      const stream = new PassThrough();
      const [printed] = await Promise.all([
        text(stream),
        (handler as (event: object, stream: PassThrough) => Promise<void>)(event, stream), // as the stand-in returns it
      ]);
      return printed;
    };
    expect(await send({ body: CHAT })).toContain('"delta":"Hello!"');
    expect(await send({ body: btoa(CHAT), isBase64Encoded: true })).toContain('"delta":"Hello!"');
    expect(await send({})).toBe("Send messages");
    const streamed = { statusCode: 200, headers: { "content-type": expect.stringContaining("text/event-stream") } };
    expect(heads).toMatchObject([streamed, streamed, { statusCode: 400 }]);
  });

  it("resume a reply where the page left off: resumable-nextjs.ts", async () => {
    vi.stubGlobal("fetch", respondingFetch);
    vi.stubEnv("ANTHROPIC_API_KEY", "no-real-key");
    vi.stubEnv("USER_TOKENS", USER_TOKENS);
    await expectResumable((path, init) => {
      const request = new Request(`http://localhost/api/runs${path}`, init);
      const context = { params: Promise.resolve(path ? { id: [path.slice(1)] } : {}) };
      const handler = { GET: runs.GET, POST: runs.POST, DELETE: runs.DELETE }[request.method];
      return handler?.(request, context) ?? Promise.reject(new Error(request.method));
    });
  });

  it("serve a page with useChat, again after a reload: use-chat.ts", async () => {
    vi.stubGlobal("fetch", respondingFetch);
    vi.stubEnv("ANTHROPIC_API_KEY", "no-real-key");
    vi.stubEnv("USER_TOKENS", USER_TOKENS);
    vi.stubEnv("APPROVAL_SECRET", "a secret of at least thirty-two bytes");
    const messages = [{ role: "user", parts: [{ type: "text", text: "Hi" }] }];
    const sendAnonymously = (path: string, init?: RequestInit): Promise<Response> => {
      const request = new Request(`http://localhost/api/chat${path}`, init);
      const context = { params: Promise.resolve({ path: path.split("/").slice(1) }) };
      if (request.method === "POST") return useChat.POST(request);
      return request.method === "GET" ? useChat.GET(request, context) : useChat.DELETE(request, context);
    };
    const begin = (body: object): RequestInit => ({ method: "POST", body: JSON.stringify(body) });
    const [send, sendOther] = [as("ada", sendAnonymously), as("bob", sendAnonymously)];
    const first = await (await send("", begin({ id: "c1", messages }))).text();
    expect(first).toContain('"delta":"Hello!"');
    expect(await (await send("/c1/stream")).text()).toBe(first);
    expect((await send("/c2/stream")).status).toBe(204);
    expect((await sendOther("/c1/stream")).status).toBe(204);
    expect((await sendAnonymously("/c1/stream")).status).toBe(401);
    expect((await sendAnonymously("", begin({ id: "c1", messages }))).status).toBe(401);
    expect((await sendAnonymously("/c1", { method: "DELETE" })).status).toBe(401);
    expect((await send("/c1", { method: "DELETE" })).status).toBe(204);
    expect((await send("", begin({ id: "c1", messages: 7 }))).status).toBe(400);
  });

  it("stop, queue, steer and reconnect: stop-and-steer.ts", async () => {
    vi.stubEnv("ANTHROPIC_API_KEY", "no-real-key");
    const held: (() => void)[] = [];
    const asked: string[] = [];
    vi.stubGlobal("fetch", async (...args: Parameters<typeof fetch>) => {
      const { body, signal } = new Request(...args);
      asked.push(await new Response(body).text());
      await new Promise<void>((resolve, reject) => {
        held.push(resolve);
        signal.addEventListener("abort", () => reject(signal.reason));
      });
      return respondingFetch(...args);
    });
    const send = (text: string, mode?: string) => {
      const messages = [{ role: "user", parts: [{ type: "text", text }] }];
      const body = JSON.stringify({ id: "c1", messages, mode });
      return stopAndSteer.POST(new Request("http://localhost/chat", { method: "POST", body }));
    };
    const first = await send("one");
    await expect.poll(() => held.length).toBe(1);
    expect((await send("two", "queue")).status).toBe(202);
    expect((await send("three", "steer")).status).toBe(202);
    held[0]?.();
    await expect.poll(() => held.length).toBe(2);
    expect(asked[1]).toMatch(/one.*three/s);
    expect(asked[1]).not.toContain("two");
    held[1]?.();
    await expect.poll(() => held.length).toBe(3);
    expect(asked[2]).toContain("two");
    expect((await stopAndSteer.DELETE("c1")).status).toBe(204);
    const page = await first.text();
    expect(page).toMatch(/"delta":"Hello!".*steering-message.*steering-message.*"type":"abort"/s);
    const url = new Request("http://localhost/chat/c1/stream");
    expect(await (await stopAndSteer.GET(url, "c1")).text()).toBe(page);
    expect((await stopAndSteer.GET(url, "c2")).status).toBe(204);
    expect((await stopAndSteer.POST(new Request(url, { method: "POST", body: "7" }))).status).toBe(400);
  });

  it("serve a page that approves: web-approval.ts", async () => {
    vi.stubGlobal("fetch", respondingFetch);
    vi.stubEnv("ANTHROPIC_API_KEY", "no-real-key");
    vi.stubEnv("APPROVAL_SECRET", "a secret of at least thirty-two bytes");
    vi.resetModules();
    const webApproval = await import("../../examples/guides/src/web-approval.js");
    const messages = [{ role: "user", parts: [{ type: "text", text: "Hi" }] }];
    const request = new Request("http://localhost/", { method: "POST", body: JSON.stringify({ id: "c1", messages }) });
    expect(await (await webApproval.POST(request)).text()).toContain('"delta":"Hello!"');
    const source = await readFile(join(PROGRAMS, "web-approval.ts"), "utf8");
    // The server's part, from the route on.
    expect(source.slice(source.indexOf("export async function POST")).trim().split("\n").length).toBeLessThanOrEqual(
      25,
    );
  });

  it("serve a client of AG-UI: ag-ui.ts", async () => {
    vi.stubGlobal("fetch", respondingFetch);
    vi.stubEnv("ANTHROPIC_API_KEY", "no-real-key");
    const send = (body: object) =>
      agUi.POST(new Request("http://localhost/", { method: "POST", body: JSON.stringify(body) }));
    const reply = await send({ threadId: "t", runId: "r", messages: [{ role: "user", content: "Hi" }] });
    expect(await reply.text()).toMatch(/RUN_STARTED.*"delta":"Hello!".*RUN_FINISHED/s);
    expect((await send({ messages: [] })).status).toBe(400);
  });

  it("stream a reply and reject an invalid request: nextjs-route.ts", async () => {
    vi.stubGlobal("fetch", respondingFetch);
    vi.stubEnv("ANTHROPIC_API_KEY", "no-real-key");
    const reply = await POST(new Request("http://localhost/api/chat", chat("Hi")));
    expect(await reply.text()).toBe('data: {"text":"Hello!"}\n\ndata: {"done":true}\n\n');
    expect((await POST(new Request("http://localhost/api/chat", chat(7)))).status).toBe(400);
  });
});
