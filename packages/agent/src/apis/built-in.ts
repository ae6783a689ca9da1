/** Sends through the built-in apis, which importing the root of pi-ai registers. */
export { streamSimple } from "pi-ai";
