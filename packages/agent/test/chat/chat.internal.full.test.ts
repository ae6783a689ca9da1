/** 10,000 random conversations, other ones than those of the quick suite. */
import { playChats } from "./play-chats.internal.js";

playChats({ memory: 8200, SQLite: 1500, files: 300 }, 100_001);
