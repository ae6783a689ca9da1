/** A chat bot with a faux model: `node examples/embed-bot/src/main.ts`. */
import { registerFauxProvider } from "pi-ai";
import { createBot } from "./bot.ts";
import { Chat } from "./chat.ts";
import { SCRIPT } from "./script.ts";

const ROOM = "#help";
const QUESTIONS = ["Announce version 2.1", "Tell them that the build failed", "How do I update?"];

const faux = registerFauxProvider();
faux.setResponses([...SCRIPT]);
const chat = new Chat({
  closedRooms: ["#closed"],
  onPost: ({ room, text }) => console.log(`${room}  ${text.replaceAll("\n", `\n${" ".repeat(room.length + 2)}`)}`),
});
const bot = createBot({ model: faux.getModel(), chat, room: ROOM, log: (line) => console.log(`        (${line})`) });

for (const question of QUESTIONS) {
  console.log(`\n> ${question}`);
  await bot.respond(question);
}
const { assistantMessages, totalTokens } = bot.subscription.getUsageTotals();
console.log(`\n${assistantMessages} responses, ${totalTokens} tokens`);
bot.stop();
faux.unregister();
