/** Measures how much later another tenant's replies begin while one tenant has thousands of prompts waiting. */

import { setTimeout as wait } from "node:timers/promises";
import { nodeRuntime } from "@pith/context/node";
import { createSession } from "@pith/server";
import { quantile } from "../statistics.ts";
import type { Figures } from "../suite.ts";
import { firstDeltaSeconds } from "./measure-load.ts";
import { type HostedService, tenantAt } from "./service.ts";

export interface FairnessOptions {
  /** The prompts of the first tenant, each in a session of its own. */
  readonly queuedPrompts: number;
  /** The prompts of the other tenant, one after the other. */
  readonly promptsBeside: number;
  readonly log: (text: string) => void;
}

const BUSY_TENANT = 0;
const OTHER_TENANT = 1;

export async function measureFairness(
  service: HostedService,
  { queuedPrompts, promptsBeside, log }: FairnessOptions,
): Promise<Figures> {
  await createAll(service, { prefix: "stream-alone", tenant: OTHER_TENANT, count: promptsBeside });
  await createAll(service, { prefix: "stream-beside", tenant: OTHER_TENANT, count: promptsBeside });
  await createAll(service, { prefix: "stream-queued", tenant: BUSY_TENANT, count: queuedPrompts });
  const alone = await sendOneByOne(service, "stream-alone", promptsBeside);
  for (let index = 0; index < queuedPrompts; index += SENT_AT_ONCE)
    await Promise.all(
      Array.from({ length: Math.min(SENT_AT_ONCE, queuedPrompts - index) }, (_, at) =>
        service.send(tenantAt(BUSY_TENANT), `stream-queued-${index + at}`),
      ),
    );
  const isLeft = (id: string): boolean => !service.sent.get(id)?.isClosed;
  const countLeft = (): number => [...service.sent.keys()].filter(isLeft).length;
  const leftBefore = countLeft();
  const beside = await sendOneByOne(service, "stream-beside", promptsBeside);
  const leftAfter = countLeft();
  log(`${leftBefore} prompts of another tenant waited or ran before, and ${leftAfter} after`);
  return {
    queued_prompts: queuedPrompts,
    queued_prompts_left: leftAfter,
    other_tenant_p50_s: quantile(alone, 0.5),
    other_tenant_beside_p50_s: quantile(beside, 0.5),
    other_tenant_delay_p50_s: quantile(beside, 0.5) - quantile(alone, 0.5),
  };
}

const SENT_AT_ONCE = 20;

interface NewSessions {
  readonly prefix: string;
  readonly tenant: number;
  readonly count: number;
}

async function createAll(service: HostedService, { prefix, tenant, count }: NewSessions): Promise<void> {
  for (let index = 0; index < count; index++) {
    const session = { cwd: "/work", id: `${prefix}-${index}`, runtime: nodeRuntime };
    await (await createSession(service.database, tenantAt(tenant), session)).close();
  }
}

/** Returns the seconds until each reply began. */
async function sendOneByOne(service: HostedService, prefix: string, count: number): Promise<readonly number[]> {
  const seconds: number[] = [];
  for (let index = 0; index < count; index++) {
    const id = `${prefix}-${index}`;
    await service.send(tenantAt(OTHER_TENANT), id);
    await service.waitUntil(() => Boolean(service.sent.get(id)?.firstDeltaMs));
    const session = service.sent.get(id);
    if (session) seconds.push(...firstDeltaSeconds(session));
    await wait(PAUSE_MS);
  }
  return seconds;
}

const PAUSE_MS = 100;
