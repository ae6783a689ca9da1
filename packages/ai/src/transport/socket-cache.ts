/** Keeps one connection for each session, and closes it when it is idle for too long or too old. */
import type { TextSocket } from "./websocket.js";

/** A connection in use. Call `release` or `discard` at the end of the request. */
export interface SocketLease<TMemory> {
  socket: TextSocket;
  /** Whether the connection has served a request before. */
  reused: boolean;
  /** The state that the last request stored for the next one; undefined if the connection is not kept. */
  memory: { value?: TMemory } | undefined;
  /** Returns the connection after a successful request. */
  release(): void;
  /** Closes the connection after a failed request. */
  discard(): void;
}

export interface SocketCacheLimits {
  /** Milliseconds after which an idle connection is closed. */
  idleMs: number;
  /** Age in milliseconds after which a connection is not reused. */
  maxAgeMs: number;
}

interface Entry<TMemory> {
  socket: TextSocket;
  /** Identifies the URL and credentials of the connection. A request with another identity needs a new connection. */
  identity: string;
  memory: { value?: TMemory };
  /** By the monotonic clock, in milliseconds. */
  born: number;
  busy: boolean;
  idleTimer: ReturnType<typeof setTimeout> | undefined;
}

export class SocketCache<TMemory> {
  readonly #limits: SocketCacheLimits;
  readonly #entries = new Map<string, Entry<TMemory>>();

  constructor(limits: SocketCacheLimits) {
    this.#limits = limits;
  }

  /**
   * Returns the session's connection, or opens one. If that connection is in use, or if there is no session, opens a
   * temporary connection that is closed after use.
   */
  async lease(
    session: string | undefined,
    identity: string,
    connect: () => Promise<TextSocket>,
  ): Promise<SocketLease<TMemory>> {
    const known = session === undefined ? undefined : this.#entries.get(session);
    if (known && !known.busy) {
      if (known.identity === identity && this.#isFresh(known)) return this.#use(known, true);
      known.socket.close();
    }
    // Another request of the session may have stored its connection meanwhile.
    const socket = await connect();
    if (session === undefined || this.#entries.has(session)) return temporary(socket);
    return this.#use(this.#keep(session, identity, socket), false);
  }

  /** Closes a session's connection, or all of them. */
  close(session?: string): void {
    const entries = session === undefined ? [...this.#entries.values()] : [this.#entries.get(session)];
    for (const entry of entries) entry?.socket.close();
  }

  #isFresh({ socket, born }: Entry<TMemory>): boolean {
    return socket.isOpen && performance.now() - born < this.#limits.maxAgeMs;
  }

  #keep(session: string, identity: string, socket: TextSocket): Entry<TMemory> {
    const entry: Entry<TMemory> = {
      socket,
      identity,
      memory: {},
      born: performance.now(),
      busy: false,
      idleTimer: undefined,
    };
    this.#entries.set(session, entry);
    socket.onClose(() => {
      clearTimeout(entry.idleTimer);
      if (this.#entries.get(session) === entry) this.#entries.delete(session);
    });
    return entry;
  }

  #use(entry: Entry<TMemory>, reused: boolean): SocketLease<TMemory> {
    const { socket, memory } = entry;
    entry.busy = true;
    clearTimeout(entry.idleTimer);
    socket.dropUnread();
    return {
      socket,
      reused,
      memory,
      release: () => this.#rest(entry),
      discard: () => socket.close(),
    };
  }

  #rest(entry: Entry<TMemory>): void {
    entry.busy = false;
    if (!entry.socket.isOpen) return;
    clearTimeout(entry.idleTimer);
    entry.idleTimer = setTimeout(() => entry.socket.close(), this.#limits.idleMs);
  }
}

function temporary<TMemory>(socket: TextSocket): SocketLease<TMemory> {
  const end = (): void => socket.close();
  return { socket, reused: false, memory: undefined, release: end, discard: end };
}
