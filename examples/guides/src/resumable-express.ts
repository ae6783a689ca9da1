/** Runs that a page can resume after a reload, behind Express: `POST`, `GET` and `DELETE` of `/runs`. */
import express, { type NextFunction, type Request, type Response } from "express";
import { Agent } from "pi-agent";
import { createMemoryEventStore, publish, type RunEvent, runsOf, stopRun } from "pi-agent/event-store";
import { createRunResponse } from "pi-agent/sse";
import { getModel } from "pi-ai";
import { toNodeListener } from "pi-ai/proxy-server";

const app = express();
const store = createMemoryEventStore<RunEvent>();

/**
 * The user whose token a request brings; undefined without one. Replace it with the sessions of your application. Here
 * `USER_TOKENS` has them, such as `{"a-long-random-token": "ada"}`.
 */
function findUser(authorization: string | null | undefined): string | undefined {
  const users: Record<string, string> = JSON.parse(process.env["USER_TOKENS"] ?? "{}");
  const [, token = ""] = /^Bearer (\S+)$/i.exec(authorization ?? "") ?? [];
  return Object.hasOwn(users, token) ? users[token] : undefined;
}

/** Stops a request without a user. */
function logIn(request: Request, response: Response, next: NextFunction): void {
  const user = findUser(request.headers.authorization);
  if (user === undefined) {
    response.status(401).json({ error: "Log in first." });
    return;
  }
  response.locals["user"] = user;
  next();
}

/** The runs of the user of a request. To another user, they do not exist. */
const runsFor = (response: Response) => runsOf(store, response.locals["user"]);

app.use("/runs", logIn);

app.post("/runs", express.json({ limit: "1mb" }), (request, response) => {
  const prompt: unknown = request.body?.prompt;
  if (typeof prompt !== "string") {
    response.status(400).json({ error: 'Send a JSON object with a "prompt".' });
    return;
  }
  const runId = crypto.randomUUID();
  const model = getModel("anthropic", "claude-sonnet-5-5");
  const agent = new Agent({ initialState: { model }, maxTurns: 20, middleware: [publish(runsFor(response), runId)] });
  // The run is not tied to this request: it continues after the page was closed.
  agent.prompt(prompt).catch(console.error);
  response.status(201).json({ runId });
});

app.get("/runs/:id", (request, response) => {
  toNodeListener((page) => createRunResponse(runsFor(response), request.params.id, { request: page }))(
    request,
    response,
  );
});
app.delete("/runs/:id", async (request, response) => {
  await stopRun(runsFor(response), request.params.id);
  response.status(204).end();
});

const server = app.listen(Number(process.env["PORT"] ?? 3000), () => {
  const address = server.address();
  if (address !== null && typeof address === "object") console.log(`http://localhost:${address.port}`);
});
