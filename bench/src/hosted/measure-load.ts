/** Measures many sessions at once on one worker: how many it holds, how soon a reply begins, and what a session costs in memory. */

import { quantile } from "../statistics.ts";
import type { Figures } from "../suite.ts";
import { nowMs } from "./clock.ts";
import { type HostedService, type SentSession, tenantAt } from "./service.ts";

export interface LoadOptions {
  readonly sessions: number;
  readonly startsPerSecond: number;
  readonly log: (text: string) => void;
}

/** Starts the sessions at this rate, and waits until all have ended. */
export async function measureLoad(
  service: HostedService,
  { sessions, startsPerSecond, log }: LoadOptions,
): Promise<Figures> {
  await warmUp(service);
  const ids = await service.createSessions("stream-load", sessions);
  const idle = await service.takeUsage();
  const [startMs, startDeltas] = [nowMs(), service.deltaCount];
  service.resetMaxSize();
  await startSessions(service, ids, startsPerSecond);
  const acceptedSeconds = (nowMs() - startMs) / 1000;
  log(`${sessions} messages accepted in ${acceptedSeconds.toFixed(1)} s; the worker runs ${service.size} sessions`);
  await service.waitUntil(() => ids.every((id) => service.sent.get(id)?.isClosed));
  const usage = await service.takeUsage();
  const seconds = (nowMs() - startMs) / 1000;
  const all = ids.map((id) => service.sent.get(id));
  const exact = all.filter((session) => session?.isExact === true).length;
  const firstDeltas = all.flatMap((session) => (session ? firstDeltaSeconds(session) : []));
  return {
    sessions_held: exact === sessions ? service.maxSize : 0,
    sessions_exact: exact,
    sessions_started: sessions,
    starts_per_second: sessions / acceptedSeconds,
    first_delta_p50_s: quantile(firstDeltas, 0.5),
    first_delta_p95_s: quantile(firstDeltas, 0.95),
    rss_per_session_kb: (service.rssAtMaxSize - idle.rss) / 1024 / service.maxSize,
    rss_idle_mb: idle.rss / 2 ** 20,
    rss_full_mb: service.rssAtMaxSize / 2 ** 20,
    deltas_per_second: (service.deltaCount - startDeltas) / seconds,
    delta_p95_ms: usage.delays.p95,
    load_worker_cpu_share: usage.cpuMs / 1000 / seconds,
  };
}

/** Loads the code of a run, so that it does not count as memory of a session. */
async function warmUp(service: HostedService): Promise<void> {
  const ids = await service.createSessions("stream-warm", 20);
  for (const [index, id] of ids.entries()) await service.send(tenantAt(index), id);
  await service.waitUntil(() => ids.every((id) => service.sent.get(id)?.firstDeltaMs));
  service.tellModel("finish");
  await service.waitUntil(() => ids.every((id) => service.sent.get(id)?.isClosed));
}

/** Does not wait for one message before it sends the next, just as clients do not wait for each other. */
export async function startSessions(
  service: HostedService,
  ids: readonly string[],
  startsPerSecond: number,
): Promise<void> {
  const startMs = nowMs();
  const sending: Promise<void>[] = [];
  while (sending.length < ids.length) {
    const due = Math.min(ids.length, Math.ceil(((nowMs() - startMs) / 1000) * startsPerSecond));
    for (let index = sending.length; index < due; index++)
      sending.push(service.send(tenantAt(index), ids[index] ?? ""));
    await new Promise((resolve) => setTimeout(resolve, 5));
    service.throwErrors();
  }
  await Promise.all(sending);
}

export function firstDeltaSeconds({ acceptedMs, firstDeltaMs }: SentSession): readonly number[] {
  return firstDeltaMs === null ? [] : [(firstDeltaMs - acceptedMs) / 1000];
}
