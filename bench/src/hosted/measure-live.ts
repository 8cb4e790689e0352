/** Measures how soon clients see the text of running replies: one client for each session, over HTTP, with every process of its own. */

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createToken } from "@pith/server";
import { quantile } from "../statistics.ts";
import type { Figures } from "../suite.ts";
import type { FollowersMessage, FollowersResult, FollowRequest } from "./followers.ts";
import type { LiveServerOptions } from "./live-server.ts";
import { startSessions } from "./measure-load.ts";
import { type HostedService, startProcess, tenantAt } from "./service.ts";

export interface LiveOptions {
  readonly liveSessions: number;
  readonly liveStartsPerSecond: number;
  readonly log: (text: string) => void;
}

/** Where clients follow sessions. */
interface LiveServer {
  readonly url: string;
  stop(): void;
}

async function startLiveServer(service: HostedService): Promise<LiveServer> {
  const options: LiveServerOptions = { connectionString: service.connectionString };
  const child = startProcess("live-server.ts", options);
  const [base] = (await once(child, "message")) as [string];
  return { url: base, stop: () => child.disconnect() };
}

export async function measureLive(
  service: HostedService,
  { liveSessions, liveStartsPerSecond, log }: LiveOptions,
): Promise<Figures> {
  const server = await startLiveServer(service);
  const followers = startProcess("followers.ts", {});
  try {
    // Loads the code.
    await runLive(service, { server, followers, prefix: "stream-live-warm", count: 20, startsPerSecond: 20 });
    const load = { prefix: "stream-live", count: liveSessions, startsPerSecond: liveStartsPerSecond };
    const { result, cpuShare } = await runLive(service, { server, followers, ...load });
    const firstSeconds = result.firstTexts.flatMap(([id, timeMs]) => {
      const session = service.sent.get(id);
      return session ? [(timeMs - session.acceptedMs) / 1000] : [];
    });
    log(`${result.exact} of ${liveSessions} clients have exactly the text; ${result.pieces} pieces came`);
    return {
      live_sessions: liveSessions,
      live_sessions_exact: result.exact,
      live_first_delta_p50_s: quantile(firstSeconds, 0.5),
      live_first_delta_p95_s: quantile(firstSeconds, 0.95),
      live_delta_p50_ms: result.delayP50,
      live_delta_p95_ms: result.delayP95,
      live_delta_p99_ms: result.delayP99,
      live_worker_cpu_share: cpuShare,
    };
  } finally {
    server.stop();
    followers.disconnect();
  }
}

interface LiveRun {
  readonly server: LiveServer;
  readonly followers: ChildProcess;
  readonly prefix: string;
  readonly count: number;
  readonly startsPerSecond: number;
}

async function runLive(
  service: HostedService,
  { server, followers, prefix, count, startsPerSecond }: LiveRun,
): Promise<{ readonly result: FollowersResult; readonly cpuShare: number }> {
  const ids = await service.createSessions(prefix, count);
  const tokens = new Map<string, string>();
  for (const tenant of new Set(ids.map((_, index) => tenantAt(index)))) {
    const created = await createToken(service.database, tenant, { name: "bench", scopes: ["read"] });
    tokens.set(tenant, created?.token ?? "");
  }
  const sessions = ids.map((id, index) => ({
    id,
    url: `${server.url}/v1/sessions/${id}/events`,
    token: tokens.get(tenantAt(index)) ?? "",
  }));
  const following = waitFor(followers, "following");
  followers.send({ sessions } satisfies FollowRequest);
  await following;
  const ended = waitFor(followers, "ended");
  await service.takeUsage();
  const startedAt = performance.now();
  await startSessions(service, ids, startsPerSecond);
  const result = await ended;
  const { cpuMs } = await service.takeUsage();
  service.throwErrors();
  return { result, cpuShare: cpuMs / (performance.now() - startedAt) };
}

function waitFor<Type extends FollowersMessage["type"]>(
  followers: ChildProcess,
  type: Type,
): Promise<Extract<FollowersMessage, { type: Type }>> {
  return new Promise((resolve, reject) => {
    const listener = (message: FollowersMessage): void => {
      if (message.type !== type && message.type !== "error") return;
      followers.off("message", listener);
      if (message.type === "error") reject(new Error(`a client failed: ${message.message}`));
      else resolve(message as Extract<FollowersMessage, { type: Type }>);
    };
    followers.on("message", listener);
  });
}
