/** 10,000 random conversations, other ones than those of the quick suite. */
import { playChats } from "./play-chats.internal.js";

playChats({ memory: 7000, SQLite: 2500, files: 500 }, 100_001);
