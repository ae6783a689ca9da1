/**
 * 10,000 random conversations, other ones than those of the quick suite. `PI_CHAT_SEED` is another first seed, and `PI_CHATS` a
 * factor: 0.1 plays a tenth of them.
 */
import { playChats } from "./play-chats.internal.js";

// biome-ignore lint/style/noProcessEnv: the command that starts the runner chooses what is played.
const { PI_CHAT_SEED = "100001", PI_CHATS = "1" } = process.env;
const times = (count: number): number => Math.ceil(count * Number(PI_CHATS));

playChats({ memory: times(8200), SQLite: times(1500), files: times(300) }, Number(PI_CHAT_SEED));
