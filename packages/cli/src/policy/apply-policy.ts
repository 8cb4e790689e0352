/** Narrows settings to what a policy allows, whoever set them. A flag that the policy forbids is a mistake; anything else is narrowed with a note. */

import type { PermissionMode } from "@pith/agent";
import { type Field, settingAt, shown, shownName } from "../settings/fields.ts";
import { type Mistake, mistake } from "../text/usage-error.ts";
import { forbidden, nearestMode, type Policy, requiresSandbox } from "./policy.ts";

export type Narrowed =
  | { readonly type: "narrowed"; readonly fields: readonly Field[]; readonly notes: readonly string[] }
  | Mistake;

/** Of the fields for one setting the last counts, as in `settingsFrom`. */
export function applyPolicy(fields: readonly Field[], policy: Policy): Narrowed {
  const notes: string[] = [];
  const added: Field[] = [];
  for (const { name, narrow } of limitsOf(policy)) {
    const setting = settingAt(name.split("."));
    if (!setting)
      return mistake(`${policy.path} wants ${name}, which this version of Pith does not have; install a newer one`);
    const own = fields.findLast(({ path }) => shownName(path) === name);
    const before = own?.value ?? ("value" in setting.fallback ? setting.fallback.value : undefined);
    const after = narrow(before);
    if (after === before) continue;
    if (own) {
      const refusal = forbidden(policy, `${name} ${shown(before)}`);
      if (own.from === setting.flag) return mistake(`${own.from}: ${refusal}`);
      notes.push(`${own.from}: ${refusal} ${shown(after)} is used.`);
    }
    added.push({ path: name.split("."), value: after, from: policy.path });
  }
  return { type: "narrowed", fields: [...fields, ...added], notes };
}

interface Limit {
  /** Of a setting. */
  readonly name: string;
  /** The value that holds; the same where it is allowed. */
  readonly narrow: (value: unknown) => unknown;
}

const NETWORKS: readonly unknown[] = ["off", "hosts", "open"];

function limitsOf(policy: Policy): readonly Limit[] {
  const { permissions, network, secrets, auditLog } = policy;
  const always = (value: unknown) => (): unknown => value;
  return [
    ...(permissions?.modes
      ? [{ name: "permissionMode", narrow: (mode: unknown) => nearestMode(policy, mode as PermissionMode) }]
      : []),
    ...(network?.mode ? [{ name: "network", narrow: (value: unknown) => stricterNetwork(value, network.mode) }] : []),
    ...(requiresSandbox(policy) ? [{ name: "sandbox", narrow: always("on") }] : []),
    ...(secrets?.redact ? [{ name: "secrets.redact", narrow: always("on") }] : []),
    ...(auditLog ? [{ name: "auditLog", narrow: always(true) }] : []),
  ];
}

/** `on` is what `hosts` was called once. */
function stricterNetwork(value: unknown, most: unknown): unknown {
  return NETWORKS.indexOf(value === "on" ? "hosts" : value) <= NETWORKS.indexOf(most) ? value : most;
}
