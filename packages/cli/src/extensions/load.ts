/** Loads an extension when it registers, so that one that hangs or throws harms no other; maps `@pith/*` to this program. */

import { registerHooks } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { ExtensionApi, ExtensionModule } from "@pith/agent";
import { faultTold, heed, type Report } from "./errors.ts";
import type { FoundExtension } from "./extension-files.ts";

/** Each through a file of its own: imported directly, all of a door would stand in what every run loads. Written out, so that a build finds them. */
const doors: Readonly<Record<string, () => Promise<object>>> = {
  "@pith/context": () => import("./doors/context.ts"),
  "@pith/context/host": () => import("./doors/context-host.ts"),
  "@pith/context/node": () => import("./doors/context-node.ts"),
  "@pith/context/search": () => import("./doors/context-search.ts"),
  "@pith/context/secrets": () => import("./doors/context-secrets.ts"),
  "@pith/context/store": () => import("./doors/context-store.ts"),
  "@pith/agent": () => import("./doors/agent.ts"),
  "@pith/agent/node": () => import("./doors/agent-node.ts"),
  "@pith/models": () => import("./doors/models.ts"),
  "@pith/models/convert": () => import("./doors/models-convert.ts"),
  "@pith/models/overflow": () => import("./doors/models-overflow.ts"),
};

export const doorNames: readonly string[] = Object.keys(doors);

/** Loaded, by name: a module that an extension imports cannot wait for them. */
export async function openDoors(): Promise<ReadonlyMap<string, object>> {
  return new Map(await Promise.all(Object.entries(doors).map(async ([name, open]) => [name, await open()] as const)));
}

/** The text of a module that hands on what a door has; `at` is where the doors are found. */
export function doorSource(name: string, door: object, at: string): string {
  const names = Object.keys(door).filter((each) => each !== "default");
  const held = `const door = globalThis[Symbol.for(${JSON.stringify(at)})].get(${JSON.stringify(name)});`;
  return [held, ...names.map((each) => `export const ${each} = door.${each};`)].join("\n");
}

type Resolve = NonNullable<Parameters<typeof registerHooks>[0]["resolve"]>;
type Load = NonNullable<Parameters<typeof registerHooks>[0]["load"]>;

export interface Mapping {
  /** From now on these bytes are what lies there, and nothing else of the project is run. */
  hold(files: ReadonlyMap<string, Uint8Array>, stamp: string): void;
}

/** Once for the whole program. */
export function mapping(): Promise<Mapping> {
  made ??= make();
  return made;
}

let made: Promise<Mapping> | null = null;

async function make(): Promise<Mapping> {
  const doors = await openDoors();
  Object.defineProperty(globalThis, Symbol.for(DOORS), { value: doors });
  /** By stamp, as every address of theirs ends with it. */
  const held = new Map<string, ReadonlyMap<string, Uint8Array>>();
  const resolve: Resolve = (specifier, context, next) => {
    if (specifier.startsWith("@pith/") && !isOurs(context.parentURL))
      return { url: doorAddress(specifier), shortCircuit: true };
    const stamp = stampIn(specifier) ?? stampIn(context.parentURL ?? "");
    if (stamp === null) return next(specifier, context);
    const files = held.get(stamp);
    const isHeld = files !== undefined && !specifier.startsWith("node:");
    const url = isHeld ? heldAddress(specifier, context.parentURL, files) : next(specifier, context).url;
    if (!isBeside(url)) return { url, shortCircuit: true };
    // Said, so that Node need not guess: what an extension loads from beside itself are modules.
    return { url: stamped(url, stamp), format: formatOf(url), shortCircuit: true };
  };
  const load: Load = (url, context, next) => {
    const door = doors.get(url.slice(SCHEME.length));
    if (url.startsWith(SCHEME) && door)
      return { format: "module", source: doorSource(url.slice(SCHEME.length), door, DOORS), shortCircuit: true };
    const bytes = url.startsWith("file:") ? held.get(stampIn(url) ?? "")?.get(fileURLToPath(url)) : undefined;
    return bytes ? { format: formatOf(url), source: bytes, shortCircuit: true } : next(url, context);
  };
  registerHooks({ resolve, load });
  // The standard output is for answers, and for lines that programs read.
  for (const name of ["log", "info", "debug"] as const) console[name] = console.error;
  return { hold: (files, stamp) => void held.set(stamp, files) };
}

const DOORS = "pith.doors";
const SCHEME = "pith:";

function doorAddress(specifier: string): string {
  if (doorNames.includes(specifier)) return `${SCHEME}${specifier}`;
  throw new Error(`there is no ${specifier} for extensions; there are ${doorNames.join(", ")}`);
}

/** What somebody trusted is all there is: whatever else lies in the project nobody has looked at. */
function heldAddress(specifier: string, parent: string | undefined, files: ReadonlyMap<string, Uint8Array>): string {
  if (!/^(\.{0,2}\/|file:)/.test(specifier))
    throw new Error(`${specifier} cannot be imported by an extension of a project; ${OWN}`);
  const url = new URL(specifier, parent);
  const path = fileURLToPath(url);
  if (!files.has(path)) throw new Error(`${path} was not trusted, so it is not run; ${OWN}`);
  return url.href;
}

const OWN = "it has node:…, @pith/… and the files beside it in .pith/extensions";

/** Our own sources find each other as always. */
function isOurs(parent = ""): boolean {
  return import.meta.url.endsWith(SOURCE) && parent.startsWith(import.meta.url.slice(0, -SOURCE.length));
}

const SOURCE = "cli/src/extensions/load.ts";

/** Of an extension itself, and not of a package or of Node. */
function isBeside(url: string): boolean {
  return url.startsWith("file:") && !url.includes("/node_modules/") && /\.(ts|mts|js|mjs)$/.test(new URL(url).pathname);
}

/** What an extension imports from beside itself is as new as it is; packages stay as they are. */
function stamped(url: string, stamp: string): string {
  const address = new URL(url);
  address.searchParams.set(STAMP, stamp);
  return address.href;
}

const STAMP = "pith";

function stampIn(url: string): string | null {
  return /[?&]pith=([0-9a-f]+)/.exec(url)?.[1] ?? null;
}

function formatOf(url: string): "module" | "module-typescript" {
  return new URL(url).pathname.endsWith("ts") ? "module-typescript" : "module";
}

/** `report` is told what they throw outside of any call. */
export function loaded(found: readonly FoundExtension[], report: Report): readonly ExtensionModule[] {
  heed(found, report);
  return found.map((each) => ({ name: each.name, extension: (pith) => begun(each, pith) }));
}

async function begun(found: FoundExtension, pith: ExtensionApi): Promise<void> {
  try {
    const extension = await exportedBy(found);
    await extension(pith);
  } catch (error) {
    throw new Error(faultTold(error, found.path), { cause: error });
  }
}

type Exported = (pith: ExtensionApi) => unknown;

async function exportedBy({ path, stamp, held }: FoundExtension): Promise<Exported> {
  const { hold } = await mapping();
  if (held) hold(held, stamp);
  const url = `${pathToFileURL(path).href}?pith=${stamp}`;
  const { default: extension } = (await import(url)) as { readonly default?: unknown };
  if (typeof extension !== "function") throw new Error(WRITE);
  return extension as Exported;
}

const WRITE = "it exports no function; write: export default (pith) => { … }";
