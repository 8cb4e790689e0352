/** Records each raise of a fencing token in the test's database, and finds those that no fault explains. */

import type { ReadRows } from "./conversations.ts";

/** A raise: who had the session, who took it, and after which entry. */
export interface TokenRaise {
  readonly session: string;
  readonly old_holder: string | null;
  readonly holder: string;
  /** The position of the last entry. */
  readonly last_seq: number;
  /** In milliseconds, like `Date.now()`. */
  readonly at: number;
}

/**
 * Runs as the owner of the tables. From then on each raise of a token by a worker is a row. Parking counts as one, too: the worker before ended
 * with the session, and a request of it is repeated when the session is released.
 */
export const RECORD_TOKEN_RAISES = `
  create table public.token_raise (session text, old_token bigint, token bigint, old_holder text, holder text, last_seq integer, at timestamptz);
  create function public.record_token_raise() returns trigger language plpgsql security definer as $$
  begin
    insert into public.token_raise
      values (new.id, old.token, new.token, old.holder, coalesce(new.holder, 'parked'), new.last_seq, clock_timestamp());
    return null;
  end
  $$;
  create trigger record_token_raise after update of token on pith.session
    for each row when (new.token <> old.token and new.holder is not null) execute function public.record_token_raise();
  create trigger record_parking after update of parked on pith.session
    for each row when (old.parked is null and new.parked is not null) execute function public.record_token_raise()`;

export async function readTokenRaises(read: ReadRows): Promise<readonly TokenRaise[]> {
  return await read(
    "select session, old_holder, holder, last_seq, (extract(epoch from at) * 1000)::float8 as at from public.token_raise order by at",
    [],
  );
}

/** What happened to a worker, or with `worker: null` to all of them. */
export interface Fault {
  readonly type: "kill" | "freeze" | "stall" | "restart";
  readonly worker: string | null;
  readonly from: number;
  /** Infinity for a worker that does not come back. */
  readonly to: number;
}

export interface TakeoverReport {
  readonly takeovers: number;
  /** From workers that were neither killed nor silent for a reason. */
  readonly takeovers_without_fault: number;
  /** From workers whose event loop stood still because the machine was busy. */
  readonly takeovers_after_stall: number;
  /** From living workers whose beat was late because PostgreSQL was away. */
  readonly takeovers_after_restart: number;
  /** Raises by the worker that has the session, which come only after PostgreSQL was away. */
  readonly retakes: number;
  readonly retakes_without_fault: number;
  /** From the death of a worker to the new holder, without the time that PostgreSQL was away. */
  readonly takeover_p50_ms: number;
  readonly takeover_max_ms: number;
  /** More than five seconds after the dead time. */
  readonly late_takeovers: number;
}

/** `silentMs`: the time after which a worker counts as dead. Also returns what is wrong, as texts. */
export function explainTakeovers(
  raises: readonly TokenRaise[],
  faults: readonly Fault[],
  silentMs: number,
): { readonly report: TakeoverReport; readonly problems: readonly string[] } {
  const restarts = faults.filter(({ type }) => type === "restart");
  const takeovers = raises.flatMap((raise) => {
    if (raise.old_holder === null || raise.old_holder === raise.holder) return [];
    return [{ raise, fault: findFault(raise, faults, silentMs) }];
  });
  const retakes = raises.filter(({ old_holder: old, holder }) => old === holder);
  const strangeRetakes = retakes.filter(({ at }) => !wasAway(faults, at));
  const times = takeovers
    .flatMap(({ raise: { at }, fault }) =>
      fault?.type === "kill" || fault?.type === "freeze"
        ? [at - fault.from - sum(restarts.map((restart) => overlap(restart, fault.from, at)))]
        : [],
    )
    .sort((one, other) => one - other);
  const countAfter = (type?: Fault["type"]) => takeovers.filter(({ fault }) => fault?.type === type).length;
  const strange = takeovers.filter(({ fault }) => fault === undefined).map(({ raise }) => raise);
  return {
    report: {
      takeovers: takeovers.length,
      takeovers_without_fault: countAfter(),
      takeovers_after_stall: countAfter("stall"),
      takeovers_after_restart: countAfter("restart"),
      retakes: retakes.length,
      retakes_without_fault: strangeRetakes.length,
      takeover_p50_ms: Math.round(times[Math.floor(times.length / 2)] ?? 0),
      takeover_max_ms: Math.round(times.at(-1) ?? 0),
      late_takeovers: times.filter((ms) => ms > silentMs + LATE_MS).length,
    },
    problems: [...strange, ...strangeRetakes].map((raise) => `no fault explains the takeover ${JSON.stringify(raise)}`),
  };
}

const LATE_MS = 5_000;
/** How long after an outage a call may be made again. */
const RETRY_MS = 15_000;

/** Whether PostgreSQL was away, then or shortly before. */
export function wasAway(faults: readonly Fault[], at: number): boolean {
  return faults.some(({ type, from, to }) => type === "restart" && from <= at && at < to + RETRY_MS);
}

/** Why the old holder was silent. A worker that comes back is silent until its next beat. */
function findFault(
  { old_holder: worker, at }: TokenRaise,
  faults: readonly Fault[],
  silentMs: number,
): Fault | undefined {
  const possible = faults.filter(
    (fault) => (fault.worker === null || fault.worker === worker) && fault.from <= at && at < fault.to + silentMs,
  );
  const own = possible.findLast(({ type }) => type === "kill" || type === "freeze");
  return own ?? possible.find(({ type }) => type === "restart") ?? possible[0];
}

function overlap({ from, to }: Fault, start: number, end: number): number {
  return Math.max(0, Math.min(to, end) - Math.max(from, start));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
