/** Tests subcommands/subcommands.ts: doctor, trust. */

import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { SubcommandResult } from "../../src/args/subcommand.ts";
import { trustSubcommand } from "../../src/subcommands/subcommands.ts";
import { SubcommandRunner } from "../support/subcommand-runner.ts";
import { TrustProject } from "../support/trust-project.ts";

describe("doctor", () => {
  let runner: SubcommandRunner;

  beforeEach(() => {
    runner = new SubcommandRunner();
  });

  afterEach(() => runner.remove());

  interface Checks {
    readonly checks: readonly {
      readonly name: string;
      readonly state: string;
      readonly message: string;
      readonly advice?: string;
    }[];
  }

  test("DRS1 doctor prints one line per check, with advice where needed, and no keys", async () => {
    runner.environment = { ...runner.environment, OPENAI_API_KEY: "sk-secret-in-the-environment" };
    writeFileSync(join(runner.home, "keys.json"), '{ "anthropic": "sk-secret-in-a-file" }', { mode: 0o600 });
    await runner.add();
    const { code, out } = await runner.run("doctor");
    expect(code).toBe(0);
    for (const name of [
      "Node",
      "ripgrep",
      "sandbox",
      "protections",
      "file permissions",
      "settings",
      "API keys",
      "trust",
      "sessions",
      "blobs",
      "disk",
      "SQLite",
      "completions",
    ])
      expect(out).toMatch(new RegExp(`^(ok|warning) +${name}: `, "m"));
    expect(out).toMatch(/API keys: anthropic, openai/);
    expect(out).not.toContain("sk-secret");
    const { checks } = (await runner.json("doctor")) as Checks;
    for (const { state, advice } of checks) expect(state === "ok").toBe(advice === undefined);
  });

  test("DRS4 doctor shows bubblewrap's version and the protections, and what is missing or weakened", async () => {
    const { out } = await runner.run("doctor");
    expect(out).toMatch(/^ok +sandbox: commands are sandboxed by \S+\/bwrap \(bubblewrap \d+\.\d+/m);
    expect(out).toMatch(/^ok +network: commands need your approval for each host; .* system calls are filtered$/m);
    expect(out).toMatch(
      /^ok +protections: commands cannot see your home folder, folders beside the workspace .*\. Tools: .*secrets are redacted/m,
    );
    expect(out).toMatch(
      /^ok +limits: each command may use \d\S* GB of memory, 4096 processes and threads, and 10 GB of files in \/tmp; /m,
    );
    writeFileSync(join(runner.home, "settings.json"), JSON.stringify(LOOSE));
    expect((await runner.run("doctor")).out).toMatch(
      /^warning +protections: .*\. Weakened by network open, unixSockets on, sandboxRead, permissionMode all, secrets\.redact off\n +→ pith settings/m,
    );
    runner.environment = { ...runner.environment, PATH: "/nowhere" };
    const without = (await runner.run("doctor")).out;
    expect(without).toMatch(/^warning +sandbox: bubblewrap is not installed.*\n +→ install bubblewrap/m);
    expect(without).toMatch(/^warning +protections: commands you allow run unrestricted\. .*\n +→ docs\/security\.md/m);
  });

  const LOOSE = {
    ...{ network: "open", unixSockets: "on", sandboxRead: ["~/lib"] },
    ...{ permissionMode: "all", secrets: { redact: "off" } },
  };

  test("DRS1 a home that is not a folder is an error among the other checks", async () => {
    const file = join(runner.folder, "home.txt");
    writeFileSync(file, "");
    runner.environment = { ...runner.environment, PITH_HOME: file };
    const { code, out } = await runner.run("doctor");
    expect(code).toBe(1);
    expect(out).toMatch(/^ERROR +file permissions: cannot access .*home\.txt.*: ENOTDIR\n +→ check its owner/m);
    expect(out).toMatch(/^ok +SQLite: /m);
  });

  test("DRS2 doctor exits with 1 on an error; --fix removes permissions of others, follows no link, and changes nothing else", async () => {
    const path = await runner.add();
    const outside = join(runner.folder, "mine.txt");
    writeFileSync(outside, "mine", { mode: 0o644 });
    symlinkSync(outside, join(runner.home, "link"));
    writeFileSync(join(runner.home, "settings.json"), '{ "thinking": 7 }', { mode: 0o600 });
    chmodSync(path, 0o644);
    chmodSync(runner.home, 0o755);
    const open = await runner.run("doctor");
    expect(open).toMatchObject({
      code: 1,
      out: expect.stringMatching(
        /^ERROR +file permissions: other users have access to .* and 1 other path\n +→ run pith doctor --fix/m,
      ),
    });
    expect(open.out).toMatch(/^ERROR +settings: .*thinking/m);
    const fixed = await runner.run("doctor", "--fix");
    expect(fixed).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^ok +file permissions: removed other users' access to 2 paths/m),
    });
    expect([path, runner.home, outside].map((each) => statSync(each).mode & 0o777)).toEqual([0o600, 0o700, 0o644]);
    expect(readFileSync(join(runner.home, "settings.json"), "utf8")).toBe('{ "thinking": 7 }');
  });

  test("DRS2 a home that others can list is a warning, not an error", async () => {
    chmodSync(runner.home, 0o755);
    const { code, out } = await runner.run("doctor");
    expect(code).toBe(0);
    expect(out).toMatch(/^warning +file permissions: other users can list the files in .*\n +→ run pith doctor --fix/m);
    chmodSync(runner.home, 0o775);
    expect((await runner.run("doctor")).code).toBe(1);
  });

  test("DRS1 a key of an unknown provider is reported without its name", async () => {
    writeFileSync(join(runner.home, "keys.json"), '{ "anthropc": "abc" }', { mode: 0o600 });
    const { out } = await runner.run("doctor");
    expect(out).toMatch(/^warning +API keys: 1 key in .*keys\.json has an unknown provider name\n +→ .*anthropic/m);
    expect(out).not.toContain("anthropc");
  });

  test("DRS3 damaged sessions and blobs without a session are reported and left unchanged", async () => {
    const path = await runner.add();
    writeFileSync(path, `${readFileSync(path, "utf8").replace("login", "LOGIN")}`);
    const orphan = join(path, "..", ".pith", "gone.jsonl", "blobs");
    mkdirSync(orphan, { recursive: true, mode: 0o700 });
    writeFileSync(join(orphan, "a".repeat(64)), "blob", { mode: 0o600 });
    const { code, out } = await runner.run("doctor", "--deep");
    expect(code).toBe(0);
    expect(out).toMatch(/^warning +sessions: 1 of 1 session damaged, .*checksum/m);
    expect(out).toMatch(/^warning +blobs: 1 blob folder without a session/m);
  });
});

describe("trust", () => {
  let project: TrustProject;

  beforeEach(() => {
    project = new TrustProject();
    project.place({
      "repo/.pith/settings.json": '{ "model": "a/b" }\n',
      "repo/.pith/skills/build/SKILL.md": "# Build\n",
      "repo/AGENTS.md": "Use tabs.\n",
    });
  });

  afterEach(() => project.remove());

  test("TRU11 without a terminal, pith trust shows the folder's files, trusts nothing, and says how to", async () => {
    const outcome = await run({});
    expect(outcome).toMatchObject({ type: "success", code: 1 });
    expect(text(outcome)).toBe(`${project.root}
  is not trusted; these files are not used

Settings for Pith in this folder
  .pith/settings.json  19 bytes
      { "model": "a/b" }

Skills (instructions for the model)
  .pith/skills/build/SKILL.md  8 bytes

Sent to the model as text, even if the folder is not trusted
  AGENTS.md  10 bytes

Nothing was trusted. To trust this, run the command again with --yes.`);
    expect((await project.check()).type).toBe("untrusted");
  });

  test("TRU11 --yes trusts what is shown; later changes are shown as a diff and need trust again", async () => {
    expect(data(await run({ yes: true }))).toMatchObject({ isTrusted: true });
    expect((await project.check()).type).toBe("trusted");
    project.place({ "repo/.pith/settings.json": '{ "model": "c/d" }\n' });
    const shown = await run({ show: true });
    expect(text(shown)).toContain(`
Changed since the folder was last trusted
  .pith/settings.json was changed
      --- .pith/settings.json
      +++ .pith/settings.json
      @@ -1,1 +1,1 @@
      -{ "model": "a/b" }
      +{ "model": "c/d" }`);
    expect(data(shown)).toMatchObject({ isTrusted: false, isChanged: true });
    await run({ yes: true });
    expect((await project.check()).type).toBe("trusted");
  });

  test("TRU11 trust is listed and revoked, also for a folder that no longer exists", async () => {
    expect(text(await run({ list: true }))).toBe("No trusted folders.");
    await run({ yes: true });
    expect(data(await run({ list: true }))).toEqual([{ root: project.root, trusted: expect.any(String), files: 2 }]);
    expect(text(await run({ revoke: true }))).toBe(`${project.root} is no longer trusted.`);
    expect(text(await run({ revoke: true }))).toBe(`${project.root} was not trusted.`);
    await run({ yes: true });
    rmSync(project.root, { recursive: true });
    expect(text(await run({ revoke: true }))).toBe(`${project.root} is no longer trusted.`);
  });

  test("TRU11 a folder without such files needs no trust and gets none", async () => {
    project.place({ "bare/file": "" });
    const shown = await run({ yes: true }, ["../bare"]);
    expect(text(shown)).toBe(`${join(project.base, "bare")}\n  contains nothing that requires trust`);
    expect(() => readFileSync(join(project.home, "trust.json"))).toThrow("ENOENT");
  });

  test("TRU11 a long file is shown by its beginning with the number of further lines, and no line of it can fake the output", async () => {
    const long = ["{", ...Array.from({ length: 150 }, (_, at) => `"k${at}": 1,`), "}"].join("\n");
    project.place({ "repo/.pith/settings.json": long, "repo/.pith/mcp.json": `{ "a": "${"x".repeat(1_000_000)}" }` });
    const shown = text(await run({ show: true }));
    expect(shown).toContain('      "k98": 1,\n      … 52 more lines\n');
    expect(shown).toMatch(/\n {6}\{ "a": "x{392} … 999,611 more characters/);
    expect(shown.length).toBeLessThan(5_000);
  });

  test("TRU11 TRU9 a file name cannot fake the output, and such a file is not used", async () => {
    const sly = ".pith/skills/a\n\nrepo\n  is trusted in its current state";
    project.place({ [`repo/${sly}/SKILL.md`]: "sly" });
    const shown = text(await run({ show: true }));
    expect(shown).toContain(`  ${sly.replaceAll("\n", "\\n")} has a control character or line break in its name`);
    expect(shown).not.toContain("\n  is trusted");
    expect((await project.check("repo", true)).project.files.map(({ name }) => name)).toEqual([
      ".pith/settings.json",
      ".pith/skills/build/SKILL.md",
    ]);
  });

  test("TRU11 only context files of the project are listed", async () => {
    project.place({ "repo-home/AGENTS.md": "mine" });
    expect(data(await run({ show: true }, [], join(project.base, "repo-home")))).toMatchObject({
      contextFiles: [{ name: "AGENTS.md", size: 10 }],
    });
  });

  test("TRU11 secrets in the folder are neither shown nor stored, and a file with one can be trusted", async () => {
    const token = `ghp_${"16C7e42F292c6912E7710c838347Ae178B4a"}`;
    const servers = (name: string): string =>
      JSON.stringify({ mcpServers: { [name]: { env: { GITHUB_TOKEN: token } } } });
    project.place({ "repo/.mcp.json": servers("one") });
    const shown = [await run({ show: true }), await run({ yes: true })];
    expect(text(shown[0] as SubcommandResult)).toContain('{"mcpServers":{"one":');
    expect((await project.check()).type).toBe("trusted");
    project.place({ "repo/.mcp.json": servers("two") });
    const changed = await run({ show: true });
    expect(text(changed)).toContain(".mcp.json was changed");
    expect(JSON.stringify([...shown, changed])).not.toContain(token);
    expect(readFileSync(join(project.home, "trust.json"), "utf8")).not.toContain(token);
  });

  test("TRU11 many files do not hide the most important ones, which come first", async () => {
    const flood = Array.from({ length: 200 }, (_, at) => [`repo/.pith/prompts/${at}.md`, "text"] as const);
    project.place({ ...Object.fromEntries(flood), "repo/.mcp.json": '{ "mcpServers": {} }' });
    const shown = text(await run({ show: true }));
    expect(shown).toContain("  … and 170 more; --json lists all");
    expect(shown).toContain('      { "mcpServers": {} }');
    expect(shown.split("\n").length).toBeLessThan(60);
  });

  test("TRU11 contradicting flags and a missing folder are mistakes", async () => {
    expect(await run({ show: true, revoke: true })).toMatchObject({
      message: "--show and --revoke cannot be combined; use only one of them",
    });
    expect(await run({}, ["no-such"])).toMatchObject({
      message: `${join(project.root, "no-such")} is not a folder`,
    });
  });

  async function run(
    flags: Readonly<Record<string, boolean>>,
    given: readonly string[] = [],
    home: string = project.home,
  ): Promise<SubcommandResult> {
    const { root: cwd } = project;
    return await trustSubcommand.run({ arguments: given, flags, cwd, home, environment: {}, notify: () => {} });
  }

  function text(outcome: SubcommandResult): string {
    return outcome.type === "success" ? outcome.text : outcome.message;
  }

  function data(outcome: SubcommandResult): unknown {
    return outcome.type === "success" ? outcome.data : outcome;
  }
});
