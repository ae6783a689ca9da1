/** What the programs of the matrix must report, in every host. */

const AGENT = [
  "user",
  "toolUse: calls get_weather, calls flaky",
  "get_weather ran: Rain in Oslo",
  "flaky failed: Not yet",
  "toolUse: calls flaky",
  "flaky ran: Now it works",
  "stop: It rains in Oslo.",
];

const OUTCOME = {
  text: "Hello from the model.",
  deltas: 3,
  tokens: 15,
  aborted: "aborted",
  object: { name: "Oslo", people: 709_000 },
  transcript: AGENT,
};

export const CONVERSATION: Readonly<Record<string, unknown>> = {
  "anthropic-messages": { ...OUTCOME, refused: expect400("Refused") },
  "openai-completions": { ...OUTCOME, refused: expect400("Refused") },
};

export const IN_NODE: Readonly<Record<string, unknown>> = {
  ...CONVERSATION,
  session: AGENT,
  bedrock: "Hello from the model.",
  vertex: "Hello from the model.",
};

/** The text of a refusal holds the status and the server's words; how an SDK puts them together is its own matter. */
function expect400(words: string): RegExp {
  return new RegExp(`400.*${words}`);
}

/** Returns the paths at which a value differs from what is expected. */
export function differences(actual: unknown, expected: unknown, path = ""): string[] {
  if (expected instanceof RegExp) {
    return typeof actual === "string" && expected.test(actual) ? [] : [`${path} is ${JSON.stringify(actual)}`];
  }
  if (typeof expected !== "object" || expected === null || typeof actual !== "object" || actual === null) {
    return Object.is(actual, expected) ? [] : [`${path} is ${JSON.stringify(actual)}`];
  }
  const names = new Set([...Object.keys(expected), ...Object.keys(actual)]);
  const [left, right] = [new Map(Object.entries(actual)), new Map(Object.entries(expected))];
  return [...names].flatMap((name) => differences(left.get(name), right.get(name), `${path}.${name}`));
}
