/** Hosts the agents of two users in one process: one attacks the other with all known escapes, while both work. */

import { mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { PermissionQuestion } from "@pith/agent";
import { detectSandbox } from "@pith/agent/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OutsideAccess } from "../../src/permissions.ts";
import { type Attempt, listAttempts } from "./attempts.ts";
import { findSecrets, type PlantedSecret } from "./find-secrets.ts";
import { type CallResult, type OpenAgentOptions, permitAll, Tenant, type TenantAgent } from "./tenant.ts";
import {
  createSecret,
  createServerFolder,
  createTenantFolders,
  readAllFiles,
  removeTree,
  resetWorkspace,
} from "./tenant-folders.ts";
import { readPort, SEARCH_PATH, Victim } from "./victim.ts";

const here = await detectSandbox({ environment: { PATH: SEARCH_PATH }, root: "/nowhere", home: homedir() });

/** A variable of this process, which belongs to neither user. */
const MARKER = "PITH_TWO_AGENTS_MARKER";

describe.skipIf(here.type === "unavailable")("two agents in one process", () => {
  const marker = createSecret();
  const attackerSecrets: readonly PlantedSecret[] = ["environment", "workspace", "model key"].map((name) => ({
    name: `the attacker's ${name}`,
    value: createSecret(),
  }));
  const [environmentSecret = "", workspaceSecret = "", modelKey = ""] = attackerSecrets.map(({ value }) => value);

  let server: string;
  let victim: Victim;
  let attacker: Tenant;
  let lanes: readonly Lane[] = [];
  const attack: AttackRecord = { outcomes: [], victimResults: [], before: {}, sent: { attacker: "", victim: "" } };

  beforeAll(async () => {
    process.env[MARKER] = marker;
    server = createServerFolder();
    victim = await Victim.open(server);
    attacker = await openAttacker();
    const openings = [openLane(0, USER), openLane(1, USER), openLane(2, { settings: { network: "off" } })];
    lanes = await Promise.all(openings);
    attack.before = victim.describe();
    await Promise.all(lanes.map(runLane));
    attack.sent = { attacker: attacker.model.sentText, victim: victim.tenant.model.sentText };
  });

  afterAll(async () => {
    delete process.env[MARKER];
    await Promise.all(lanes.map(({ agent }) => agent.close()));
    await attacker?.close();
    await victim?.close();
    removeTree(server);
  });

  async function openAttacker(): Promise<Tenant> {
    const folders = createTenantFolders(server, "a");
    const environment = { PATH: SEARCH_PATH, HOME: folders.userHome, LANG: "C.UTF-8", A_TOKEN: environmentSecret };
    return await Tenant.open({ folders, environment, modelKey });
  }

  /** A session of the attacker in a workspace of its own, so that sessions do not disturb each other. */
  async function openLane(number: number, options: typeof USER | OpenAgentOptions): Promise<Lane> {
    const workspace = join(attacker.options.folders.base, `workspace-${number}`);
    mkdirSync(workspace);
    const user = options === USER ? { ask: permitAll() } : options;
    // Redaction could hide a leak.
    const agent = await attacker.openAgent({ ...user, workspace, isRedacted: false });
    const all = listAttempts({ workspace }, victim.targets);
    // The escapes from the sandbox do not depend on the user, so each is made once.
    const isOwn = (attempt: Attempt, index: number): boolean =>
      options === USER ? index % 2 === number : !attempt.isSandboxEscape;
    return { agent, workspace, attempts: all.filter(isOwn) };
  }

  async function runLane({ agent, workspace, attempts }: Lane): Promise<void> {
    for (const batch of splitIntoBatches(attempts)) {
      resetWorkspace(workspace, { wayOut: victim.folders.workspace, token: workspaceSecret });
      const working = agent === lanes[0]?.agent ? victim.work() : null;
      const results = [...(await agent.run(batch.flatMap(({ calls }) => calls)))];
      for (const { name, calls } of batch) attack.outcomes.push(judge(name, results.splice(0, calls.length)));
      if (working !== null) attack.victimResults.push(await working);
    }
  }

  function judge(name: string, results: readonly CallResult[]): Outcome {
    const text = results.map((result) => `${result.text}\n${JSON.stringify(result.details)}`).join("\n");
    return {
      name,
      text,
      found: [...findSecrets(text, victim.secrets), ...(text.includes("ESCAPED") ? ["ESCAPED"] : [])],
    };
  }

  test("HOST1 no attempt of an agent shows it anything of another user's agent", async () => {
    const failures = attack.outcomes.filter(({ found }) => found.length > 0);
    expect(failures.map(({ name, found }) => `${name}: ${found.join(", ")}`)).toEqual([]);
    expect(attack.outcomes.length).toBeGreaterThan(250);
    const entries = lanes.map(({ agent }) => agent.entriesText).join("\n");
    const blobs = (await Promise.all(lanes.map(({ agent }) => agent.readBlobs()))).join("\n");
    const files = readAllFiles(attacker.options.folders.base).toString("latin1");
    const places = { entries, blobs, files, "requests to its model": attack.sent.attacker };
    expect(Object.entries(places).map(([place, text]) => [place, findSecrets(text, victim.secrets)])).toEqual(
      Object.keys(places).map((place) => [place, []]),
    );
  });

  test("HOST1 every attempt was made", () => {
    const silent = attack.outcomes.filter(({ text }) => text.trim() === "");
    expect(silent.map(({ name }) => name)).toEqual([]);
    const refused = attack.outcomes.filter(({ text }) => /not run, because|no sandbox is available/.test(text));
    expect(refused.map(({ name }) => name)).toEqual([]);
  });

  test("HOST2 an agent changes no file of another user's agent, ends none of its processes and answers none of its questions", async () => {
    expect(victim.describe()).toEqual(attack.before);
    expect(victim.isJobAlive()).toBe(true);
    const served = await readPort(victim.targets.publishedPort);
    expect(findSecrets(served, victim.secrets)).toEqual(["server"]);
    // About its own server, and nothing since.
    expect(victim.questions.map(({ intent }) => intent?.type).filter((type) => type !== "command")).toEqual(["port"]);
  });

  test("HOST3 an agent works as usual while another user's agent attacks it", () => {
    expect(attack.victimResults.length).toBeGreaterThan(4);
    expect(new Set(attack.victimResults.map(isUsualWork))).toEqual(new Set([true]));
  });

  /** It sees its own files and nothing else. */
  function isUsualWork(text: string): boolean {
    const home = `HOME=${victim.folders.userHome}\n`;
    return ["API_TOKEN=PITH_SECRET_", "4\nown-42", "The launch code is", home].every((part) => text.includes(part));
  }

  test("HOST4 each agent sends only its own texts and its own key to its model", () => {
    expect(findSecrets(attack.sent.victim, attackerSecrets)).toEqual([]);
    const keysSent = ({ model }: Tenant): unknown => [...new Set(model.headers.map((headers) => headers["x-api-key"]))];
    expect(keysSent(attacker)).toEqual([attacker.options.modelKey]);
    expect(keysSent(victim.tenant)).toEqual([victim.tenant.options.modelKey]);
  });

  test("HOST4 an agent redacts the secrets of its own user, and knows none of another's", async () => {
    const { base } = attacker.options.folders;
    const workspace = join(base, "redacted");
    resetWorkspaceAt(workspace);
    const agent = await attacker.openAgent({ workspace, ask: permitAll() });
    const own = await agent.bash(`cat .env; echo ${environmentSecret}`);
    expect(findSecrets(own.text, attackerSecrets)).toEqual([]);
    const placeholders = [...new Set(own.text.match(/PITH_SECRET_\w+/g))];
    expect(placeholders.length).toBe(2);
    for (const placeholder of placeholders) {
      const restored = await victim.agent.bash(`echo ${placeholder}`, { secrets: [placeholder] });
      expect(findSecrets(restored.text, attackerSecrets)).toEqual([]);
    }
    const foreign = await agent.bash(`echo ${victim.tenant.options.environment.B_TOKEN}`);
    expect(findSecrets(foreign.text, victim.secrets)).toEqual(["environment"]);
    // The name of a secret depends on a key of its user, so a placeholder tells another user nothing.
    const same = await victim.agent.bash(`echo API_TOKEN=${workspaceSecret}`);
    expect(same.text).toMatch(/PITH_SECRET_/);
    expect(placeholders.filter((placeholder) => same.text.includes(placeholder))).toEqual([]);
    await agent.close();
  });

  test("HOST5 commands and requests get nothing of the server's own environment", () => {
    const victimResults = attack.victimResults.map((text) => ({ name: "the work of the victim", text }));
    const sent = Object.entries(attack.sent).map(([name, text]) => ({ name: `requests of the ${name}`, text }));
    const texts = [...attack.outcomes, ...victimResults, ...sent];
    expect(attack.victimResults.every((text) => text.includes("PATH="))).toBe(true);
    const found = texts.filter(({ text }) => text.includes(marker) || text.includes(MARKER));
    expect(found.map(({ name }) => name)).toEqual([]);
  });

  test("HOST6 an agent reads nothing outside its workspace whatever its user answers, unless the host lets it ask or read", async () => {
    const { home } = attacker.options.folders;
    const workspace = join(attacker.options.folders.base, "reading");
    resetWorkspaceAt(workspace);
    mkdirSync(join(home, "skills/own"), { recursive: true });
    writeFileSync(join(home, "skills/own/SKILL.md"), "---\nname: own\ndescription: Own.\n---\nOwn skill.\n");
    const foreign = join(victim.folders.workspace, "notes.txt");
    const calls = [join(home, "skills/own/SKILL.md"), foreign].map((path) => ({ tool: "read", arguments: { path } }));
    const questions: PermissionQuestion[] = [];
    const read = async (outside: OutsideAccess) => {
      const permissions = { outside };
      const agent = await attacker.openAgent({ workspace, isRedacted: false, ask: permitAll(questions), permissions });
      const [own, other] = await agent.run(calls);
      await agent.close();
      expect(own?.text).toContain("Own skill.");
      return other?.text ?? "";
    };
    expect(await read("none")).toMatch(/^not permitted: only the workspace can be used here/);
    expect(questions).toEqual([]);
    expect(findSecrets(await read("ask"), victim.secrets)).toEqual(["workspace/notes.txt"]);
    expect(questions.map(({ text }) => text)).toEqual([`Allow reading ${foreign} outside the workspace?`]);
    expect(findSecrets(await read("read"), victim.secrets)).toEqual(["workspace/notes.txt"]);
    expect(questions).toHaveLength(1);
  });

  function resetWorkspaceAt(workspace: string): void {
    mkdirSync(workspace);
    resetWorkspace(workspace, { wayOut: victim.folders.workspace, token: workspaceSecret });
  }

  test("HOST3 an agent works after another user's agent was closed", async () => {
    await Promise.all(lanes.map(({ agent }) => agent.close()));
    expect(victim.isJobAlive()).toBe(true);
    expect(isUsualWork(await victim.work())).toBe(true);
  });
});

/** A user who permits everything. */
const USER = "user";

interface Lane {
  readonly agent: TenantAgent;
  readonly workspace: string;
  readonly attempts: readonly Attempt[];
}

interface Outcome {
  readonly name: string;
  readonly text: string;
  /** Names of secrets of the other user, and `ESCAPED`. */
  readonly found: readonly string[];
}

interface AttackRecord {
  readonly outcomes: Outcome[];
  /** What the victim saw when it worked meanwhile. */
  readonly victimResults: string[];
  /** The victim's files. */
  before: Readonly<Record<string, string>>;
  /** The requests to the models. */
  sent: { readonly attacker: string; readonly victim: string };
}

const MAX_BATCH = 16;

/** The calls of a batch are made in one reply. */
function splitIntoBatches(attempts: readonly Attempt[]): readonly (readonly Attempt[])[] {
  const count = Math.ceil(attempts.length / MAX_BATCH);
  return Array.from({ length: count }, (_, index) => attempts.slice(index * MAX_BATCH, (index + 1) * MAX_BATCH));
}
