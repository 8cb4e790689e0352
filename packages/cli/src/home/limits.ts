/** The settings of compaction as limits: each amount as particular as it was set, and of the thresholds the lowest. */

import type { LimitsFor } from "@pith/agent";
import { compactionLimits } from "@pith/context";
import { providers } from "@pith/models";
import type { CompactionAmounts, CompactionSettings } from "./settings.ts";

export interface LimitsWish {
  /** The agent that works, where it has a name. */
  readonly agent?: string;
}

export function limitsOf(settings: CompactionSettings = {}, { agent }: LimitsWish = {}): LimitsFor {
  const { enabled = compactionLimits.enabled, softPercent } = settings;
  return ({ provider, model }) => {
    const own = [
      named(settings.agentOverrides, agent),
      ...namesOf(provider).map((name) => named(settings.modelOverrides, `${name}/${model}`)),
      settings,
    ];
    const amount = (name: keyof CompactionAmounts): number | undefined =>
      own.map((amounts) => amounts[name]).find((value) => value !== undefined);
    const [reserve = RESERVE, percent, tokens] = [
      amount("reserveTokens"),
      amount("thresholdPercent"),
      amount("thresholdTokens"),
    ];
    const { tail } = compactionLimits;
    return {
      ...compactionLimits,
      enabled,
      ...(softPercent !== undefined && { soft: softPercent / 100 }),
      thresholds: [{ reserve, ...(percent !== undefined && { percent }), ...(tokens !== undefined && { tokens }) }],
      tail: { ...tail, tokens: amount("keepRecentTokens") ?? tail.tokens },
    };
  };
}

const RESERVE = compactionLimits.thresholds[0]?.reserve ?? 0;

/** A provider that goes by two names is overridden by either. */
function namesOf(provider: string): readonly string[] {
  return [provider, ...providers.filter(({ seller }) => seller === provider).map(({ id }) => id)];
}

function named(overrides: CompactionSettings["modelOverrides"] = {}, name?: string): CompactionAmounts {
  return (name !== undefined && Object.hasOwn(overrides, name) && overrides[name]) || {};
}
