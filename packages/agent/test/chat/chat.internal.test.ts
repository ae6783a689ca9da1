/** A sample of what `chat.internal.full.test.ts` plays. */
import { playChats } from "./play-chats.internal.js";

playChats({ memory: 150, SQLite: 50, files: 15 }, 1);
