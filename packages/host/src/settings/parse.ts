/** Parses settings files and environment variables into fields, or reports each error with its location and what to write instead. */

import type { Environment } from "@pith/models";
import { isObject, type JsonObject, parseJsonc } from "../text/jsonc.ts";
import { findNearest, type UsageError, usageError } from "../text/usage-error.ts";
import { booleanKind, type Setting } from "./definitions.ts";
import {
  findFirstNestedSetting,
  findSetting,
  formatSettingName,
  formatValue,
  type SettingField,
  type SettingPath,
  validateSetting,
} from "./fields.ts";
import { settingTable } from "./table.ts";

export interface NonSettingHint {
  /** Tells the user what to write instead. */
  readonly text: string;
  /** Whether ignoring the name would be dangerous, so that the program stops. */
  readonly isError: boolean;
}

/** Returns a hint for a name that users may expect to be a setting, so that it is never ignored silently. Null for other names. */
function findNonSettingHint(path: SettingPath): NonSettingHint | null {
  const [name = ""] = path;
  return path.length === 1 && Object.hasOwn(NON_SETTING_HINTS, name) ? (NON_SETTING_HINTS[name] ?? null) : null;
}

const rulesHint = { text: "pass rules with --allow and --deny", isError: true };
const keysHint = { text: "API keys are read from environment variables or keys.json", isError: false };
const networkHint = { text: "set the environment variables HTTPS_PROXY and NO_PROXY", isError: false };
const executionHint = { text: "settings cannot run commands, except for mcpServers", isError: false };

const NON_SETTING_HINTS: Readonly<Record<string, NonSettingHint>> = {
  allow: rulesHint,
  deny: rulesHint,
  permissions: rulesHint,
  mode: { text: "use permissionMode", isError: true },
  autoCompact: { text: 'use "compaction": { "enabled": false }', isError: true },
  apiKey: keysHint,
  apiKeys: keysHint,
  keys: keysHint,
  proxy: networkHint,
  httpProxy: networkHint,
  httpsProxy: networkHint,
  headers: { text: "custom request headers are not supported", isError: false },
  env: { text: "set environment variables in the shell that starts Pith", isError: false },
  command: executionHint,
  commands: executionHint,
  hooks: executionHint,
};

export type ParseSettingsResult =
  | {
      readonly type: "read";
      readonly fields: readonly SettingField[];
      readonly notes: readonly string[];
      /** Returns `file:line` of a setting's value. */
      readonly formatLocation: (path: SettingPath) => string;
    }
  | UsageError;

/** A misplaced name in a project's file is only a warning, because the user may not be its author. In the user's file it is an error. */
export function parseSettings(text: string, file: string, owner: "user" | "project" = "user"): ParseSettingsResult {
  if (text.length > MAX_SETTINGS_CHARS) return usageError(`${file} is too large for a settings file`);
  const json = parseJsonc(text);
  if (json.type === "invalid") return usageError(`${file}:${json.line}:${json.column}: ${json.message}`);
  const formatLocation = (path: SettingPath): string => `${file}:${json.findLine(path)}`;
  const findings = collectFindings(json.value);
  const formatFinding = ({ path, describe }: Finding): string =>
    `${formatLocation(path)}: ${formatSettingName(path)} ${describe()}`;
  const errors = findings.filter(({ type }) => type === "invalid" || (type === "misplaced" && owner === "user"));
  if (errors.length > 0) return usageError(formatFindings(errors, formatFinding).join("\n"));
  const warnings = findings.filter(({ type }) => type === "misplaced" || type === "ignored");
  const fields = findings.flatMap(({ type, path, value }) => (type === "valid" ? [{ path, value, from: file }] : []));
  return { type: "read", fields, notes: formatFindings(warnings, formatFinding), formatLocation };
}

const MAX_SETTINGS_CHARS = 256 * 1024;

export interface Finding {
  readonly path: SettingPath;
  readonly value: unknown;
  /** `misplaced`: not a setting, but dangerous to ignore. `ignored`: unknown or empty. */
  readonly type: "valid" | "invalid" | "misplaced" | "ignored";
  /** Returns the end of a sentence that starts with the setting's name. */
  readonly describe: () => string;
}

/** Checks each setting of an object, and each name in it that is none. */
export function collectFindings(object: JsonObject, parentPath: SettingPath = []): readonly Finding[] {
  return Object.entries(object).flatMap(([name, value]): readonly Finding[] => {
    const path = [...parentPath, name];
    const nestedSetting = findFirstNestedSetting(path);
    if (nestedSetting) return collectGroupFindings(path, value, nestedSetting);
    if (!findSetting(path)) return isSchemaReference(path) ? [] : [{ path, value, ...describeUnknownSetting(path) }];
    const fault = validateSetting(path, value);
    return [{ path, value, type: fault === null ? "valid" : "invalid", describe: () => fault ?? "" }];
  });
}

function collectGroupFindings(path: SettingPath, value: unknown, { name, nameKind }: Setting): readonly Finding[] {
  const [segment, nextSegment] = name.split(".").slice(path.length - 1);
  const createError = (message: string): readonly Finding[] => [
    { path, value, type: "invalid", describe: () => message },
  ];
  if (segment === "*" && nameKind && !nameKind.isValid(path.at(-1)))
    return createError(`has an invalid name; expected ${nameKind.expected}`);
  const isEmpty = segment === "*" && isObject(value) && Object.keys(value).length === 0;
  if (isObject(value) && !isEmpty) return collectFindings(value, path);
  const example =
    nextSegment === "*"
      ? '{ "NAME": { … } }'
      : nextSegment === "enabled"
        ? '{ "enabled": true }'
        : `{ "${nextSegment}": … }`;
  if (isEmpty)
    return [{ path, value, type: "ignored", describe: () => `is empty and has no effect; expected ${example}` }];
  return createError(`is ${formatValue(value)}; expected ${example}`);
}

function describeUnknownSetting(path: SettingPath): Pick<Finding, "type" | "describe"> {
  const hint = findNonSettingHint(path);
  if (hint) return { type: hint.isError ? "misplaced" : "ignored", describe: () => `is not a setting; ${hint.text}` };
  return { type: "ignored", describe: () => `is not a setting${suggestSetting(path)}` };
}

/** `$schema` is for editors only. */
function isSchemaReference(path: SettingPath): boolean {
  return path.join(".") === "$schema";
}

function suggestSetting(path: SettingPath): string {
  const names = settingTable.map(({ name }) => name).filter((name) => !name.includes("*"));
  const suggestion = findNearest(formatSettingName(path), names);
  return suggestion === null ? "; run pith settings to list all settings" : `; did you mean ${suggestion}?`;
}

/** Limits the number of reported findings. */
function formatFindings(findings: readonly Finding[], format: (finding: Finding) => string): readonly string[] {
  const lines = findings.slice(0, MAX_REPORTED_FINDINGS).map(format);
  return findings.length <= MAX_REPORTED_FINDINGS
    ? lines
    : [...lines, `and ${findings.length - MAX_REPORTED_FINDINGS} more`];
}

const MAX_REPORTED_FINDINGS = 12;

export type ParseVariablesResult = { readonly type: "read"; readonly fields: readonly SettingField[] } | UsageError;

/** An empty variable is ignored. */
export function parseVariables(environment: Environment): ParseVariablesResult {
  const results = settingTable.flatMap(({ variable, ...setting }) => {
    const text = variable === undefined ? undefined : environment[variable]?.trim();
    return variable === undefined || !text ? [] : [parseVariable(setting, { variableName: variable, text })];
  });
  const faults = results.flatMap(({ fault }) => (fault === null ? [] : [fault]));
  if (faults.length > 0) return usageError(faults.join("\n"));
  return { type: "read", fields: results.flatMap(({ field }) => (field ? [field] : [])) };
}

interface VariableResult {
  readonly field: SettingField | null;
  readonly fault: string | null;
}

interface VariableInput {
  readonly variableName: string;
  readonly text: string;
}

function parseVariable({ name, kind }: Setting, { variableName, text }: VariableInput): VariableResult {
  if (kind === booleanKind) return parseOffSwitch(name, { variableName, text });
  const path = name.split(".");
  const fault = validateSetting(path, text);
  if (fault !== null) return { field: null, fault: `${variableName} ${fault}` };
  return { field: { path, value: text, from: variableName }, fault: null };
}

/** A variable for a boolean setting, such as `PITH_DISABLE_AUTOCOMPACT=1`, can only switch it off. */
function parseOffSwitch(name: string, { variableName, text }: VariableInput): VariableResult {
  if (TRUE_PATTERN.test(text))
    return { field: { path: name.split("."), value: false, from: variableName }, fault: null };
  return {
    field: null,
    fault: FALSE_PATTERN.test(text) ? null : `${variableName} is ${formatValue(text)}; set it to 1 or unset it`,
  };
}

const TRUE_PATTERN = /^(?:1|true|yes|on)$/i;
const FALSE_PATTERN = /^(?:0|false|no|off)$/i;
