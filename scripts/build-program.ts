/**
 * `node scripts/build-program.ts [FOLDER] [--readable]`: bundles the program `pith` with all its dependencies, as it is published. The modules
 * are split so that a start opens three files: the launcher, what every run needs, and one provider. `--readable` does not minify, for profiles.
 */

import { chmodSync, copyFileSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type OutputChunk, type Plugin, rolldown } from "rolldown";
import { NODE_TARGET, root } from "./packages.ts";
import { writeNoticesAndSbom } from "./release/notices.ts";

async function runScript(): Promise<void> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { readable: { type: "boolean" } } });
  const folder = resolve(positionals[0] ?? PROGRAM_FOLDER);
  const chunks = await buildProgram(folder, { minify: values.readable !== true });
  console.log(`${relative(process.cwd(), folder)}/pith.mjs: ${formatSize(chunks)}`);
}

export function formatSize(chunks: readonly OutputChunk[]): string {
  const bytes = chunks.reduce((sum, { code }) => sum + Buffer.byteLength(code), 0);
  return `${chunks.length} files, ${Math.round(bytes / 1000)} KB`;
}

const cli = join(root, "packages/cli");
const PLAIN_HEADERS = join(root, "packages/models/src/network/http-request.ts");
/** Where the program is built for publishing. */
const PROGRAM_FOLDER: string = join(cli, "dist/program");

// The terminal library compiles a pattern of all emoji when it is loaded, which takes longer than the rest of it. The replacement
// compiles it when the first possible emoji is tested.
const EMOJI = "const rgiEmojiRegex = /^\\p{RGI_Emoji}$/v;";
const lazyEmoji = () =>
  "let emoji; const rgiEmojiRegex = { test: (sign) => (emoji ??= new RegExp('^\\\\p{RGI_Emoji}$', 'v')).test(sign) };";

/** Writes the program to a folder, by default the one that is published. `pith.mjs` starts it. */
export async function buildProgram(
  folder: string = PROGRAM_FOLDER,
  { minify = true }: { readonly minify?: boolean } = {},
): Promise<readonly OutputChunk[]> {
  // Files of an earlier build would be published too. Another folder may contain files of the caller.
  if (folder === PROGRAM_FOLDER) rmSync(dirname(PROGRAM_FOLDER), { recursive: true, force: true });
  const { version } = JSON.parse(readFileSync(join(cli, "package.json"), "utf8"));
  const bundle = await rolldown({
    input: join(cli, "src/launcher.ts"),
    platform: "node",
    logLevel: "warn",
    // An optional dependency, which finds its executable beside its own folder.
    external: ["@vscode/ripgrep"],
    transform: {
      target: NODE_TARGET,
      // The packages of providers use the global `Headers` before each request, which would load all of Node's `fetch`.
      inject: { Headers: [PLAIN_HEADERS, "PlainHeaders"] },
      define: { PITH_VERSION: JSON.stringify(version) },
    },
    plugins: [
      { name: "lazy-emoji", transform: (code) => code.replace(EMOJI, lazyEmoji) },
      lazyDependenciesPlugin,
      packageFacadesPlugin,
      fastLoadPlugin,
    ],
  });
  const draftBundle = await bundle.generate({ format: "esm" });
  const chunks = draftBundle.output.filter((part) => part.type === "chunk");
  const { output } = await bundle.write({
    dir: folder,
    format: "esm",
    minify,
    codeSplitting: { groups: [...planChunkGroups(chunks)] },
    // With the extension .mjs, Node does not have to detect the module type.
    entryFileNames: "pith.mjs",
    chunkFileNames: "[name]-[hash].mjs",
  });
  await bundle.close();
  chmodSync(join(folder, "pith.mjs"), 0o755);
  const writtenChunks = output.filter((part) => part.type === "chunk");
  const imageLibrary = copyImageLibrary(folder);
  writeNoticesAndSbom({ chunks: [...writtenChunks, imageLibrary], folder, packageFolder: cli });
  return writtenChunks;
}

/** The library that shrinks images runs in a thread of its own and has two megabytes, so it stays in files of its own. */
function copyImageLibrary(folder: string): { readonly moduleIds: readonly string[] } {
  const library = createRequire(join(root, "packages/agent/package.json")).resolve("@silvia-odwyer/photon-node");
  copyFileSync(library, join(folder, "photon_rs.cjs"));
  copyFileSync(join(dirname(library), "photon_rs_bg.wasm"), join(folder, "photon_rs_bg.wasm"));
  return { moduleIds: [library] };
}

/** A file of the program, and which modules belong to it. A module goes into the first group that matches. */
interface ChunkGroup {
  readonly name: string;
  readonly test: (module: string) => boolean;
  readonly priority: number;
}

/**
 * Plans the files from a draft of the program, in which every dynamic import has a file of its own. Without groups, each shared module would
 * become a file, and a start would open many files.
 */
function planChunkGroups(chunks: readonly OutputChunk[]): readonly ChunkGroup[] {
  const providers = chunks
    .filter(({ facadeModuleId }) => PROVIDER_PATTERN.test(facadeModuleId ?? ""))
    .map(listLoadedModules);
  const runModules = new Set([
    ...["cli/src/main.ts", "cli/src/modes/print/print.ts"].flatMap((module) => [...findModules(module)]),
    ...listSharedModules(providers),
  ]);
  const screenModules = findModules("cli/src/modes/interactive/interactive.ts");
  return [
    { name: "run", test: (module) => runModules.has(module) || module.startsWith(BUNDLER_PREFIX), priority: 1 },
    { name: "screen", test: (module) => screenModules.has(module), priority: 0 },
  ];

  function findModules(module: string): ReadonlySet<string> {
    const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId === join(root, "packages", module));
    if (!chunk) throw new Error(`${module} has no file of its own in the draft of the program`);
    return listLoadedModules(chunk);
  }

  /** Lists the modules that are loaded together with a chunk. Dynamic imports do not count. */
  function listLoadedModules(chunk: OutputChunk): ReadonlySet<string> {
    const names = new Set([chunk.fileName]);
    for (const name of names)
      for (const next of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) names.add(next);
    return new Set(chunks.filter(({ fileName }) => names.has(fileName)).flatMap(({ moduleIds }) => moduleIds));
  }
}

/** The packages of providers. A run loads one of them. */
const PROVIDER_PATTERN = /@ai-sdk\/(?:anthropic|google|openai|openai-compatible)\/dist\/index\.js$/;
/** The bundler's own helpers. */
const BUNDLER_PREFIX = "\0rolldown/";

/** Lists the modules that two or more providers share. */
function listSharedModules(providers: readonly ReadonlySet<string>[]): readonly string[] {
  const modules = providers.flatMap((provider) => [...provider]);
  return modules.filter((module) => providers.filter((provider) => provider.has(module)).length > 1);
}

/**
 * Gives each package that extensions can import a module of its own. Imported directly, all of the package would be in the file that every
 * run loads, because the run uses a part of it.
 */
const packageFacadesPlugin: Plugin = {
  name: "package-facades",
  async resolveId(source, importer, { kind }) {
    if (kind !== "dynamic-import" || importer !== EXTENSION_LOADER || !source.startsWith("@pith/")) return null;
    const resolved = await this.resolve(source, importer, { skipSelf: true });
    return resolved && `${resolved.id}${FACADE_SUFFIX}`;
  },
  load: (id) =>
    id.endsWith(FACADE_SUFFIX) ? `export * from ${JSON.stringify(id.slice(0, -FACADE_SUFFIX.length))};` : null,
};

const EXTENSION_LOADER = join(root, "packages/host/src/extensions/load.ts");
const FACADE_SUFFIX = "?facade";

/** Rewrites the output of the bundler so that Node loads it faster. The behaviour stays the same. */
const fastLoadPlugin: Plugin = {
  name: "fast-load",
  generateBundle(_options, files, isWrite) {
    // The draft is not written.
    if (!isWrite) return;
    const chunks = Object.values(files).filter((file) => file.type === "chunk");
    const facades = new Map(chunks.flatMap((chunk) => findFacade(chunk) ?? []));
    for (const name of facades.keys()) delete files[name];
    for (const chunk of chunks)
      chunk.code = escapeToAscii(replaceBuiltinImports(inlineFacades(chunk.code, facades), chunk.isEntry));
  },
};

/** A file that only re-exports from another file: the target, and pairs of the name in the facade and the name in the target. */
type Facade = readonly [
  name: string,
  target: { readonly file: string; readonly names: readonly (readonly [string, string])[] },
];

function findFacade({ code, fileName, isEntry }: OutputChunk): readonly Facade[] | null {
  const [, exported, file] = /^export\s*\{([^}]*)\}\s*from\s*"\.\/([^"]+)";\s*$/.exec(code) ?? [];
  if (exported === undefined || file === undefined || isEntry) return null;
  const names = exported.split(",").map((item) => {
    const [targetName = "", facadeName = targetName] = item.trim().split(" as ");
    return [facadeName, targetName] as const;
  });
  return [[fileName, { file, names }]];
}

/** Replaces dynamic imports of a facade by imports of its target. */
function inlineFacades(code: string, facades: ReadonlyMap<string, Facade[1]>): string {
  return code.replace(/import\(([`"])\.\/([^`"]+)\1\)/g, (importText, _quote, name) => {
    const facade = facades.get(name);
    if (!facade) return importText;
    const names = facade.names.map(([facadeName, targetName]) => `${facadeName}:e.${targetName}`);
    return `import(\`./${facade.file}\`).then(e=>({${names.join(",")}}))`;
  });
}

/**
 * Replaces imports of Node's modules by `process.getBuiltinModule`. An import reads every export, which loads parts of Node that are not
 * needed. The launcher keeps its imports: it must run in any Node, to print which version is needed.
 */
function replaceBuiltinImports(code: string, isEntry: boolean): string {
  if (isEntry) return code;
  // Only the imports at the beginning: a string in the code may look like an import.
  return code.replace(/^(?:\s*import\b(?!\s*\()[^;]*;)+/, (imports) =>
    imports.replace(BUILTIN_IMPORT, formatBuiltinImport),
  );
}

const BUILTIN_IMPORT = /\bimport\s*(?:\*\s*as\s+([\w$]+)|\{([^}]*)\})\s*from\s*"(node:[\w/]+)";/g;

function formatBuiltinImport(_import: string, namespace: string | undefined, names = "", module = ""): string {
  const binding = namespace ?? `{${names.replaceAll(/\s+as\s+/g, ":")}}`;
  return `const ${binding}=process.getBuiltinModule("${module}");`;
}

/** V8 stores source with a character beyond Latin-1 in two bytes per character, and Node decodes it more slowly. */
function escapeToAscii(code: string): string {
  if (/String\.raw`[^`]*[^\0-\x7f]/.test(code))
    throw new Error("String.raw with a character beyond ASCII cannot be escaped");
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Replacements in dependencies that move work from the start to the first use. */
const LAZY_PATCHES: readonly LazyPatch[] = [
  {
    // The base class would load all of Node's web streams before the request. The stream is needed when a response arrives.
    module: /eventsource-parser\/dist\/stream\.js$/,
    original: "class EventSourceParserStream extends TransformStream {",
    replacement: `let Stream;
function EventSourceParserStream(options) {
  Stream ??= makeStream();
  return new Stream(options);
}
const makeStream = () => class extends TransformStream {`,
  },
  {
    // A schema parses the options of each message to find tool changes. Pith sends none.
    module: /@ai-sdk\/anthropic\/dist\/index\.js$/,
    original: `if (message.role !== "system" || message.providerOptions == null) continue;`,
    replacement: `if (message.role !== "system" || message.providerOptions?.anthropic?.toolChanges == null) continue;`,
  },
  {
    // The same schema parses the options of system messages. Pith sets only `cacheControl`, which is not in it.
    module: /@ai-sdk\/anthropic\/dist\/index\.js$/,
    original: "const systemMessageOptions = await parseProviderOptions({",
    replacement: `const systemMessageOptions = Object.keys(providerOptions?.anthropic ?? {}).every((name) => name === "cacheControl") ? undefined : await parseProviderOptions({`,
  },
];

interface LazyPatch {
  readonly module: RegExp;
  readonly original: string;
  readonly replacement: string;
}

/** Fails if a new version of a dependency does not have the text once. Then check whether it still does this work early. */
const lazyDependenciesPlugin: Plugin = {
  name: "lazy-dependencies",
  transform(code, module) {
    const patches = LAZY_PATCHES.filter((patch) => patch.module.test(module));
    for (const { original } of patches)
      if (code.split(original).length !== 2) throw new Error(`${module} does not have this text once: ${original}`);
    return patches.length === 0
      ? undefined
      : patches.reduce((patched, { original, replacement }) => patched.replace(original, () => replacement), code);
  },
};

if (import.meta.main) await runScript();
