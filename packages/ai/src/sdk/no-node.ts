/** Stands for Node's own modules where there is no Node; nothing there asks for what is in them. */
export {};
