/** Reads and writes the settings of a tenant, and applies them over those of the operator. */

import { buildSettings, formatSettingName, formatValue, listFields } from "@pith/host/settings/fields";
import { collectFindings, type Finding } from "@pith/host/settings/parse";
import type { Settings } from "@pith/host/settings/settings";
import { isObject, type JsonObject } from "@pith/host/text/jsonc";
import type { Database } from "../store/connect.ts";
import { checkTenant } from "../store/sessions.ts";
import { findAllowedSetting, listAllowedNames, OWN_KINDS } from "./setting-access.ts";

/** What a tenant has set. `setting-access.ts` says which settings it may set, and why. */
export interface TenantSettings
  extends Pick<
    Settings,
    | ("model" | "thinking" | "permissionMode" | "network" | "tools" | "contextWindow" | "contextFiles" | "skills")
    | ("compaction" | "branchSummary")
  > {
  /** Public hosts that commands and `fetch` reach without a question. */
  readonly hosts?: readonly string[];
  /** A text at the end of the system prompt. */
  readonly instructions?: string;
  /** Sessions that have not changed for so many days are erased. Absent: never. */
  readonly retentionDays?: number;
}

export type WriteSettingsResult =
  | { readonly type: "saved"; readonly settings: TenantSettings }
  /** Each problem names the setting, and says what to write instead. */
  | { readonly type: "invalid"; readonly problems: readonly string[] };

/** What a tenant has set; empty if it has set nothing. */
export async function readTenantSettings(database: Database, tenant: string): Promise<TenantSettings> {
  checkTenant(tenant);
  const [row] = await database.readRows<{ settings: string }>("read_tenant", [tenant]);
  return row ? (JSON.parse(row.settings) as TenantSettings) : {};
}

/** Replaces the settings of a tenant; it exists from then on. `operator`: the operator's settings, which limit some values. */
export async function writeTenantSettings(
  database: Database,
  tenant: string,
  value: unknown,
  { operator = {} }: { readonly operator?: Settings } = {},
): Promise<WriteSettingsResult> {
  checkTenant(tenant);
  const { settings, problems } = checkTenantSettings(value, operator);
  if (problems.length > 0) return { type: "invalid", problems: problems.slice(0, MAX_PROBLEMS) };
  const text = JSON.stringify(settings);
  if (text.length > MAX_CHARS)
    return { type: "invalid", problems: [`the settings are longer than ${MAX_CHARS} characters; shorten them`] };
  await database.call("write_settings", [tenant, text, settings.retentionDays ?? null]);
  return { type: "saved", settings };
}

const MAX_PROBLEMS = 12;
const MAX_CHARS = 64 * 1024;

interface CheckedSettings {
  /** Without what has a problem. */
  readonly settings: TenantSettings;
  readonly problems: readonly string[];
}

function checkTenantSettings(value: unknown, operator: Settings): CheckedSettings {
  if (!isObject(value))
    return {
      settings: {},
      problems: [`settings are an object, such as { "model": "sonnet" }, not ${formatValue(value)}`],
    };
  const entries = Object.entries(value);
  const own = entries.filter(([name]) => Object.hasOwn(OWN_KINDS, name));
  const others: JsonObject = Object.fromEntries(entries.filter(([name]) => !Object.hasOwn(OWN_KINDS, name)));
  const checkedOwn = own.map(([name, each]) => ({ name, value: each, problem: findOwnProblem(name, each) }));
  const checked = collectFindings(others).map((finding) => ({ ...finding, problem: findProblem(finding, operator) }));
  const fields = checked
    .filter(({ problem }) => problem === null)
    .map(({ path, value: each }) => ({ path, value: each, from: "" }));
  return {
    settings: {
      ...buildSettings(fields),
      ...Object.fromEntries(
        checkedOwn.filter(({ problem }) => problem === null).map((each) => [each.name, each.value]),
      ),
    },
    problems: [...checked, ...checkedOwn].flatMap(({ problem }) => problem ?? []),
  };
}

function findOwnProblem(name: string, value: unknown): string | null {
  const kind = OWN_KINDS[name as keyof typeof OWN_KINDS];
  return kind.isValid(value) ? null : `${name} is ${formatValue(value)}; expected ${kind.expected}`;
}

function findProblem({ path, value, type, describe }: Finding, operator: Settings): string | null {
  const name = formatSettingName(path);
  const allowed = findAllowedSetting(path);
  if (!allowed || type === "ignored" || type === "misplaced")
    return `${name} cannot be set here; the settings are ${listAllowedNames().join(", ")}`;
  if (type !== "valid") return `${name} ${describe()}`;
  const problem = allowed.findProblem?.(value, operator) ?? null;
  return problem === null ? null : `${name} ${problem}`;
}

/** What the settings of a tenant make of the operator's. */
export interface AppliedSettings {
  readonly settings: Settings;
  readonly hosts: readonly string[];
  readonly instructions: string | undefined;
}

/** A value that the operator no longer allows does not count. */
export function applyTenantSettings(stored: TenantSettings, operator: Settings): AppliedSettings {
  const { hosts = [], instructions, retentionDays: _, ...settings } = checkTenantSettings(stored, operator).settings;
  const { policy } = operator;
  return {
    settings: {
      ...buildSettings([...listFields(operator, "operator"), ...listFields(settings, "tenant")]),
      ...(policy && { policy }),
    },
    hosts,
    instructions,
  };
}
