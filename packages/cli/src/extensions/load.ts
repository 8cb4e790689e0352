/** Loads an extension when it registers, so that one that hangs or throws harms no other; maps `@pith/*` to this program. */

import { registerHooks } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { ExtensionApi, ExtensionModule } from "@pith/agent";
import { formatExtensionError, type ReportFailure, watchExtensions } from "./errors.ts";
import type { FoundExtension } from "./extension-files.ts";

/** The packages that an extension can import, by the name of each in `pith-packages.ts`. */
const packageExports = {
  "@pith/context": "context",
  "@pith/context/host": "contextHost",
  "@pith/context/node": "contextNode",
  "@pith/context/search": "contextSearch",
  "@pith/context/secrets": "contextSecrets",
  "@pith/context/store": "contextStore",
  "@pith/agent": "agent",
  "@pith/agent/node": "agentNode",
  "@pith/models": "models",
  "@pith/models/convert": "modelsConvert",
  "@pith/models/overflow": "modelsOverflow",
} as const satisfies Readonly<Record<string, string>>;

export const pithModuleNames: readonly string[] = Object.keys(packageExports);

/** The loaded packages by name. An import of an extension cannot wait, so all of them are loaded before. */
export async function loadPithModules(): Promise<ReadonlyMap<string, object>> {
  const packages = await import("./pith-packages.ts");
  return new Map(Object.entries(packageExports).map(([name, exportName]) => [name, packages[exportName]]));
}

/** The text of a module that hands on what a door has; `at` is where the doors are found. */
export function createModuleSource(name: string, exports: object, registryName: string): string {
  const names = Object.keys(exports).filter((exportName) => exportName !== "default");
  const lookupLine = `const door = globalThis[Symbol.for(${JSON.stringify(registryName)})].get(${JSON.stringify(name)});`;
  return [lookupLine, ...names.map((exportName) => `export const ${exportName} = door.${exportName};`)].join("\n");
}

type Resolve = NonNullable<Parameters<typeof registerHooks>[0]["resolve"]>;
type Load = NonNullable<Parameters<typeof registerHooks>[0]["load"]>;

export interface ModuleHooks {
  /** From now on these bytes are what lies there, and nothing else of the project is run. */
  addTrustedFiles(files: ReadonlyMap<string, Uint8Array>, stamp: string): void;
}

/** Once for the whole program. */
export function getModuleHooks(): Promise<ModuleHooks> {
  hooksPromise ??= installModuleHooks();
  return hooksPromise;
}

let hooksPromise: Promise<ModuleHooks> | null = null;

async function installModuleHooks(): Promise<ModuleHooks> {
  const modules = await loadPithModules();
  Object.defineProperty(globalThis, Symbol.for(MODULE_REGISTRY), { value: modules });
  /** By stamp, as every address of theirs ends with it. */
  const trustedFiles = new Map<string, ReadonlyMap<string, Uint8Array>>();
  const resolve: Resolve = (specifier, context, next) => {
    if (specifier.startsWith("@pith/") && !isPithSource(context.parentURL))
      return { url: createModuleUrl(specifier), shortCircuit: true };
    const stamp = parseStamp(specifier) ?? parseStamp(context.parentURL ?? "");
    if (stamp === null) return next(specifier, context);
    const files = trustedFiles.get(stamp);
    const isTrusted = files !== undefined && !specifier.startsWith("node:");
    const url = isTrusted ? resolveTrustedUrl(specifier, context.parentURL, files) : next(specifier, context).url;
    if (!isExtensionSource(url)) return { url, shortCircuit: true };
    // Said, so that Node need not guess: what an extension loads from beside itself are modules.
    return { url: addStamp(url, stamp), format: getModuleFormat(url), shortCircuit: true };
  };
  const load: Load = (url, context, next) => {
    const moduleExports = modules.get(url.slice(PITH_SCHEME.length));
    if (url.startsWith(PITH_SCHEME) && moduleExports)
      return {
        format: "module",
        source: createModuleSource(url.slice(PITH_SCHEME.length), moduleExports, MODULE_REGISTRY),
        shortCircuit: true,
      };
    const bytes = url.startsWith("file:")
      ? trustedFiles.get(parseStamp(url) ?? "")?.get(fileURLToPath(url))
      : undefined;
    return bytes ? { format: getModuleFormat(url), source: bytes, shortCircuit: true } : next(url, context);
  };
  registerHooks({ resolve, load });
  // The standard output is for answers, and for lines that programs read.
  for (const name of ["log", "info", "debug"] as const) console[name] = console.error;
  return { addTrustedFiles: (files, stamp) => void trustedFiles.set(stamp, files) };
}

const MODULE_REGISTRY = "pith.doors";
const PITH_SCHEME = "pith:";

function createModuleUrl(specifier: string): string {
  if (pithModuleNames.includes(specifier)) return `${PITH_SCHEME}${specifier}`;
  throw new Error(`there is no ${specifier} for extensions; there are ${pithModuleNames.join(", ")}`);
}

/** What somebody trusted is all there is: whatever else lies in the project nobody has looked at. */
function resolveTrustedUrl(
  specifier: string,
  parent: string | undefined,
  files: ReadonlyMap<string, Uint8Array>,
): string {
  if (!/^(\.{0,2}\/|file:)/.test(specifier))
    throw new Error(`${specifier} cannot be imported by an extension of a project; ${IMPORT_HINT}`);
  const url = new URL(specifier, parent);
  const path = fileURLToPath(url);
  if (!files.has(path)) throw new Error(`${path} was not trusted, so it is not run; ${IMPORT_HINT}`);
  return url.href;
}

const IMPORT_HINT = "it has node:…, @pith/… and the files beside it in .pith/extensions";

/** Our own sources find each other as always. */
function isPithSource(parent = ""): boolean {
  return (
    import.meta.url.endsWith(OWN_SOURCE_PATH) && parent.startsWith(import.meta.url.slice(0, -OWN_SOURCE_PATH.length))
  );
}

const OWN_SOURCE_PATH = "cli/src/extensions/load.ts";

/** Of an extension itself, and not of a package or of Node. */
function isExtensionSource(url: string): boolean {
  return url.startsWith("file:") && !url.includes("/node_modules/") && /\.(ts|mts|js|mjs)$/.test(new URL(url).pathname);
}

/** What an extension imports from beside itself is as new as it is; packages stay as they are. */
function addStamp(url: string, stamp: string): string {
  const address = new URL(url);
  address.searchParams.set(STAMP_PARAMETER, stamp);
  return address.href;
}

const STAMP_PARAMETER = "pith";

function parseStamp(url: string): string | null {
  return /[?&]pith=([0-9a-f]+)/.exec(url)?.[1] ?? null;
}

function getModuleFormat(url: string): "module" | "module-typescript" {
  return new URL(url).pathname.endsWith("ts") ? "module-typescript" : "module";
}

/** `report` is told what they throw outside of any call. */
export function createExtensionModules(
  found: readonly FoundExtension[],
  report: ReportFailure,
): readonly ExtensionModule[] {
  watchExtensions(found, report);
  return found.map((extension) => ({ name: extension.name, extension: (pith) => runExtension(extension, pith) }));
}

async function runExtension(found: FoundExtension, pith: ExtensionApi): Promise<void> {
  try {
    const extension = await importExtension(found);
    await extension(pith);
  } catch (error) {
    throw new Error(formatExtensionError(error, found.path), { cause: error });
  }
}

type ExtensionFunction = (pith: ExtensionApi) => unknown;

async function importExtension({ path, stamp, trustedBytes }: FoundExtension): Promise<ExtensionFunction> {
  const { addTrustedFiles } = await getModuleHooks();
  if (trustedBytes) addTrustedFiles(trustedBytes, stamp);
  const url = `${pathToFileURL(path).href}?pith=${stamp}`;
  const { default: extension } = (await import(url)) as { readonly default?: unknown };
  if (typeof extension !== "function") throw new Error(NO_EXPORT_TEXT);
  return extension as ExtensionFunction;
}

const NO_EXPORT_TEXT = "it exports no function; write: export default (pith) => { … }";
