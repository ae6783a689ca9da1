/** Replaces the modules of Node.js on other platforms, where no code uses their exports. */
export {};
