/**
 * 5,000 random conversations, other ones than those of the quick suite. `PI_CHAT_SEED` is another first seed, and `PI_CHATS` a
 * factor: 2 plays 10,000 of them.
 */
import { playChats } from "./play-chats.internal.js";

// biome-ignore lint/style/noProcessEnv: the command that starts the runner chooses what is played.
const { PI_CHAT_SEED = "100001", PI_CHATS = "1" } = process.env;
const times = (count: number): number => Math.ceil(count * Number(PI_CHATS));

playChats({ memory: times(4100), SQLite: times(750), files: times(150) }, Number(PI_CHAT_SEED));
