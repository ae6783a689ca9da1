/** Runs the example of an embedded agent in a separate process and inspects it. */
import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { registerFauxProvider } from "pi-ai";
import { afterEach, describe, expect, it } from "vitest";
import { createBot } from "../examples/embed-bot/src/bot.js";
import { Chat } from "../examples/embed-bot/src/chat.js";
import { ALARM, NEWS, SCRIPT } from "../examples/embed-bot/src/script.js";
import { DIES_WITH_PARENT } from "./support/child-flags.js";

const ROOT = resolve(import.meta.dirname, "..");
const faux = registerFauxProvider();
afterEach(() => faux.setResponses([]));

describe("the embedded bot", () => {
  it("posts blocks, does not repeat sent texts, and reports texts that could not be sent", async () => {
    faux.setResponses([...SCRIPT]);
    const chat = new Chat({ closedRooms: ["#closed"] });
    const log: string[] = [];
    const bot = createBot({ model: faux.getModel(), chat, room: "#help", log: (line) => log.push(line) });
    for (const question of ["news", "alarm", "help"]) await bot.respond(question);
    const blocks = chat.messages.slice(4).map(({ text }) => text);
    expect(chat.messages.slice(0, 4)).toEqual([
      { room: "#help", text: "I pass it on." },
      { room: "#news", text: NEWS },
      { room: "#help", text: "I pass it on." },
      { room: "#help", text: ALARM },
    ]);
    expect(blocks).toHaveLength(4);
    expect(blocks.every((text) => text.length <= 100 && (text.match(/```/g)?.length ?? 0) % 2 === 0)).toBe(true);
    expect(blocks.join("\n")).not.toContain("think");
    expect(bot.subscription.getMessagingToolSentTargets()).toEqual(["#news"]);
    expect(bot.subscription.getLastToolError()).toMatchObject({ error: "Nobody can write to #closed" });
    expect(log).toEqual(["send_message to #news: sent", "send_message to #closed: Nobody can write to #closed"]);
    expect(chat.previews.size).toBe(0);
    bot.stop();
    faux.assertNoPendingResponses();
  });

  it("runs with one command", async () => {
    const hook = join(ROOT, "scripts/resolve-sources.ts");
    const main = join(ROOT, "examples/embed-bot/src/main.ts");
    const program = await promisify(execFile)(process.execPath, [...DIES_WITH_PARENT, "--import", hook, main], {
      env: {},
    });
    expect(program.stderr).toBe("");
    expect(program.stdout).toContain(`#news  ${NEWS}`);
    expect(program.stdout).toMatch(/\n5 responses, \d+ tokens\n$/);
  });
});
