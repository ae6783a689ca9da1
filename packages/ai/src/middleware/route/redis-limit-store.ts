/** Counts limits on Redis, for several processes. */
import { ConfigError } from "../../errors.js";
import { nameValue } from "../../utils/name-value.js";
import { checkOptionNames } from "../../utils/nearest-names.js";
import type { LearnedLimit, LimitStore, RouteLimit } from "./limit-store.js";

/** The method of a client that is used: the first form is that of the package `redis`, the second that of `ioredis`. */
export type RedisScripts =
  | { sendCommand(command: string[]): Promise<unknown> }
  | { call(command: string, ...values: string[]): Promise<unknown> };

/**
 * The counts are a hash, which expires two minutes after the last request. Redis runs each script atomically, and by its own
 * clock: those of the processes differ.
 */
const REFILL = `
local rpm, tpm, concurrency = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local now = tonumber(ARGV[4])
if not now then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
local h = redis.call('HMGET', KEYS[1], 'requests', 'tokens', 'running', 'at', 'blocked')
local requests, tokens = tonumber(h[1] or rpm), tonumber(h[2] or tpm)
local running, at, blocked = tonumber(h[3] or 0), tonumber(h[4] or now), tonumber(h[5] or 0)
local passed = math.max(0, now - at) / 60000
requests = math.min(rpm, requests + rpm * passed)
tokens = math.min(tpm, tokens + tpm * passed)
local function store()
  redis.call('HSET', KEYS[1], 'requests', tostring(requests), 'tokens', tostring(tokens), 'running', running,
    'at', tostring(math.max(now, at)), 'blocked', tostring(blocked))
  redis.call('PEXPIRE', KEYS[1], math.max(120000, math.ceil(blocked - now)))
end
local function missing(amount, rate)
  if amount <= 0.000000001 or rate <= 0 then return 0 end
  return math.max(1, math.ceil(amount / rate * 60000))
end
`;

const TAKE = `${REFILL}
local need = tonumber(ARGV[5])
if blocked > now then return math.ceil(blocked - now) end
if concurrency >= 0 and running >= concurrency then return 50 end
local wait = math.max(missing(1 - requests, rpm), missing(math.min(need, tpm) - tokens, tpm))
if wait > 0 then return wait end
requests, tokens, running = requests - 1, tokens - need, running + 1
store()
return 0
`;

const RELEASE = `${REFILL}
running = math.max(0, running - 1)
tokens = math.min(tpm, tokens - tonumber(ARGV[5]))
store()
return 0
`;

const LEARN = `${REFILL}
if ARGV[5] ~= '' then requests = math.min(requests, tonumber(ARGV[5])) end
if ARGV[6] ~= '' then tokens = math.min(tokens, tonumber(ARGV[6])) end
if ARGV[7] ~= '' then blocked = math.max(blocked, now + tonumber(ARGV[7])) end
store()
return 0
`;

/**
 * Counts limits on Redis. All processes with the same prefix share them. The running requests of a process that dies stay counted
 * until two minutes have passed without a request, so leave some room in `concurrency`.
 *
 * @param options.prefix the prefix of the keys. Default `pi-ai:limit:`
 * @param options.now the time in milliseconds, for tests. Default: the time of Redis
 * @throws ConfigError if the client is not one of Redis, and for an unknown option
 */
export function createRedisLimitStore(
  client: RedisScripts,
  options: { prefix?: string; now?: () => number } = {},
): LimitStore {
  const { call, sendCommand } = Object(client);
  if (typeof call !== "function" && typeof sendCommand !== "function")
    throw new ConfigError(`createRedisLimitStore needs a client of redis or ioredis, not ${nameValue(client)}`);
  checkOptionNames("createRedisLimitStore", options, { prefix: true, now: true });
  const { prefix = "pi-ai:limit:", now } = options;
  const run = async (script: string, key: string, limit: RouteLimit, rest: string[]): Promise<number> => {
    const { rpm = 0, tpm = 0, concurrency = -1 } = limit;
    const given = [String(rpm), String(tpm), String(concurrency), String(now?.() ?? ""), ...rest];
    const values = [script, "1", prefix + key, ...given];
    return Number(await ("call" in client ? client.call("EVAL", ...values) : client.sendCommand(["EVAL", ...values])));
  };
  return {
    take: (key, tokens, limit) => run(TAKE, key, limit, [String(tokens)]),
    release: async (key, tokens, limit) => {
      await run(RELEASE, key, limit, [String(tokens)]);
    },
    learn: async (key, { requestsLeft, tokensLeft, resetMs }: LearnedLimit, limit) => {
      const isEmpty = requestsLeft === 0 || tokensLeft === 0 || (requestsLeft ?? tokensLeft) === undefined;
      const rest = [requestsLeft, tokensLeft, isEmpty ? resetMs : undefined].map((value) => String(value ?? ""));
      await run(LEARN, key, limit, rest);
    },
  };
}
