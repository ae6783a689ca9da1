import { afterEach, expect, test, vi } from "vitest";
import { eventually } from "../../../../test/support/patience.js";
import { type SocketScript, type SocketServer, serveSockets } from "../../test/support/socket-server.js";
import { AbortedError, NetworkError } from "../errors.js";
import { connectWebSocket, type TextSocket, type WebSocketTarget } from "./websocket.js";

let server: SocketServer | undefined;
const servers: SocketServer[] = [];
afterEach(async () => {
  vi.unstubAllGlobals();
  for (const one of servers.splice(0)) await one[Symbol.asyncDispose]();
  server = undefined;
});

async function connect(script: SocketScript, target: Partial<WebSocketTarget> = {}): Promise<TextSocket> {
  server = await serveSockets(script);
  servers.push(server);
  const url = server.url.replace("http", "ws");
  return connectWebSocket({ url, headers: {}, signal: new AbortController().signal, timeoutMs: 5000, ...target });
}

test("sends headers and messages, and reads messages in their order", async () => {
  const echo: SocketScript = {
    onMessage: (socket) => {
      socket.send("one");
      socket.send("zwei 𝒳".repeat(30_000));
    },
  };
  const socket = await connect(echo, { headers: { "x-mine": "yes" } });
  socket.send('{"a":1}');
  expect(await socket.read()).toBe("one");
  expect(await socket.read()).toBe("zwei 𝒳".repeat(30_000));
  expect(server?.messages).toEqual([{ a: 1 }]);
  expect(server?.connections[0]).toMatchObject({ "x-mine": "yes" });
  socket.close();
});

test("returns the messages before the end, then its reason", async () => {
  const socket = await connect({
    onMessage: (from) => {
      from.send("last");
      from.close(1011, "tired");
    },
  });
  const closed = new Promise<void>((resolve) => socket.onClose(resolve));
  socket.send("{}");
  await closed;
  expect(socket.isOpen).toBe(false);
  expect(await socket.read()).toBe("last");
  await expect(socket.read()).rejects.toThrow("WebSocket closed 1011 tired");
  expect(() => socket.send("{}")).toThrow(NetworkError);
  const late = vi.fn();
  socket.onClose(late);
  expect(late).toHaveBeenCalledOnce();
});

test("rejects a pending read when the connection ends", async () => {
  const socket = await connect({ onMessage: (from) => from.destroy() });
  const reading = socket.read();
  socket.send("{}");
  await expect(reading).rejects.toThrow(/^WebSocket/);
});

test("closing rejects a pending read, and unread messages can be dropped", async () => {
  const socket = await connect({ onMessage: (from) => from.send("old") });
  socket.send("{}");
  socket.send("{}");
  expect(await socket.read()).toBe("old");
  await eventually(() => expect(server?.messages).toHaveLength(2));
  const reading = socket.read();
  expect(await reading).toBe("old");
  socket.dropUnread();
  const waiting = socket.read();
  socket.close();
  await expect(waiting).rejects.toThrow("WebSocket closed");
});

test("destroys the connection if the server ignores the close frame, without keeping the process alive", async () => {
  const socket = await connect({ ignoreClose: true });
  expect(server?.open()).toBe(1);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    socket.close();
    // Both ends are in this process, and only the server's end still holds the connection.
    expect(process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap")).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(499);
    expect(server?.open()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
  } finally {
    vi.useRealTimers();
  }
  await vi.waitFor(() => expect(server?.open()).toBe(0));
});

test("fails to connect if the handshake is refused", async () => {
  await expect(connect({ refuse: 401 })).rejects.toThrow(/^WebSocket error/);
  await expect(connect({ refuse: 401 })).rejects.toBeInstanceOf(NetworkError);
});

test("connecting ends at its timeout and on its signal", async () => {
  await expect(connect({ hang: true }, { timeoutMs: 20 })).rejects.toThrow("WebSocket: no connection after 20 ms");
  const controller = new AbortController();
  const connecting = connect({ hang: true }, { signal: controller.signal });
  const reason = new AbortedError();
  await eventually(() => expect(server?.open()).toBe(1));
  controller.abort(reason);
  await expect(connecting).rejects.toBe(reason);
  await eventually(() => expect(server?.open()).toBe(0));
  await expect(connect({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});

test("fails to connect on platforms without a WebSocket, or with one that does not accept headers", async () => {
  vi.stubGlobal("WebSocket", undefined);
  await expect(connect({})).rejects.toBeInstanceOf(NetworkError);
  vi.stubGlobal(
    "WebSocket",
    class {
      constructor() {
        throw new SyntaxError("Wrong protocol");
      }
    },
  );
  await expect(connect({})).rejects.toThrow("WebSocket error: Wrong protocol");
});

test("reads binary messages as text, and closes the connection after a message that is too long", async () => {
  const platform = new EventTarget();
  const close = vi.fn();
  vi.stubGlobal(
    "WebSocket",
    class {
      readyState = 1;
      addEventListener = platform.addEventListener.bind(platform);
      send = vi.fn();
      close = close;
    },
  );
  const connecting = connect({});
  await eventually(() => expect(server).toBeDefined());
  await Promise.resolve();
  platform.dispatchEvent(new Event("open"));
  const socket = await connecting;
  platform.dispatchEvent(new MessageEvent("message", { data: new TextEncoder().encode("bytes").buffer }));
  expect(await socket.read()).toBe("bytes");
  const long = { length: 65 * 1024 * 1024 };
  const decode = vi.spyOn(TextDecoder.prototype, "decode").mockReturnValue(long as unknown as string); // not a real string
  platform.dispatchEvent(new MessageEvent("message", { data: new ArrayBuffer(1) }));
  decode.mockRestore();
  await expect(socket.read()).rejects.toThrow("A message is longer than");
  expect(close).toHaveBeenCalledOnce();
});

test("refuses a message in endless fragments while it arrives", async () => {
  const piece = Buffer.alloc(16 * 1024, "x");
  const socket = await connect(
    {
      onMessage: (from) => {
        from.send("whole");
        for (let sent = 0; sent < 10; sent++) from.sendFragment(piece, sent === 0);
      },
    },
    { maxMessageBytes: 100_000 },
  );
  socket.send("{}");
  expect(await socket.read()).toBe("whole");
  await expect(socket.read()).rejects.toThrow("A message is longer than 100000 bytes");
  await eventually(() => server?.open() === 0);
});

test("offers no compression, with which a few bytes are a message of gigabytes, and refuses a server that compresses", async () => {
  const socket = await connect({});
  expect(server?.connections[0]).not.toHaveProperty("sec-websocket-extensions");
  socket.close();
  const echo: SocketScript = { extensions: "permessage-deflate; server_no_context_takeover", onMessage: vi.fn() };
  await expect(connect(echo).then((compressing) => compressing.read())).rejects.toThrow("WebSocket");
  await eventually(() => server?.open() === 0);
});

test("takes many messages that are longer than the limit together", async () => {
  const text = "y".repeat(60_000);
  const echo: SocketScript = { onMessage: (from) => [1, 2, 3].forEach(() => void from.send(text)) };
  const socket = await connect(echo, { maxMessageBytes: 100_000 });
  socket.send("{}");
  for (let read = 0; read < 3; read++) expect(await socket.read()).toBe(text);
  socket.close();
});
