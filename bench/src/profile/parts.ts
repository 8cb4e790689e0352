/** Assigns the samples of a CPU profile to the parts of the program, by the module of each function. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The output of `--cpu-prof`. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  /** Microseconds on the monotonic clock. */
  readonly startTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly children?: readonly number[];
}

/** Milliseconds on the monotonic clock. */
export interface TimeSpan {
  readonly startMs: number;
  readonly endMs: number;
}

/** The milliseconds of each part within the spans. */
export function timeByPart(profile: CpuProfile, spans: readonly TimeSpan[]): ReadonlyMap<string, number> {
  const parts = assignParts(profile.nodes);
  const times = new Map<string, number>();
  let time = profile.startTime / 1_000;
  for (const [index, sample] of profile.samples.entries()) {
    const duration = (profile.timeDeltas[index] ?? 0) / 1_000;
    time += duration;
    const part = parts.get(sample);
    if (part === undefined || !spans.some(({ startMs, endMs }) => startMs <= time && time < endMs)) continue;
    times.set(part, (times.get(part) ?? 0) + duration);
  }
  return times;
}

/** Assigns each node the part of the innermost call on its stack that has one. */
function assignParts(nodes: readonly ProfileNode[]): ReadonlyMap<number, string> {
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node] as const)));
  const modules = new ModuleIndex();
  const parts = new Map<number, string>();
  for (const node of nodes) {
    const stack: ProfileNode[] = [];
    for (let current: ProfileNode | undefined = node; current; current = parents.get(current.id)) stack.push(current);
    const part = stack.map(({ callFrame }) => findPart(callFrame, modules)).find((current) => current !== null);
    parts.set(node.id, part ?? "node");
  }
  return parts;
}

function findPart({ functionName, url, lineNumber }: ProfileNode["callFrame"], modules: ModuleIndex): string | null {
  const native = NATIVE_PARTS.get(functionName);
  if (native !== undefined && (url === "" || url.startsWith("node:"))) return native;
  if (!url.startsWith("file:")) return null;
  const isTopLevel = functionName === "" && lineNumber === 0;
  if (isTopLevel) return "modules_evaluated";
  const module = modules.moduleAt(url, lineNumber);
  return MODULE_PARTS.find(([pattern]) => pattern.test(module))?.[1] ?? "program";
}

/** Parts by the names of Node's and V8's functions. */
const NATIVE_PARTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "(idle)": "waiting",
    "(garbage collector)": "memory",
    compileSourceTextModule: "code_loaded",
    compileForInternalLoader: "node_modules_loaded",
    spawn: "process_started",
    fdatasync: "disk_sync",
    fsync: "disk_sync",
  }),
);

const MODULE_PARTS: readonly (readonly [RegExp, string])[] = [
  [/^packages\/context\/src\/secrets\//, "secrets"],
  [/^packages\/context\/src\/(?:node|format|session)\//, "session"],
  [/^packages\/(?:agent\/src\/permissions|context\/src\/shell)\//, "permissions"],
  [/^packages\/context\//, "context"],
  [/^packages\/agent\//, "loop_and_tools"],
  [/^packages\/models\/src\/network\//, "http"],
  [/^packages\/models\//, "model_adapter"],
  [/^packages\/cli\//, "settings_and_wiring"],
  [/node_modules/, "provider_package"],
];

/** Finds the module of a line of the bundle. A readable bundle has a comment with the path above each module. */
class ModuleIndex {
  readonly #files = new Map<string, readonly string[]>();

  moduleAt(url: string, line: number): string {
    return this.#readModules(url)[line] ?? "";
  }

  #readModules(url: string): readonly string[] {
    const cached = this.#files.get(url);
    if (cached) return cached;
    let module = "";
    const modules = readFileSync(fileURLToPath(url), "utf8")
      .split("\n")
      .map((text) => {
        module = /^\/\/ ((?:packages|node_modules)\/\S+)$/.exec(text)?.[1] ?? module;
        return module;
      });
    this.#files.set(url, modules);
    return modules;
  }
}
