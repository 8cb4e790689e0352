/** Restricts settings to what a policy allows. A forbidden flag is a usage error; every other forbidden value is replaced, with a note. */

import type { PermissionMode } from "@pith/agent";
import { findSetting, formatSettingName, formatValue, type SettingField } from "../settings/fields.ts";
import { type UsageError, usageError } from "../text/usage-error.ts";
import { findNearestMode, formatRefusal, type Policy, requiresSandbox } from "./policy.ts";

export type ApplyPolicyResult =
  | { readonly type: "narrowed"; readonly fields: readonly SettingField[]; readonly notes: readonly string[] }
  | UsageError;

/** If several fields set the same setting, the last one applies. */
export function applyPolicy(fields: readonly SettingField[], policy: Policy): ApplyPolicyResult {
  const notes: string[] = [];
  const addedFields: SettingField[] = [];
  for (const { name, narrow } of listLimits(policy)) {
    const setting = findSetting(name.split("."));
    if (!setting)
      return usageError(
        `${policy.path} restricts ${name}, which this version of Pith does not support; install a newer version`,
      );
    const field = fields.findLast(({ path }) => formatSettingName(path) === name);
    const before = field?.value ?? ("value" in setting.fallback ? setting.fallback.value : undefined);
    const after = narrow(before);
    if (after === before) continue;
    if (field) {
      const refusal = formatRefusal(policy, `${name} ${formatValue(before)}`);
      if (field.from === setting.flag) return usageError(`${field.from}: ${refusal}`);
      notes.push(`${field.from}: ${refusal} Using ${formatValue(after)} instead.`);
    }
    addedFields.push({ path: name.split("."), value: after, from: policy.path });
  }
  return { type: "narrowed", fields: [...fields, ...addedFields], notes };
}

interface SettingLimit {
  /** The name of a setting. */
  readonly name: string;
  /** Returns the value to use: the given value if the policy allows it. */
  readonly narrow: (value: unknown) => unknown;
}

const NETWORK_MODES: readonly unknown[] = ["off", "hosts", "open"];

function listLimits(policy: Policy): readonly SettingLimit[] {
  const { permissions, network, secrets, auditLog } = policy;
  const createFixed = (value: unknown) => (): unknown => value;
  return [
    ...(permissions?.modes
      ? [{ name: "permissionMode", narrow: (mode: unknown) => findNearestMode(policy, mode as PermissionMode) }]
      : []),
    ...(network?.mode ? [{ name: "network", narrow: (value: unknown) => limitNetwork(value, network.mode) }] : []),
    ...(requiresSandbox(policy) ? [{ name: "sandbox", narrow: createFixed("on") }] : []),
    ...(secrets?.redact ? [{ name: "secrets.redact", narrow: createFixed("on") }] : []),
    ...(auditLog ? [{ name: "auditLog", narrow: createFixed(true) }] : []),
  ];
}

/** `on` is the former name of `hosts`. */
function limitNetwork(value: unknown, loosest: unknown): unknown {
  return NETWORK_MODES.indexOf(value === "on" ? "hosts" : value) <= NETWORK_MODES.indexOf(loosest) ? value : loosest;
}
