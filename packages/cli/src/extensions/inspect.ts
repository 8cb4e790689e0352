/** Lists what extensions register, for `pith extensions list`, and inspects an untrusted extension before it is added. */

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, dirname, join, sep } from "node:path";
import type { ExtensionInfo } from "@pith/agent";
import type { Bubblewrap } from "@pith/agent/node";
import type { ExtensionOrigin, FoundExtension } from "@pith/host/extensions/extension-files";
import { assembleExtensions, findExtensions, loadExtensions } from "@pith/host/extensions/extensions";
import { createExtensionModules } from "@pith/host/extensions/load";
import { parseJsonObject } from "@pith/host/text/jsonc";
import { quoteIfNeeded } from "@pith/host/text/shell-words";
import type { Environment } from "@pith/models";
import { version } from "../args/help.ts";
import type { SubcommandCall, SubcommandResult } from "../args/subcommand.ts";
import { listCommandNames } from "../commands/names.ts";
import { listBundledExtensions } from "./bundled.ts";

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

const NO_CAPABILITIES: Omit<Capabilities, "name" | "notes"> = {
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
    (await loadExtensions({
      ...{
        cwd,
        home,
        userHome: homedir(),
        environment,
        settings,
        trustedFolder,
        notify,
        readVersion: async () => version(),
      },
      bundled: listBundledExtensions({ home, environment, trustedFolder, notify }),
      commandNames: listCommandNames,
    })) ?? {};
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
  /** There is no sandbox on this machine, so nothing of the extension was run. */
  | { readonly type: "not-run"; readonly why: string }
  | { readonly type: "failed"; readonly message: string };

export interface InspectionOptions {
  /** The folder with the files of the extension. */
  readonly folder: string;
  readonly environment: Environment;
}

/**
 * Runs an untrusted extension in bubblewrap: without a network, the user's home, folder and variables, and with nothing to write but a
 * temporary folder. What it registers is what it claims: it may register something else later.
 */
export async function inspectExtension(path: string, options: InspectionOptions): Promise<InspectionResult> {
  const { detectBubblewrap } = await import("@pith/agent/node");
  const { folder, environment } = options;
  const detection = await detectBubblewrap({ root: folder, environment });
  if (detection.type === "unavailable") return { type: "not-run", why: detection.why };
  const output = await runInSandbox([INSPECT_EXTENSION_COMMAND, path], { ...options, bubblewrap: detection.program });
  if (output.exitCode === 0) return parseInspection(output.text);
  const line = output.text.split("\n").find((each) => each.startsWith("pith: ")) ?? output.message;
  return { type: "failed", message: line.replace(/^pith: /, "") };
}

interface SandboxOutput {
  readonly exitCode: number | null;
  /** What the program wrote; after a failure, also its errors. */
  readonly text: string;
  /** Why it did not end by itself, or how it ended. */
  readonly message: string;
}

/** Runs Pith itself, with Node's permission model inside of the sandbox: it reads only its own program and the extension. */
async function runInSandbox(
  args: readonly string[],
  { folder, environment, bubblewrap }: InspectionOptions & { readonly bubblewrap: Bubblewrap },
): Promise<SandboxOutput> {
  const { openPrivateFolders, sandboxedShell } = await import("@pith/agent/node");
  const program = realpathSync(process.argv[1] ?? "");
  const readable = [findNodeInstallation(process.execPath), findProgramFolder(program)];
  const command = [process.execPath, "--permission", ...listReadFlags(program, folder), program, ...args];
  const privateParent = realpathSync(mkdtempSync(join(tmpdir(), "pith-inspection-")));
  const folders = await openPrivateFolders({ folder: privateParent, root: folder, home: homedir(), environment });
  try {
    const sandbox = {
      ...{ program: bubblewrap, root: folder, home: homedir(), privateHome: folders.home, journal: folders.journal },
      caught: { folder: join(privateParent, "caught"), record: folders.absentNames },
      ...{ temporary: folders.temporary, network: null, mayWrite: () => false, hidden: [privateParent], readable },
      // It inherits no variables of the user, which may contain API keys.
      environment: { PATH: environment.PATH, PITH_HOME: folder },
    };
    const decoder = new TextDecoder();
    let text = "";
    const controller = new AbortController();
    const result = await sandboxedShell(sandbox).run(`set -- ${command.map(quoteIfNeeded).join(" ")}; ${RUN_SCRIPT}`, {
      signal: controller.signal,
      timeoutMs: INSPECT_TIMEOUT_MS,
      onOutput: (chunk) => {
        text += decoder.decode(chunk, { stream: true });
        if (text.length > MAX_OUTPUT_CHARS) controller.abort();
      },
    });
    return result.type === "ended"
      ? { exitCode: result.exitCode, text, message: `it exited with code ${result.exitCode}` }
      : { exitCode: null, text, message: result.message };
  } finally {
    await folders.close();
    rmSync(privateParent, { recursive: true, force: true });
  }
}

/** A shell reports both streams as one, so errors are kept apart and follow only after a failure. */
const RUN_SCRIPT = '"$@" 2>"$TMPDIR/errors"; code=$?; [ $code -eq 0 ] || cat "$TMPDIR/errors"; exit $code';

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

const INSPECT_TIMEOUT_MS = 40_000;
const MAX_OUTPUT_CHARS = 1024 * 1024;

function listReadFlags(program: string, folder: string): readonly string[] {
  return [findProgramFolder(program), folder].map((readableFolder) => `--allow-fs-read=${readableFolder}${sep}*`);
}

/** The folder of the installation. A program outside of a `bin` folder is alone: its folder may contain anything, such as the home. */
function findNodeInstallation(node: string): string {
  const folder = dirname(node);
  return basename(folder) === "bin" ? dirname(folder) : node;
}

/** The folder with everything that the program loads: its own, or the whole repository if it runs from source. */
function findProgramFolder(program: string): string {
  return program.endsWith(".ts") ? join(dirname(program), "../../..") : dirname(program);
}

/** Runs in the restricted process that `inspectExtension` starts. */
export async function readCapabilities(path: string): Promise<Capabilities> {
  const extension: FoundExtension = { name: path, origin: "user", path, stamp: "0" };
  const report = (): void => {};
  const { list, notes } = await assembleExtensions(createExtensionModules([extension], report), {
    cwd: process.cwd(),
    commandNames: listCommandNames,
    report,
  });
  return { ...NO_CAPABILITIES, name: path, ...list[0], notes };
}
