/** Connections that outlive a request: one for each session, closed when it has been idle for long or is too old. */
import type { TextSocket } from "./websocket.js";

/** A connection in use; `release` or `discard` ends the use. */
export interface SocketLease<TMemory> {
  socket: TextSocket;
  /** The connection served a request before. */
  reused: boolean;
  /** What the last request over this connection left for the next one; absent on a connection that is not kept. */
  memory: { value?: TMemory } | undefined;
  /** The request is over, and the connection is as good as before. */
  release(): void;
  /** The connection is of no more use. */
  discard(): void;
}

export interface SocketCacheLimits {
  /** Milliseconds without use after which a connection is closed. */
  idleMs: number;
  /** Milliseconds after which a connection is not used again. */
  maxAgeMs: number;
}

interface Entry<TMemory> {
  socket: TextSocket;
  /** What the connection was made with; one with other credentials is another connection. */
  identity: string;
  memory: { value?: TMemory };
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
   * The session's connection, or a new one that becomes it. A connection in use is not waited for: a second one is
   * made, and closed after use, as is one without a session.
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
    // Held while it connects, so that a second request of the session does not become the session's connection too.
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
    return socket.isOpen && Date.now() - born < this.#limits.maxAgeMs;
  }

  #keep(session: string, identity: string, socket: TextSocket): Entry<TMemory> {
    const entry: Entry<TMemory> = {
      socket,
      identity,
      memory: {},
      born: Date.now(),
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
