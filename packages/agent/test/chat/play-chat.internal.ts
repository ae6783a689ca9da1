/**
 * Plays a random conversation over several processes, also two at once: two requests, pages, kills at any event, aborts, resets, branches, answers,
 * compaction, child agents, and hooks and listeners that throw or are slow. The same seed plays the same with a store in memory.
 */
import type { AgentMessage } from "pi-agent";
import { createRandom, type Random } from "../../../../test/support/random.js";
import { ChatFacts } from "./chat-facts.js";
import { ChatProcess, type World } from "./chat-process.internal.js";
import { DISKS, type Disk, type Disks } from "./disks.internal.js";

export interface PlayedChat {
  faults: readonly string[];
  /** How many processes died. */
  deaths: number;
  /** How many of them died while a summary was written. */
  inCompaction: number;
  /** How many messages the last conversation has. */
  messages: number;
}

const MAX_PROCESSES = 4;
const MAX_ROUNDS = 40;

export async function playChat(kind: string, seed: number, disks: Disks = DISKS): Promise<PlayedChat> {
  const random = createRandom(seed);
  const disk = disks[kind]?.(random);
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
  readonly #holder: World["holder"] = {};
  readonly #children: boolean;
  #number = 0;
  #deaths = 0;
  #inCompaction = 0;

  constructor(random: Random, disk: Disk) {
    this.#random = random;
    this.#disk = disk;
    this.#children = random.chance(0.4);
  }

  async play(): Promise<PlayedChat> {
    const { faults } = this.#facts;
    const count = 1 + this.#random.below(MAX_PROCESSES);
    for (let index = 0; index < count && faults.length === 0; index++)
      await (this.#random.chance(0.3) ? this.#runTwo() : this.#run());
    const messages = faults.length === 0 ? await this.#finish() : [];
    for (const [id, times] of this.#paid) if (times > 1) faults.push(`${id} was paid ${times} times`);
    return { faults, deaths: this.#deaths, inCompaction: this.#inCompaction, messages: messages.length };
  }

  /** One process: opens the session, does something, and dies or closes it. */
  async #run(): Promise<void> {
    await this.#live(this.#boot());
  }

  /** Two processes at the same time: one of them waits until it has the session, or takes it by force. */
  async #runTwo(): Promise<void> {
    const first = this.#boot({ isBesideAnother: true });
    const second = this.#boot({ isBesideAnother: true });
    await Promise.all([this.#live(first), this.#live(second)]);
  }

  /** The last process brings the conversation to its end. */
  async #finish(): Promise<readonly AgentMessage[]> {
    const process = this.#boot({ isCalm: true });
    await process.open();
    await process.finish(MAX_ROUNDS);
    await process.close();
    return process.messages;
  }

  #boot(more: { isCalm?: boolean; isBesideAnother?: boolean } = {}): ChatProcess {
    return new ChatProcess({
      random: this.#random,
      facts: this.#facts,
      paid: this.#paid,
      next: () => this.#number++,
      disk: this.#disk,
      isCalm: false,
      isBesideAnother: false,
      holder: this.#holder,
      children: this.#children,
      ...more,
    });
  }

  async #live(process: ChatProcess): Promise<void> {
    if (await process.open()) await process.live();
    if (process.diedInCompaction) this.#inCompaction++;
    if (process.isDead) this.#deaths++;
    else if (process.isOpen) await process.close();
  }
}
