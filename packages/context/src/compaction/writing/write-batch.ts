/** Writer after writer, until one makes something of the plan that every check accepts. Code itself is the last of them. */

import type { Usage } from "../../message.ts";
import type { Ports } from "../../ports.ts";
import type { Drafted, Session } from "../../session/session.ts";
import { leafOf, type Window } from "../../session/window.ts";
import { commit } from "../commit.ts";
import type { Budget } from "../planning/budget.ts";
import { type Plan, standing } from "../planning/plan.ts";
import type { Finding, Reason, Receipt } from "../receipt.ts";
import { COMPACTION_USAGE, spentLately } from "../spending.ts";
import { attempted } from "./attempted.ts";
import type { Writer, Written } from "./candidate.ts";
import { modelFreeWriter } from "./model-free-writer.ts";

export interface WriteParts {
  readonly session: Session;
  readonly ports: Pick<Ports, "now" | "entryId">;
  readonly reason: Reason;
  /** In order of preference; where none of them succeeds, code writes alone. */
  readonly writers?: readonly Writer[];
  readonly signal?: AbortSignal;
}

export type WrittenBatch =
  | {
      readonly type: "ready";
      readonly id: string;
      /** The leaf it was made for. */
      readonly leaf: string | null;
      readonly drafts: readonly Drafted[];
      readonly receipt: Receipt;
    }
  | { readonly type: "cancelled" }
  | {
      readonly type: "refused" | "leaf-moved";
      readonly findings: readonly Finding[];
      readonly usages: readonly Drafted[];
    };

export async function writeBatch(first: Plan, parts: WriteParts): Promise<WrittenBatch> {
  const { session, ports, signal, reason } = parts;
  const begun = ports.now();
  const findings: Finding[] = [];
  const usages: Drafted[] = [];
  for (const writer of [...(parts.writers ?? []), modelFreeWriter]) {
    const written = await tried(writer, first, parts);
    if (written.type === "cancelled" || signal?.aborted) return { type: "cancelled" };
    if (written.type === "failed") findings.push({ code: written.code, note: written.why });
    if (written.type === "failed" && written.usage) usages.push(usageOf(written.usage, first));
    if (written.type !== "written") continue;

    const plan = standing(written.plan ?? first, session.window);
    if (!plan) return { type: "leaf-moved", findings, usages };
    const { candidate } = written;
    const calls = usages.length + (candidate.usage ? 1 : 0);
    const now = ports.now();
    const occasion = { id: ports.entryId(), reason, now, durationMs: now - begun, findings, calls };
    const committed = commit(plan, candidate, occasion);
    if (committed.type === "ready")
      return {
        ...committed,
        id: occasion.id,
        leaf: leafOf(plan.window),
        drafts: [...usages, ...committed.drafts],
      };
    findings.push(committed.finding);
    if (candidate.usage) usages.push(usageOf(candidate.usage, first));
  }
  return { type: "refused", findings, usages };
}

type Tried = Exclude<Written, { type: "failed" }> | (Extract<Written, { type: "failed" }> & Pick<Finding, "code">);

async function tried(writer: Writer, plan: Plan, { session, ports, signal }: WriteParts): Promise<Tried> {
  // GUARD3
  if (writer.isPaid && isSpent(session.window, plan.budget, ports)) return { type: "failed", ...SPENT };
  const act = await attempted(() => writer.write(plan, signal ? { signal } : {}), [signal]);
  if (act.type === "aborted") return { type: "cancelled" };
  if (act.type === "failed") return { type: "failed", code: "writer-failed", why: `${writer.route}: ${act.why}` };
  const written = act.value;
  if (written.type !== "failed") return written;
  return { ...written, code: "writer-failed", why: `${writer.route}: ${written.why}` };
}

const SPENT = { code: "spend-limit", why: "summaries have cost as much as they may within an hour" } as const;

function isSpent(window: Window, { limits: { hourly } }: Budget, { now }: WriteParts["ports"]): boolean {
  const spent = spentLately(window, new Date(now()).toISOString());
  return spent.length >= hourly.calls || spent.reduce((sum, { cost }) => sum + cost, 0) >= hourly.cost;
}

function usageOf(usage: Usage, { budget: { to } }: Plan): Drafted {
  return { type: "usage", kind: COMPACTION_USAGE, provider: to?.provider ?? "", model: to?.model ?? "", usage };
}
