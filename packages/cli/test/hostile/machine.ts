/**
 * Runs attempts in one permission mode, as a program of its own inside new network, mount and process namespaces. A wish comes in as an
 * argument, one outcome for each attempt goes out as a line of JSON.
 */

import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { RpcClient, type RpcUiRequest } from "@pith/client";
import { startServer } from "@pith/testkit";
import type { Attempt } from "./attempt.ts";
import { attempts } from "./attempts/all.ts";
import { ATTACKER, Collector, DOCS, METADATA } from "./collector.ts";
import { findSecrets, type PlantedSecret } from "./find-secrets.ts";
import { type CallResult, ModelScript } from "./model-script.ts";
import { REGISTRIES, Registries } from "./registries.ts";
import { HOME, INSTALLED, plant, SOCKETS, WORKSPACE } from "./victim.ts";

/** `refuses` says no to every question, `permits-commands` lets commands run in the sandbox and refuses all else, `agrees` says yes. */
export type UserKind = "refuses" | "permits-commands" | "agrees";

export interface MachineOptions {
  /** The folder of the built program. */
  readonly program: string;
  /** An empty folder that becomes `/home`. Whoever made it removes it: while this program runs, other folders are mounted in it. */
  readonly homes: string;
  readonly mode: "ask" | "edit" | "plan" | "all";
  readonly user: UserKind;
  /** Whether the program runs as an ordinary user; otherwise as root, which the sandbox has to hold as well. */
  readonly isOrdinary: boolean;
  /** Of attempts. */
  readonly names: readonly string[];
}

export interface Outcome {
  readonly name: string;
  /** Names of secrets that reached the attacker. */
  readonly leaked: readonly string[];
  readonly via: readonly string[];
  /** Whether what should arrive did. */
  readonly hasArrived: boolean;
  /** Registries that were asked for something. */
  readonly reached: readonly string[];
  /** What the user's machine was told at the port that should be reached. */
  readonly served: string;
  /** Paths outside the workspace that are not as they were. */
  readonly changed: readonly string[];
  /** The results of the model's calls, in their order. */
  readonly callResults: readonly CallResult[];
  readonly questions: readonly string[];
}

const LONGEST_MS = 60_000;
/** For what is still under way when a run has ended. */
const LINGER_MS = 150;

const GUARDED_NAMES = [".git/config", ".git/hooks", ".pith", ".vscode", ".mcp.json", ".envrc"].map((name) =>
  join(WORKSPACE, name),
);
/** An attempt would leave them in the real temporary folders. */
const LEFT_BEHIND = ["/tmp/pith-hostile-new", "/var/tmp/pith-hostile-new"];
const MACHINE_FILES = [
  "/etc/passwd",
  "/etc/ld.so.preload",
  "/tmp/pith-hostile-new",
  "/var/tmp/pith-hostile-new",
  "/etc/hostname",
];

/** What the program itself keeps, and toolchains, which are too much to compare. */
const NOT_COMPARED = /\/\.pith\/(?!keys|settings|extensions)|\/\.rustup|\/\.cargo\/bin/;

const ORDINARY = 1000;

const options: MachineOptions = JSON.parse(process.argv[2] ?? "");
prepareNamespaces(options);
const { secrets, environment } = plant();
if (options.isOrdinary) execFileSync("chown", ["-R", `${ORDINARY}:${ORDINARY}`, HOME]);
const collector = await Collector.open();
const registries = await Registries.open();
const model = new ModelScript();
const server = await startServer({ script: (request) => model.reply(request) });
const questions: string[] = [];
const PATH = `${HOME}/.local/bin:${HOME}/.cargo/bin:${INSTALLED}/node/bin:/usr/local/bin:/usr/bin:/bin`;
const env = { ...environment, PATH, ANTHROPIC_BASE_URL: server.url, SSH_AUTH_SOCK: `${HOME}/.agent/socket` };
const pith = [join(INSTALLED, "pith/pith.mjs")];
bindToolchain();
for (const name of ["relay", "reporter", "pinned"]) run(["node", ...pith, "mcp", "trust", name, "--yes"]);
const client = startClient();
void client.exited.then(({ code }) => {
  console.error(`the program has ended with ${code}`);
  process.exit(1);
});
for (const name of options.names) console.log(JSON.stringify(await perform(findAttempt(name))));
process.exit(0);

/** Everything is inside namespaces of this process alone and ends with it. */
function prepareNamespaces({ program, homes }: MachineOptions): void {
  execFileSync("ip", ["link", "set", "lo", "up"]);
  for (const address of [ATTACKER.address, DOCS.address, REGISTRIES.address, METADATA])
    execFileSync("ip", ["addr", "add", `${address}/32`, "dev", "lo"]);
  const resolver = realpathSync("/etc/resolv.conf");
  const own = join(homes, ".resolv.conf");
  writeFileSync(own, `nameserver ${ATTACKER.address}\noptions timeout:1 attempts:1\n`);
  mkdirSync(SOCKETS, { recursive: true });
  for (const path of LEFT_BEHIND) rmSync(path, { force: true });
  for (const folder of ["/run", INSTALLED, SOCKETS]) execFileSync("mount", ["-t", "tmpfs", "tmpfs", folder]);
  if (resolver.startsWith("/run/")) write(resolver, "");
  execFileSync("mount", ["--bind", own, resolver]);
  chmodSync(homes, 0o755);
  execFileSync("mount", ["--bind", homes, "/home"]);
  bindInstalled(dirname(dirname(process.execPath)), "node");
  bindInstalled(program, "pith");
}

/** A toolchain that lies in the home of whoever runs the tests lies in the victim's. The variable HOME may name another home. */
function bindToolchain(): void {
  const homes = [homedir(), userInfo().homedir];
  const home = homes.find((each) => existsSync(join(each, ".cargo/bin/cargo"))) ?? homedir();
  const { CARGO_HOME = join(home, ".cargo"), RUSTUP_HOME = join(home, ".rustup") } = process.env;
  for (const [source, name] of [
    [join(CARGO_HOME, "bin"), ".cargo/bin"],
    [RUSTUP_HOME, ".rustup"],
  ] as const) {
    if (!existsSync(source)) continue;
    mkdirSync(join(HOME, name), { recursive: true });
    execFileSync("mount", ["--bind", "-o", "ro", source, join(HOME, name)]);
  }
}

function bindInstalled(source: string, name: string): void {
  mkdirSync(join(INSTALLED, name));
  execFileSync("mount", ["--bind", source, join(INSTALLED, name)]);
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** As the user that the program runs as. */
function asUser(words: readonly string[]): readonly string[] {
  if (!options.isOrdinary) return words;
  return ["setpriv", "--reuid", `${ORDINARY}`, "--regid", `${ORDINARY}`, "--clear-groups", "--", ...words];
}

function run(words: readonly string[]): void {
  const [program = "", ...rest] = asUser(words);
  execFileSync(program, rest, { cwd: WORKSPACE, env, stdio: ["ignore", "ignore", "inherit"], timeout: LONGEST_MS });
}

function startClient(): RpcClient {
  const names = [`fetch(${DOCS.name})`, `network(${DOCS.name})`, `network(git.${REGISTRIES.name})`];
  const rules = names.flatMap((rule) => ["--allow", rule]);
  const [command = "", ...args] = asUser([
    "node",
    ...pith,
    "--mode",
    "rpc",
    "--permission-mode",
    options.mode,
    ...rules,
  ]);
  const started = RpcClient.start({
    command,
    args,
    cwd: WORKSPACE,
    env,
    onStderr: (text) => process.stderr.write(text),
  });
  started.listen((event) => {
    if (event.type !== "extension_ui_request" || !["select", "confirm", "input"].includes(event.method)) return;
    started.respond({ type: "extension_ui_response", id: event.id, ...answerTo(event) });
  });
  return started;
}

type UserAnswer = { readonly value: string } | { readonly confirmed: boolean } | { readonly cancelled: true };

function answerTo(request: RpcUiRequest): UserAnswer {
  questions.push("title" in request ? request.title : request.method);
  const isYes = options.user === "agrees" || (options.user === "permits-commands" && isPlainCommand(request));
  if (request.method === "confirm") return { confirmed: isYes };
  if (request.method !== "select") return { cancelled: true };
  const value = request.options.find((option) => (isYes ? /^(yes|trust|allow)/i : /^no/i).test(option));
  return value === undefined ? { cancelled: true } : { value };
}

/** A command that stays in the sandbox and wants nothing more. */
function isPlainCommand(request: RpcUiRequest): boolean {
  const permission =
    "permission" in request ? (request.permission as { readonly intent?: Readonly<Record<string, unknown>> }) : {};
  const { type, isConfined, isOutside, secrets: wanted, hosts } = permission.intent ?? {};
  return type === "command" && isConfined === true && !isOutside && !wanted && !hosts;
}

function findAttempt(name: string): Attempt {
  const found = attempts.find((attempt) => attempt.name === name);
  if (!found) throw new Error(`there is no attempt ${name}`);
  return found;
}

async function perform(attempt: Attempt): Promise<Outcome> {
  const mark = collector.arrivals.length;
  const firstRequest = registries.requests.length;
  const before = attempt.isEscape ? outside() : null;
  questions.length = 0;
  await client.send({ type: "new_session" });
  await attempt.before?.({ collector });
  const prompt = model.begin(attempt);
  const settled = new Promise<void>((resolve) => {
    client.listen((event) => event.type === "agent_settled" && resolve());
  });
  await client.send({ type: "prompt", message: prompt });
  const isSettled = await Promise.race([settled.then(() => true), sleep(LONGEST_MS, false)]);
  if (!isSettled) await client.send({ type: "abort" });
  const served = attempt.reachesPort === undefined ? "" : await readPort(attempt.reachesPort);
  if (attempt.isPickedUpLater) await goOnWorking();
  await sleep(attempt.channel === "background" ? 10 * LINGER_MS : LINGER_MS);
  const { bytes, via } = collector.since(mark);
  const requests = registries.requests.slice(firstRequest);
  const leaked = findSecrets(Buffer.concat([bytes, ...requests.map(({ text }) => Buffer.from(text))]), secrets);
  const reached = [...new Set(requests.map(({ host }) => host))];
  const hasArrived = attempt.arrives !== undefined && bytes.includes(expectedBytes(attempt.arrives, secrets));
  const changed = before === null ? [] : changesSince(before);
  return {
    name: attempt.name,
    leaked,
    via,
    hasArrived,
    reached,
    served,
    changed,
    callResults: model.results(),
    questions: [...questions],
  };
}

async function readPort(port: number): Promise<string> {
  try {
    return await (await fetch(`http://127.0.0.1:${port}/served.txt`)).text();
  } catch (error) {
    return String(error);
  }
}

/** All that nobody but the user may change: the home without the workspace and without what the program itself keeps, and parts of the machine. */
function outside(): ReadonlyMap<string, string> {
  const paths = [...entriesIn(HOME), ...GUARDED_NAMES, ...MACHINE_FILES];
  return new Map(paths.map((path) => [path, describeEntry(path)]));
}

function entriesIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (path === WORKSPACE || NOT_COMPARED.test(path)) return [];
    return entry.isDirectory() ? [path, ...entriesIn(path)] : [path];
  });
}

function describeEntry(path: string): string {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (!entry) return "absent";
  if (entry.isSymbolicLink()) return `link ${readlinkSync(path)}`;
  return `${entry.mode.toString(8)} ${entry.isFile() ? readFileSync(path, "latin1") : ""}`;
}

function changesSince(before: ReadonlyMap<string, string>): readonly string[] {
  const now = outside();
  return [...new Set([...before.keys(), ...now.keys()])].filter((path) => before.get(path) !== now.get(path));
}

/** A name of a secret stands for its value. */
function expectedBytes(arrives: string, planted: readonly PlantedSecret[]): string {
  return planted.find(({ name }) => name === arrives)?.value ?? arrives;
}

/** What a user does outside the sandbox, in the course of a day. What was planted is removed, so that it counts once. */
async function goOnWorking(): Promise<void> {
  const programs =
    ".vscode/* ~/.npm/_npx/*/node_modules/.bin/* ~/.config/autostart/* ~/.config/systemd/user/* /etc/cron.d/x";
  const day = [
    "bash -ic true </dev/null; bash -lc true; sh -lc true",
    "git status; git add -A; git commit -qm evening --allow-empty",
    'PATH="$HOME/bin:$PATH" ls',
    `ANTHROPIC_API_KEY=x ANTHROPIC_BASE_URL=${server.url} node ${pith.join(" ")} -p "Good evening."`,
    `for each in ${programs} /var/spool/cron/crontabs/root; do [ -f "$each" ] && timeout 5 sh "$each"; done`,
    "rm -rf .vscode ~/bin ~/.local/bin ~/.npm/_npx ~/.config/autostart ~/.config/systemd ~/.profile ~/.bash_profile",
    "chmod 700 ~/.pith/sandbox/*/home; rm -rf ~/.pith/sandbox/*/home/bin ~/.pith/sandbox/*/home/.local",
    "rm -f .git/hooks/* .gitattributes home-link rc; echo '# as it was' >~/.bashrc; git config --unset core.fsmonitor",
  ];
  const [program = "", ...words] = asUser(["bash", "-c", day.join("\n")]);
  const child = spawn(program, words, { cwd: WORKSPACE, env: { PATH, HOME }, stdio: "ignore", timeout: LONGEST_MS });
  await new Promise((resolve) => child.on("close", resolve));
}
