/** A Redis client that an application passes in, reduced to one function. */
import { throwWrong } from "../../checks.js";

/** A client of `ioredis`. */
export interface IoredisClient {
  /** Sends a command. */
  call(command: string, ...words: string[]): Promise<unknown>;
  /** Makes another connection with the same settings. */
  duplicate(): IoredisClient;
  /** Closes the connection. */
  disconnect(): void;
  /** Listens to errors of the connection. */
  on(event: "error", listener: () => void): unknown;
}

/** A client of `redis` or `@redis/client` (node-redis), version 5 or later. */
export interface NodeRedisClient {
  /** Sends a command. */
  sendCommand(words: string[]): Promise<unknown>;
  /** Makes another connection with the same settings. */
  duplicate(): NodeRedisClient;
  /** Opens the connection. */
  connect(): Promise<unknown>;
  /** Closes the connection at once. */
  destroy(): void;
  /** Listens to errors of the connection. */
  on(event: "error", listener: () => void): unknown;
}

/** A client of Redis: of `ioredis` or of `redis` (node-redis). */
export type RedisClient = IoredisClient | NodeRedisClient;

/** One connection. */
export interface RedisConnection {
  send(...words: [command: string, ...words: string[]]): Promise<unknown>;
  close(): void;
}

/** The application's own connection, which stays open. */
export function toConnection(client: RedisClient): RedisConnection {
  const { call, sendCommand } = Object(client);
  if (typeof call !== "function" && typeof sendCommand !== "function")
    throwWrong("The client of Redis", "one of ioredis or redis", client);
  return { send: createSend(client), close: () => {} };
}

/** Opens a second connection, for commands that block. */
export async function openConnection(client: RedisClient): Promise<RedisConnection> {
  const own = client.duplicate();
  // Without a listener, an error of the connection ends the process. Commands report it too.
  own.on("error", () => {});
  if ("sendCommand" in own && !isIoredis(own)) await own.connect();
  return { send: createSend(own), close: () => (isIoredis(own) ? own.disconnect() : own.destroy()) };
}

function createSend(client: RedisClient): RedisConnection["send"] {
  return isIoredis(client) ? (...words) => client.call(...words) : (...words) => client.sendCommand(words);
}

/** Both clients have a `sendCommand`, with different parameters, so `call` distinguishes them. */
function isIoredis(client: RedisClient): client is IoredisClient {
  return "call" in client && typeof client.call === "function";
}
