/** All measurements of one scenario, interleaved: each round measures every client once, one after the other. */
import type { InstalledPeer } from "./install-peer.ts";
import type { ClientName } from "./peers.ts";
import { runProcess } from "./run-process.ts";
import type { Scenario, WorkInput } from "./scenario.ts";
import type { Order, WorkName } from "./worker.ts";
import type { Measured } from "./works/measured.ts";

/** The number of rounds that include peers. The floor and ours are measured in all rounds. */
const PEER_ROUNDS = 2;
/** The fraction of rounds that measure ours and the floor at a second size. */
const GROWTH_PART = 1 / 3;
/** A client whose measurement takes longer than this many seconds is measured once. */
const SLOW_SECONDS = 2.5;

export interface Participant {
  name: ClientName;
  /** The client to run, if it is not `name`: the floor of some scenarios is another use of our own client. */
  client?: ClientName;
  loader?: string;
}

export interface SideResult {
  runs: Measured[];
  /** The reason why there are no runs. */
  reason?: string;
  /** The size, if it is smaller than the scenario's, and the floor at this size. */
  size?: number;
  floorRuns?: Measured[];
  /** Runs at a second size, which show the growth. */
  otherRuns: Measured[];
  otherSize?: number;
  /** Measured once only. */
  slow?: true;
}

export interface ScenarioResult {
  scenario: Scenario;
  sides: Map<ClientName, SideResult>;
}

export interface RunOptions {
  rounds: number;
  /** Whether second sizes are measured. */
  growth: boolean;
  serverUrl: string;
  peers: readonly InstalledPeer[];
}

export async function runScenario(scenario: Scenario, options: RunOptions): Promise<ScenarioResult> {
  const sides = new Map<ClientName, SideResult>();
  const participants = chooseParticipants(scenario, options.peers);
  for (const { name } of participants) sides.set(name, { runs: [], otherRuns: [] });
  for (let round = 0; round < options.rounds; round++) {
    for (const participant of participants) {
      const result = sides.get(participant.name);
      if (result && !isDone(participant, result, round)) await runOnce(scenario, participant, result, round, options);
    }
  }
  return { scenario, sides };
}

export function chooseParticipants(scenario: Scenario, peers: readonly InstalledPeer[]): Participant[] {
  const chosen = peers.filter(
    ({ peer }) => scenario.only !== "ours" && (scenario.only === "parsers") === !!peer.parser,
  );
  const floor: Participant = scenario.only === "ours" ? { name: "floor", client: "ours" } : { name: "floor" };
  return [floor, { name: "ours" }, ...chosen.map(({ peer, loader }) => ({ name: peer.name, loader }))];
}

const isPeer = ({ loader }: Participant): boolean => loader !== undefined;

function isDone(participant: Participant, result: SideResult, round: number): boolean {
  return result.reason !== undefined || (isPeer(participant) && (round >= PEER_ROUNDS || result.slow === true));
}

async function runOnce(
  scenario: Scenario,
  participant: Participant,
  result: SideResult,
  round: number,
  options: RunOptions,
): Promise<void> {
  const { serverUrl } = options;
  const size = scenario.smaller?.[participant.name];
  const input = size === undefined ? scenario.input : resize(scenario.input, size);
  const begin = performance.now();
  const response = await runProcess(createOrder(scenario.work, participant, input, serverUrl));
  if ("reason" in response) {
    Object.assign(result, { reason: response.reason, runs: [] });
    return;
  }
  result.runs.push(response.measured);
  if (isPeer(participant) && performance.now() - begin > SLOW_SECONDS * 1000) result.slow = true;
  const measureAside = async (by: Participant, aside: WorkInput): Promise<Measured[]> => {
    const other = await runProcess(createOrder(scenario.work, by, aside, serverUrl));
    return "measured" in other ? [other.measured] : [];
  };
  if (size !== undefined) {
    result.size = size;
    result.floorRuns = [...(result.floorRuns ?? []), ...(await measureAside({ name: "floor" }, input))];
  }
  const otherSize = options.growth ? chooseOtherSize(scenario, participant, input, options, round) : undefined;
  if (otherSize === undefined) return;
  result.otherSize = otherSize;
  result.otherRuns.push(...(await measureAside(participant, resize(input, otherSize))));
}

/** Ours and the floor grow to a larger size. Peers run a quarter of the size, once, because some would take minutes. */
function chooseOtherSize(
  scenario: Scenario,
  participant: Participant,
  { size }: WorkInput,
  { rounds }: RunOptions,
  round: number,
): number | undefined {
  if (!scenario.grows || size === undefined) return undefined;
  if (!isPeer(participant)) return round < Math.ceil(rounds * GROWTH_PART) ? scenario.grows.size : undefined;
  return round === 0 ? Math.round(size / 4) : undefined;
}

export function resize(input: WorkInput, size: number): WorkInput {
  return { ...input, size, ...(input.body ? { body: { ...input.body, size } } : {}) };
}

export function createOrder(work: WorkName, participant: Participant, input: WorkInput, serverUrl: string): Order {
  const { name, client = name, loader } = participant;
  return { work, side: name, client, ...(loader === undefined ? {} : { loader }), input, serverUrl };
}
