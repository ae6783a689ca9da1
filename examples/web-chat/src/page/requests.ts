/** What waits for an answer: a form for each request, below the conversation. */
import type { Agent, PauseAnswer, PauseRequest } from "pi-agent";
import { element } from "./element.ts";
import { createFields, type FieldList } from "./fields.ts";

export class Requests {
  readonly #agent: Agent;
  readonly #list: HTMLElement;
  readonly #answer: (answer: PauseAnswer) => void;
  /** A form keeps what was typed while others are answered. */
  readonly #forms = new Map<string, HTMLElement>();

  constructor(agent: Agent, list: HTMLElement, answer: (answer: PauseAnswer) => void) {
    this.#agent = agent;
    this.#list = list;
    this.#answer = answer;
  }

  /** Call it when a run has ended, or a request was answered. */
  update(): void {
    const requests = this.#agent.state.isStreaming ? [] : (this.#agent.state.pause?.requests ?? []);
    const ids = new Set(requests.map(({ id }) => id));
    for (const [id, form] of this.#forms) {
      if (ids.has(id)) continue;
      form.remove();
      this.#forms.delete(id);
    }
    for (const request of requests) {
      const form = this.#forms.get(request.id) ?? this.#create(request);
      this.#forms.set(request.id, form);
      this.#list.append(form);
    }
  }

  #create(request: PauseRequest): HTMLElement {
    const tool = this.#agent.state.tools.find(({ name }) => name === request.toolName);
    return request.kind === "question"
      ? createQuestion(request, this.#answer)
      : createApproval(request, tool?.parameters, this.#answer);
  }
}

type Answer = (answer: PauseAnswer) => void;

/** The arguments can be changed, unless the call is that of an agent which a tool runs. */
function createApproval(request: PauseRequest, parameters: unknown, answer: Answer): HTMLElement {
  const { id, toolName, arguments: args, path } = request;
  const fields = path ? undefined : createFields(parameters, args);
  const shown = fields?.nodes ?? [element("pre", "", JSON.stringify(args, undefined, 2))];
  const reason = document.createElement("input");
  const refuse = button("Refuse", () => answer({ id, approved: false, ...(reason.value && { reason: reason.value }) }));
  return createForm(`May ${toolName} run?`, {
    nodes: [...shown, element("label", "reason", ["Reason for a refusal", reason])],
    buttons: ["Approve", refuse],
    submit: () => {
      const values = fields?.read();
      if (fields && !values) return;
      answer({ id, approved: true, ...(values && !isSame(values, args) && { arguments: values }) });
    },
  });
}

function isSame(one: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>): boolean {
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => JSON.stringify(one[name]) === JSON.stringify(other[name]));
}

/** Without a schema the answer is a text. */
function createQuestion({ id, message = "", schema, url, problem }: PauseRequest, answer: Answer): HTMLElement {
  const fields: FieldList = createFields(
    schema ?? { properties: { answer: { type: "string" } }, required: ["answer"] },
    {},
  );
  const link = document.createElement("a");
  if (url && URL.canParse(url) && new URL(url).protocol === "https:") {
    Object.assign(link, { href: url, target: "_blank", rel: "noopener noreferrer" });
    link.textContent = `Open ${new URL(url).host}`;
  }
  return createForm(message, {
    nodes: [...(problem ? [element("p", "bad", problem)] : []), ...(link.href ? [link] : []), ...fields.nodes],
    buttons: ["Answer", button("Decline", () => answer({ id, approved: false }))],
    submit: () => {
      const values = fields.read();
      if (values) answer({ id, approved: true, value: schema ? values : values["answer"] });
    },
  });
}

interface FormParts {
  nodes: readonly HTMLElement[];
  /** The name of the button that sends the form, and the other one. */
  buttons: readonly [submit: string, other: HTMLElement];
  submit: () => void;
}

function createForm(title: string, { nodes, buttons: [name, other], submit }: FormParts): HTMLElement {
  const form = document.createElement("form");
  form.className = "request";
  form.ariaLabel = title;
  const send = document.createElement("button");
  send.type = "submit";
  send.textContent = name;
  form.append(element("strong", "", title), ...nodes, element("div", "actions", [other, send]));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  return form;
}

function button(name: string, press: () => void): HTMLElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "quiet";
  made.textContent = name;
  made.addEventListener("click", press);
  return made;
}
