/** Lists what extensions register, for `pith extensions list`, and inspects an untrusted extension before it is added. */

import { execFile } from "node:child_process";
import { realpathSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { promisify } from "node:util";
import type { ExtensionInfo } from "@pith/agent";
import type { SubcommandCall, SubcommandResult } from "../args/subcommand.ts";
import { parseJsonObject } from "../text/jsonc.ts";
import type { ExtensionOrigin, FoundExtension } from "./extension-files.ts";
import { assembleExtensions, findExtensions, loadExtensions } from "./extensions.ts";

export interface Capabilities extends ExtensionInfo {
  /** Why parts of the extension are ignored. */
  readonly notes: readonly string[];
}

/** Returns one line per kind of capability. Kinds without entries are omitted. */
export function formatCapabilities({
  tools,
  commands,
  states,
  rules,
  events,
  writes,
  notes,
}: Capabilities): readonly string[] {
  const lines: readonly (readonly [string, readonly string[]])[] = [
    ["tools", tools],
    ["commands", commands.map((name) => `/${name}`)],
    ["states", states],
    ["rules", rules],
    ["writes", writes ? ["summaries"] : []],
    ["events", events],
    ["problems", notes],
  ];
  const sections = lines
    .filter(([, names]) => names.length > 0)
    .map(([kind, names]) => `  ${kind}: ${names.join(", ")}`);
  return sections.length === 0 ? ["  registers nothing"] : sections;
}

export const NO_CAPABILITIES: Omit<Capabilities, "name" | "notes"> = {
  events: [],
  tools: [],
  commands: [],
  states: [],
  rules: [],
  writes: false,
};

export async function runListExtensions({
  cwd,
  home,
  environment,
  flags,
  notify,
}: SubcommandCall): Promise<SubcommandResult> {
  const { resolveSettings } = await import("../settings/resolve.ts");
  const effective = await resolveSettings(
    { overrides: {}, trustsProject: flags.trust === true },
    { cwd, home, environment },
  );
  if (effective.type === "mistake") return effective;
  for (const line of effective.notes) notify(`pith: ${line}`);
  const { settings, trustedFolder } = effective;
  if (settings.extensions === false)
    return {
      type: "success",
      text: "No extensions are loaded, because the setting extensions is false.",
      data: { extensions: [], notes: [] },
    };
  const { found } = await findExtensions({ home, trustedFolder, settings });
  const { list = [], notes = [] } =
    (await loadExtensions({ cwd, home, environment, settings, trustedFolder, notify })) ?? {};
  const origins = new Map(found.map(({ name, origin }) => [name, origin]));
  const rows = list.map((info) => ({ ...info, from: origins.get(info.name) ?? ("pith" as const) }));
  const descriptions = rows.map((row) =>
    [`${row.name}, ${ORIGIN_LABELS[row.from]}`, ...formatCapabilities({ ...row, notes: [] })].join("\n"),
  );
  const text = [...(descriptions.length === 0 ? [NO_EXTENSIONS_TEXT] : descriptions), ...notes].join("\n");
  return { type: "success", text, data: { extensions: rows, notes } };
}

const ORIGIN_LABELS: Readonly<Record<ExtensionOrigin | "pith", string>> = {
  pith: "included with Pith",
  user: "yours",
  package: "yours (package)",
  project: "from this project",
};

const NO_EXTENSIONS_TEXT = "No extensions found. Add one with: pith extensions add PATH";

export type InspectionResult =
  | { readonly type: "inspected"; readonly capabilities: Capabilities }
  | { readonly type: "failed"; readonly message: string };

/**
 * Runs an untrusted extension in a restricted process. It cannot write files or start processes.
 * It can read only Pith and `folder`, which contains the extension.
 */
export async function inspectExtension(path: string, folder: string): Promise<InspectionResult> {
  const program = realpathSync(process.argv[1] ?? "");
  const args = ["--permission", ...listReadFlags(program, folder), program, INSPECT_EXTENSION_COMMAND, path];
  // The process inherits no variables of the user, which may contain API keys.
  const env = { PATH: process.env.PATH, HOME: folder, PITH_HOME: folder };
  try {
    const limits = { timeout: INSPECT_TIMEOUT_MS, killSignal: "SIGKILL", maxBuffer: MAX_OUTPUT_BYTES } as const;
    const { stdout } = await execFileAsync(process.execPath, args, { cwd: folder, env, ...limits });
    return parseInspection(stdout);
  } catch (error) {
    const { stderr = "", message } = error as { readonly stderr?: string; readonly message: string };
    const [line = message] = stderr.split("\n").filter((outputLine) => /^pith: /.test(outputLine));
    return { type: "failed", message: line.replace(/^pith: /, "").split("\n")[0] ?? "" };
  }
}

/** Validates the output, because the extension itself may have written to stdout. */
function parseInspection(text: string): InspectionResult {
  const parsed = parseJsonObject(text) ?? {};
  const isList = (value: unknown): boolean => Array.isArray(value) && value.every((item) => typeof item === "string");
  if (!LIST_FIELDS.every((name) => isList(parsed[name])))
    return { type: "failed", message: "it printed invalid output" };
  return { type: "inspected", capabilities: parsed as unknown as Capabilities };
}

const LIST_FIELDS = ["events", "tools", "commands", "states", "rules", "notes"];

/** Internal: Pith calls itself with this command. It is not for users. */
export const INSPECT_EXTENSION_COMMAND = "__extension";

const execFileAsync = promisify(execFile);
const INSPECT_TIMEOUT_MS = 40_000;
const MAX_OUTPUT_BYTES = 1024 * 1024;

/** Permits reading the program and everything it loads: its own folder, or the whole repository if it runs from source. */
function listReadFlags(program: string, folder: string): readonly string[] {
  const programFolder = program.endsWith(".ts") ? join(dirname(program), "../../..") : dirname(program);
  return [programFolder, folder].map((readableFolder) => `--allow-fs-read=${readableFolder}${sep}*`);
}

/** Runs in the restricted process that `inspectExtension` starts. */
export async function readCapabilities(path: string): Promise<Capabilities> {
  const { createExtensionModules } = await import("./load.ts");
  const extension: FoundExtension = { name: path, origin: "user", path, stamp: "0" };
  const report = (): void => {};
  const { list, notes } = await assembleExtensions(createExtensionModules([extension], report), {
    cwd: process.cwd(),
    report,
  });
  return { ...NO_CAPABILITIES, name: path, ...list[0], notes };
}
