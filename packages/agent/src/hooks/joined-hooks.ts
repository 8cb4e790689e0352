/** The hooks of several hosts as those of one: each host's are asked behind those of the one before it. */

import type { HookFailure } from "@pith/context";
import type { AgentHooks } from "../agent-parts.ts";

/** Every host is told what went wrong; an act does not happen without a hook that failed as soon as one of them wants it so. */
export function joinedHooks(...hosts: readonly AgentHooks[]): AgentHooks {
  const joined: Record<string, unknown> = {};
  for (const host of hosts)
    for (const [name, hooks] of Object.entries(host))
      if (Array.isArray(hooks) && hooks.length > 0) joined[name] = [...((joined[name] as readonly []) ?? []), ...hooks];
  const reports = hosts.flatMap(({ report }) => report ?? []);
  return {
    ...joined,
    ...(reports.length > 0 && { report: (failure: HookFailure) => tellAll(reports, failure) }),
    ...(hosts.some(({ isAsking }) => isAsking) && { isAsking: () => hosts.some(({ isAsking }) => isAsking?.()) }),
    ...(hosts.some(({ onFailure }) => onFailure === "cancel") && { onFailure: "cancel" as const }),
  };
}

type Report = (failure: HookFailure) => void;

/** One that throws keeps nobody from hearing it. */
function tellAll([first, ...rest]: readonly Report[], failure: HookFailure): void {
  try {
    first?.(failure);
  } finally {
    if (rest.length > 0) tellAll(rest, failure);
  }
}
