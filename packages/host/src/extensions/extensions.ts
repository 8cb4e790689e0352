/** Selects, finds and loads the extensions of this run: bundled ones, the user's, and those of a trusted folder. */

import { existsSync } from "node:fs";
import {
  type AgentEventListener,
  createExtensions,
  type Extension,
  type ExtensionModule,
  type Extensions,
  type ExtensionUi,
  headlessUi,
} from "@pith/agent";
import { nodeRuntime } from "@pith/context/node";
import type { HostContext } from "../host-context.ts";
import { hasConfiguredServers, type McpOptions } from "../mcp/servers.ts";
import type { Policy } from "../policy/policy.ts";
import type { ExtensionFolders } from "../resources/guidance.ts";
import { allTools } from "../settings/definitions.ts";
import type { Settings } from "../settings/settings.ts";
import { type FolderTrust, listTrustedFiles } from "../trust/folder-trust.ts";
import type { ReportFailure } from "./errors.ts";
import { extensionsFolder, type FoundExtensions, noExtensions } from "./extension-files.ts";

/** The options of all extensions. */
export interface ExtensionOptions extends McpOptions {
  /** Extensions that the program itself contains, besides the one for MCP servers. */
  readonly bundled?: readonly BundledExtension[];
  /** The names of built-in commands, which extensions cannot replace. */
  readonly commandNames?: (() => Promise<readonly string[]>) | undefined;
  /** Receives the events of the agent and of extensions. */
  readonly onEvent?: AgentEventListener | undefined;
  /** Shows the questions and widgets of extensions. Absent if there is no user. */
  readonly ui?: ExtensionUi | undefined;
}

export interface BundledExtension {
  readonly name: string;
  /** It is loaded only if this is true, to keep the start fast. */
  readonly isWanted: boolean;
  readonly load: () => Promise<Extension>;
}

function createMcpBundle(options: McpOptions): BundledExtension {
  return {
    name: "mcp",
    isWanted: hasConfiguredServers(options),
    load: async () => (await import("../mcp/mcp.ts")).createMcpExtension(options),
  };
}

/** Null if there are no extensions, or the setting `extensions` is false. */
export async function loadExtensions(options: ExtensionOptions): Promise<Extensions | null> {
  if (options.settings.extensions === false) return null;
  const bundledModules = selectBundledModules([...(options.bundled ?? []), createMcpBundle(options)]);
  const { found, notes } = await findExtensions(options);
  if (bundledModules.length === 0 && found.length === 0 && notes.length === 0) return null;
  const report = createFailureReporter(options);
  const extensions = await assembleExtensions([...bundledModules, ...(await loadModules(found, report))], {
    ...options,
    report,
  });
  return notes.length === 0 ? extensions : { ...extensions, notes: [...notes, ...extensions.notes] };
}

/** Finds the extensions of the user and of a trusted folder, without running any of their code. */
export async function findExtensions(
  options: Pick<ExtensionOptions, "home" | "trustedFolder" | "settings">,
): Promise<FoundExtensions> {
  const { home, trustedFolder, settings } = options;
  const userExtensions = existsSync(extensionsFolder(home))
    ? (await importFinder()).findUserExtensions(home)
    : noExtensions;
  const files = trustedFolder ? listTrustedFiles(trustedFolder, "extensions") : [];
  const projectExtensions = files.length === 0 ? noExtensions : (await importFinder()).findProjectExtensions(files);
  const combined = {
    found: [...userExtensions.found, ...projectExtensions.found],
    notes: [...userExtensions.notes, ...projectExtensions.notes],
  };
  return settings.policy && combined.found.length > 0
    ? await applyExtensionPolicy(combined, settings.policy)
    : combined;
}

const importFinder = () => import("./find.ts");

/** Loads the policy code only if there are both a policy and extensions. */
async function applyExtensionPolicy(found: FoundExtensions, policy: Policy): Promise<FoundExtensions> {
  const { filterExtensions } = await import("../policy/permitted-parts.ts");
  return filterExtensions(found, policy);
}

/** Asks extensions for folders of skills and prompt templates. */
export async function findExtensionFolders(
  { dispatch }: Pick<Extensions, "dispatch">,
  { cwd }: Pick<HostContext, "cwd">,
): Promise<ExtensionFolders> {
  const resources = await dispatch({ type: "resources_discover", cwd, reason: "startup" });
  return {
    skills: resources.flatMap(({ skillPaths = [] }) => skillPaths),
    prompts: resources.flatMap(({ promptPaths = [] }) => promptPaths),
  };
}

/** Runs the modules, and passes the names of built-in tools and commands, which extensions cannot replace. */
export async function assembleExtensions(
  modules: readonly ExtensionModule[],
  {
    cwd,
    ui,
    commandNames,
    report,
  }: Pick<ExtensionOptions, "cwd" | "ui" | "commandNames"> & { readonly report: ReportFailure },
): Promise<Extensions> {
  const initialContext = { ui: ui ?? headlessUi, hasUI: ui !== undefined, cwd };
  return await createExtensions(modules, {
    runtime: nodeRuntime,
    report,
    initialContext,
    builtInTools: allTools,
    builtInCommands: (await commandNames?.()) ?? [],
  });
}

/** Reports a failure only once per extension and event, because an event may occur for every streamed token. */
function createFailureReporter({
  notify = () => {},
  onEvent,
}: Pick<ExtensionOptions, "notify" | "onEvent">): ReportFailure {
  const reportedKeys = new Set<string>();
  return ({ extension, event, why }) => {
    const key = `${extension} ${event}`;
    if (reportedKeys.has(key)) return;
    reportedKeys.add(key);
    notify(`the extension ${extension} failed during ${event}; Pith continued without its result: ${why}`);
    void onEvent?.({ type: "extension_error", extensionPath: extension, event, error: why });
  };
}

function selectBundledModules(bundled: readonly BundledExtension[]): readonly ExtensionModule[] {
  return bundled
    .filter(({ isWanted }) => isWanted)
    .map(({ name, load }) => ({ name, extension: async (pith) => (await load())(pith) }));
}

async function loadModules(
  found: FoundExtensions["found"],
  report: ReportFailure,
): Promise<readonly ExtensionModule[]> {
  if (found.length === 0) return [];
  const { createExtensionModules } = await import("./load.ts");
  return createExtensionModules(found, report);
}

export interface ExtensionTrustOptions extends Pick<ExtensionOptions, "cwd" | "home" | "commandNames"> {
  readonly trustedFolder: FolderTrust;
  readonly settings: Pick<Settings, "extensions" | "policy">;
}

/** Asks the user's extensions whether to trust a folder, before the user is asked. These extensions are loaded only for this question. */
export async function askExtensionsForTrust({
  trustedFolder,
  settings,
  ...options
}: ExtensionTrustOptions): Promise<boolean> {
  const { files } = trustedFolder.project;
  if (settings.extensions === false || trustedFolder.type === "trusted" || files.length === 0) return false;
  if (!existsSync(extensionsFolder(options.home))) return false;
  const [{ found }, { createExtensionModules }] = await Promise.all([
    findExtensions({ home: options.home, settings }),
    import("./load.ts"),
  ]);
  if (found.length === 0) return false;
  // Errors are reported later, when the session loads its extensions.
  const report = (): void => {};
  const { dispatch } = await assembleExtensions(createExtensionModules(found, report), { ...options, report });
  const answers = await dispatch({ type: "project_trust", cwd: options.cwd, files: files.map(({ name }) => name) });
  return answers.some(({ trusted: isTrusted }) => isTrusted === true);
}
