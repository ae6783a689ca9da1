/** A chat in memory: rooms, messages, and a typing preview. */

export interface ChatMessage {
  room: string;
  text: string;
}

export class Chat {
  readonly messages: ChatMessage[] = [];
  /** The latest state of each room's preview. */
  readonly previews: Map<string, string> = new Map();
  readonly #closedRooms: ReadonlySet<string>;
  readonly #onPost: (message: ChatMessage) => void;

  constructor(options: { closedRooms?: readonly string[]; onPost?: (message: ChatMessage) => void } = {}) {
    this.#closedRooms = new Set(options.closedRooms);
    this.#onPost = options.onPost ?? (() => {});
  }

  /** Resolves later, as with a server; rejects for a closed room. */
  async post(room: string, text: string): Promise<void> {
    await Promise.resolve();
    if (this.#closedRooms.has(room)) throw new Error(`Nobody can write to ${room}`);
    const message = { room, text };
    this.messages.push(message);
    this.previews.delete(room);
    this.#onPost(message);
  }

  preview(room: string, text: string): void {
    this.previews.set(room, text);
  }
}
