/**
 * Plays a random conversation over several processes: two requests at once, kills at any event, aborts, resets, branches, answers,
 * compaction, child agents, and hooks and listeners that throw or are slow. The same seed plays the same with a store in memory.
 */
import type { AgentMessage } from "pi-agent";
import { createRandom, type Random } from "../../../../test/support/random.js";
import { ChatFacts } from "./chat-facts.js";
import { ChatProcess } from "./chat-process.internal.js";
import { DISKS, type Disk } from "./disks.internal.js";

export interface PlayedChat {
  faults: readonly string[];
  /** How many processes died. */
  deaths: number;
  /** How many messages the last conversation has. */
  messages: number;
}

const MAX_PROCESSES = 4;
const MAX_ROUNDS = 40;

export async function playChat(kind: string, seed: number): Promise<PlayedChat> {
  const random = createRandom(seed);
  const disk = DISKS[kind]?.(random);
  if (!disk) throw new Error(`There is no disk ${kind}`);
  const chat = new Chat(random, disk);
  try {
    return await chat.play();
  } finally {
    disk.close();
  }
}

class Chat {
  readonly #random: Random;
  readonly #disk: Disk;
  readonly #facts = new ChatFacts();
  readonly #paid = new Map<string, number>();
  #number = 0;
  #deaths = 0;

  constructor(random: Random, disk: Disk) {
    this.#random = random;
    this.#disk = disk;
  }

  async play(): Promise<PlayedChat> {
    const { faults } = this.#facts;
    const count = 1 + this.#random.below(MAX_PROCESSES);
    for (let index = 0; index < count && faults.length === 0; index++) await this.#run(false);
    const messages = faults.length === 0 ? await this.#run(true) : [];
    for (const [id, times] of this.#paid) if (times > 1) faults.push(`${id} was paid ${times} times`);
    return { faults, deaths: this.#deaths, messages: messages.length };
  }

  /** One process: opens the session, does something, and dies or closes it. The last one brings the conversation to its end. */
  async #run(isLast: boolean): Promise<readonly AgentMessage[]> {
    const process = new ChatProcess({
      random: this.#random,
      facts: this.#facts,
      paid: this.#paid,
      next: () => this.#number++,
      disk: this.#disk,
      isCalm: isLast,
    });
    await process.open();
    if (isLast) await process.finish(MAX_ROUNDS);
    else await process.live();
    if (process.isDead) this.#deaths++;
    else await process.close();
    return process.messages;
  }
}
