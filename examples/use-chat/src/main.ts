/** A chat with React and useChat. */
import { createFauxModel } from "../../web-chat/src/faux-model.ts";
import { printSpans } from "./agent.ts";
import { startServer } from "./server.ts";

printSpans(console.log);
const { url } = await startServer({
  // A made-up model that needs no key; getModel("anthropic", "claude-sonnet-5-5") is a real one.
  model: createFauxModel(),
  port: Number(process.env["PORT"] ?? 0),
  onPay: (euros) => console.log(`Paid ${euros} euros`),
  ...(process.env["FOLDER"] && { folder: process.env["FOLDER"] }),
});
console.log(`Open ${url}`);
