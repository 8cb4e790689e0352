/**
 * Resolves the effective settings and their sources, in this order: flag, variable, trusted project file, user's file, default.
 * A policy limits the result.
 */

import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { HostContext } from "@pith/host/host-context";
import { type ApplyPolicyResult, applyPolicy } from "@pith/host/policy/apply-policy";
import { type PolicyLocation, readPolicy } from "@pith/host/policy/policy-file";
import type { ResolvedSettings } from "@pith/host/resources/guidance";
import {
  buildSettings,
  findSetting,
  formatSettingName,
  formatValue,
  listFields,
  type SettingField,
} from "@pith/host/settings/fields";
import { type ParseSettingsResult, parseSettings, parseVariables } from "@pith/host/settings/parse";
import type { Settings, SettingsOverrides } from "@pith/host/settings/settings";
import { type UsageError, usageError } from "@pith/host/text/usage-error";
import { type FolderTrust, listTrustedFiles } from "@pith/host/trust/folder-trust";
import { checkTrust, formatTrustNotice, TRUSTED_HASH_VARIABLE } from "../trust/trust.ts";

/** Reads the user's settings file. A missing file is not an error. */
export async function readSettings(home: string): Promise<ParseSettingsResult> {
  const file = settingsFilePath(home);
  try {
    return parseSettings(await readFile(file, "utf8"), file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return { type: "read", fields: [], notes: [], formatLocation: () => file };
    return usageError(`${file} cannot be read: ${message}`);
  }
}

export function settingsFilePath(home: string): string {
  return join(home, "settings.json");
}

export interface ProjectFields {
  readonly fields: readonly SettingField[];
  /** The ignored fields, and where to set them instead. */
  readonly notes: readonly string[];
}

export interface UserSettings {
  /** The fields in the user's settings file. */
  readonly fields: readonly SettingField[];
  readonly file: string;
}

/** Removes fields that even a trusted project may not set, because they could expose a key or a secret, or weaken a protection. */
export function filterProjectFields(
  { fields, formatLocation }: Extract<ParseSettingsResult, { type: "read" }>,
  userSettings: UserSettings,
): ProjectFields {
  const checkedFields = fields.map((field) => ({ field, refusal: findProjectRefusal(field, userSettings) }));
  return {
    fields: checkedFields.flatMap(({ field, refusal }) => (refusal === null ? [field] : [])),
    notes: checkedFields.flatMap(({ field: { path }, refusal }) =>
      refusal === null ? [] : [`${formatLocation(path)}: ${formatSettingName(path)} ${refusal}`],
    ),
  };
}

/** Returns the refusal as the end of a sentence that starts with the setting's name. Null if the project may set it. */
function findProjectRefusal({ path, value }: SettingField, userSettings: UserSettings): string | null {
  const setting = findSetting(path);
  if (!setting || setting.projectAccess === "allowed") return null;
  if (setting.projectAccess === "never")
    return `cannot be set by a project, so it is ignored; set it in ${userSettings.file}`;
  const name = formatSettingName(path);
  const userValue =
    userSettings.fields.findLast((field) => formatSettingName(field.path) === name)?.value ??
    ("value" in setting.fallback ? setting.fallback.value : undefined);
  if (setting.projectAccess(value, userValue)) return null;
  return `${formatValue(value)} is less strict than your ${formatValue(userValue)}, so it is ignored; set it in ${userSettings.file}`;
}

export type LoadSettingsResult =
  | {
      readonly type: "resolved";
      readonly settings: Settings;
      /** The source of each setting, by its name: a file, a variable or a flag. Settings with their default value are not included. */
      readonly sources: SettingSources;
      readonly notes: readonly string[];
    }
  | UsageError;

export type SettingSources = ReadonlyMap<string, string>;

export interface LoadSettingsOptions extends Pick<HostContext, "home" | "environment"> {
  /** The project's settings file, as it was trusted. Absent or null if there is none, or if it is not trusted. */
  readonly projectFile?: ProjectSettingsFile | null;
  /** The location of the policy, for tests only. It cannot be set from outside the program. */
  readonly policyLocation?: PolicyLocation;
}

export interface ProjectSettingsFile {
  readonly path: string;
  readonly text: string;
}

export async function loadSettings(
  overrides: SettingsOverrides,
  options: LoadSettingsOptions,
): Promise<LoadSettingsResult> {
  const { environment, home, projectFile, policyLocation } = options;
  const policyResult = await readPolicy(policyLocation);
  if (policyResult.type === "mistake") return policyResult;
  const userSettings = await readSettings(home);
  if (userSettings.type === "mistake") return userSettings;
  const projectResult = parseProjectFields(projectFile ?? null, {
    fields: userSettings.fields,
    file: settingsFilePath(home),
  });
  if ("type" in projectResult) return projectResult;
  const variables = parseVariables(environment);
  if (variables.type === "mistake") return variables;
  const overrideFields = [...variables.fields, ...listFlagFields(overrides)];
  const mergedFields = [
    ...dropOtherModelBaseUrl(overrideFields, userSettings.fields),
    ...projectResult.fields,
    ...overrideFields,
  ];
  const limitedSettings: ApplyPolicyResult =
    policyResult.type === "policy"
      ? applyPolicy(mergedFields, policyResult.policy)
      : { type: "narrowed", fields: mergedFields, notes: [] };
  if (limitedSettings.type === "mistake") return limitedSettings;
  const { fields } = limitedSettings;
  return {
    type: "resolved",
    settings: { ...buildSettings(fields), ...(policyResult.type === "policy" && { policy: policyResult.policy }) },
    sources: new Map(fields.map(({ path, from }) => [formatSettingName(path), from])),
    notes: [...userSettings.notes, ...projectResult.notes, ...limitedSettings.notes],
  };
}

function parseProjectFields(
  projectFile: ProjectSettingsFile | null,
  userSettings: UserSettings,
): ProjectFields | UsageError {
  if (projectFile === null) return { fields: [], notes: [] };
  const result = parseSettings(projectFile.text, projectFile.path, "project");
  if (result.type === "mistake") return result;
  const { fields, notes } = filterProjectFields(result, userSettings);
  return { fields, notes: [...result.notes, ...notes] };
}

function listFlagFields(overrides: SettingsOverrides): readonly SettingField[] {
  return listFields(overrides, "").map((field) => ({ ...field, from: findSetting(field.path)?.flag ?? "a flag" }));
}

/** Drops the user's base URL if a flag or variable chooses another model: that provider's key must not be sent to the URL. */
function dropOtherModelBaseUrl(
  overrideFields: readonly SettingField[],
  userFields: readonly SettingField[],
): readonly SettingField[] {
  const findModel = (fields: readonly SettingField[]): unknown =>
    fields.findLast(({ path }) => path[0] === "model")?.value;
  const requestedModel = findModel(overrideFields);
  const isOtherModel = requestedModel !== undefined && requestedModel !== findModel(userFields);
  return isOtherModel ? userFields.filter(({ path }) => path[0] !== "baseUrl") : userFields;
}

/** Returns exactly the bytes that were trusted; null if there is no trusted settings file. */
function getProjectSettingsFile(folder: FolderTrust): ProjectSettingsFile | null {
  const nearestFile = listTrustedFiles(folder, "settings").at(-1);
  return nearestFile ? { path: nearestFile.path, text: new TextDecoder().decode(nearestFile.bytes) } : null;
}

export type EffectiveSettings = ResolvedSettings | UsageError;

export interface ProcessContext extends Pick<HostContext, "cwd" | "home" | "environment"> {
  /** The user's home folder. Default: `os.homedir()`. */
  readonly userHome?: string;
}

export interface ResolveSettingsOptions {
  readonly overrides: SettingsOverrides;
  /** Whether the model in `overrides` was chosen at the first start, not with a flag. */
  readonly isModelChosenAtStartup?: boolean;
  /** Whether the folder is trusted for this call. */
  readonly trustsProject: boolean;
}

export async function resolveSettings(
  { overrides, isModelChosenAtStartup = false, trustsProject }: ResolveSettingsOptions,
  context: ProcessContext,
): Promise<EffectiveSettings> {
  const folderTrust = await checkTrust({
    userHome: homedir(),
    ...context,
    isTrustedForRun: trustsProject,
    trustedHash: context.environment[TRUSTED_HASH_VARIABLE],
  });
  const result = await loadSettings(overrides, { ...context, projectFile: getProjectSettingsFile(folderTrust) });
  if (result.type === "mistake") return result;
  const notice = formatTrustNotice(folderTrust);
  const notes = [...folderTrust.notes, ...result.notes, ...(notice === null ? [] : [notice])];
  const sources = isModelChosenAtStartup
    ? new Map([...result.sources, ["model", "chosen at startup"]])
    : result.sources;
  return { ...result, sources, trustedFolder: folderTrust, notes };
}
