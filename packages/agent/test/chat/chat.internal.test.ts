/** A sample of what `chat.internal.full.test.ts` plays. */
import { playChats } from "./play-chats.internal.js";

playChats({ memory: 220, SQLite: 60, files: 20 }, 1);
