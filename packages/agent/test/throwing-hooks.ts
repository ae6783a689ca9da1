/** Every hook of a middleware and every option that is a function, as ones that throw when they are told to. */
import type { AgentOptions, RunHooks } from "pi-agent";

/** Throws at its n-th call, or at each call from the n-th on. */
export interface Plan {
  at: number;
  always: boolean;
}

export type Fail = () => void;

export function createFail({ at, always }: Plan): Fail {
  let count = 0;
  return () => {
    count++;
    if (count === at || (always && count > at)) throw new Error("hook");
  };
}

/** Each hook of a middleware, which changes nothing and throws when it is told to. A record, so that a new hook is a row. */
export const HOOKS: { readonly [TName in keyof RunHooks]-?: (fail: Fail) => NonNullable<RunHooks[TName]> } = {
  beforeRequest: (fail) => () => fail(),
  transformContext: (fail) => async (messages) => {
    fail();
    return messages;
  },
  prepareRequest: (fail) => (request) => {
    fail();
    return request;
  },
  wrapModelCall: (fail) => async (request, send) => {
    fail();
    return send(request);
  },
  wrapSend: (fail) => async (request, send) => {
    const response = await send(request);
    fail();
    return response;
  },
  recover: (fail) => () => {
    fail();
    return false;
  },
  chooseTools: (fail) => (tools) => {
    fail();
    return tools;
  },
  tools: (fail) => () => {
    fail();
    return [];
  },
  beforeTools: (fail) => async () => {
    fail();
    return undefined;
  },
  beforePause: (fail) => async (requests) => {
    fail();
    return requests;
  },
  beforeToolCall: (fail) => async () => {
    fail();
    return undefined;
  },
  wrapToolCall: (fail) => async (_call, execute) => {
    fail();
    return execute();
  },
  afterToolCall: (fail) => async () => {
    fail();
    return undefined;
  },
  afterTurn: (fail) => () => fail(),
  beforeMessages: (fail) => () => fail(),
  onRemembered: (fail) => () => fail(),
  onRememberedCall: (fail) => () => fail(),
  onEvent: (fail) => () => fail(),
  end: (fail) => () => fail(),
};

/** The options of an agent that are functions. */
export const OPTIONS: Readonly<Record<string, (fail: Fail) => AgentOptions>> = {
  convertToLlm: (fail) => ({
    convertToLlm: (messages) => {
      fail();
      return messages as never;
    },
  }),
  transformContext: (fail) => ({ transformContext: HOOKS.transformContext(fail) }),
  wrapModelCall: (fail) => ({ wrapModelCall: HOOKS.wrapModelCall(fail) }),
  beforeToolCall: (fail) => ({ beforeToolCall: HOOKS.beforeToolCall(fail) }),
  wrapToolCall: (fail) => ({ wrapToolCall: HOOKS.wrapToolCall(fail) }),
  afterToolCall: (fail) => ({ afterToolCall: HOOKS.afterToolCall(fail) }),
  prepareNextTurn: (fail) => ({
    prepareNextTurn: async () => {
      fail();
      return undefined;
    },
  }),
  shouldStopAfterTurn: (fail) => ({
    shouldStopAfterTurn: () => {
      fail();
      return false;
    },
  }),
  getApiKey: (fail) => ({
    getApiKey: async () => {
      fail();
      return "key";
    },
  }),
  now: (fail) => {
    const now = (): number => {
      fail();
      return 1;
    };
    return { now };
  },
};
