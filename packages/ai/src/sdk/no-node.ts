/** Replaces modules of Node.js on other platforms, where their exports are not used. */
export {};
