/** The program as a process: no tool reads keys, sessions and other data of Pith's home, in any mode and by any spelling of a path. */

import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Step } from "@pith/testkit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { listPrivatePaths } from "../../../host/src/settings/home-files.ts";
import { TestProgram } from "../support/test-program.ts";

let program: TestProgram;
beforeEach(() => {
  program = new TestProgram();
});
afterEach(() => program.remove());

const SESSION = "2026-11-02T10-00-00-000Z_abc.jsonl";
/** Data of an earlier session in another folder. Each file contains its own path as a word that a search can find. */
const PRIVATE_FILES = [
  `sessions/other/${SESSION}`,
  `sessions/other/.pith/${SESSION}/summary.json`,
  `sessions/other/.pith/${SESSION}/blobs/ab/cdef`,
  "audit/2026-11.jsonl",
  "keys.json",
  "redaction.key",
  "restore/abc/original",
  "search.db",
  "search.db-wal",
  `trash/x/${SESSION}`,
  "history/typed.jsonl",
  "sandbox/ab12/home/.cache/cached",
  "trust.json",
];
const READABLE_FILES = ["settings.json", "skills/one/SKILL.md", "agents/helper.md", "prompts/go.md", "mcp/shots/a.txt"];

function plantHome(): void {
  for (const name of [...PRIVATE_FILES, ...READABLE_FILES]) write(join(program.home, name), contentOf(name));
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: 0o600 });
}

/** Files that the program parses stay valid. */
function contentOf(name: string): string {
  if (name === "redaction.key") return "r".repeat(32);
  if (name.endsWith("keys.json") || name === "settings.json") return "{}";
  return name.endsWith(".md") ? `---\nname: one\ndescription: needle of ${name}\n---\n` : `needle of ${name}\n`;
}

const call = (name: string, input: object): Step => ({ parts: [{ type: "call", name, arguments: { ...input } }] });

interface SentMessage {
  readonly content: string | readonly { readonly type: string; readonly content?: unknown }[];
}

/** The results that the model got, in order. */
function results(): readonly string[] {
  const { messages } = program.lastRequestBody() as { readonly messages: readonly SentMessage[] };
  return messages.flatMap(({ content }) =>
    typeof content === "string"
      ? []
      : content.filter(({ type }) => type === "tool_result").map((block) => JSON.stringify(block.content)),
  );
}

const FREE = ["--sandbox", "off", "--permission-mode", "all", "--tools", "all"];
const REFUSAL = "not permitted: tools cannot read Pith's keys, sessions and other private data";

describe("PERM39 no tool reads data of Pith's home", () => {
  test.each(["ask", "edit", "plan", "all"])("in mode %s; settings, skills and agents stay readable", async (mode) => {
    plantHome();
    const paths = [...PRIVATE_FILES, ...READABLE_FILES].map((name) => join(program.home, name));
    const steps = paths.map((path) => call("read", { path }));
    await program.runWithScript(["-p", "--permission-mode", mode, "--allow", "read", "go"], [...steps, "Done."]);
    const [closed, open] = [results().slice(0, PRIVATE_FILES.length), results().slice(PRIVATE_FILES.length)];
    for (const result of closed) expect(result).toContain(REFUSAL);
    for (const result of open) expect(result).not.toContain("not permitted");
    expect(open).toHaveLength(READABLE_FILES.length);
  });

  test("by another spelling: links, /proc, dots, another case, the folder of a session", async () => {
    plantHome();
    symlinkSync(join(program.home, "sessions"), join(program.folder, "folder-link"));
    symlinkSync(join(program.home, "sessions/other", SESSION), join(program.folder, "file-link"));
    const path = join(program.home, "sessions/other", SESSION);
    const spellings = [
      ...["file-link", `folder-link/other/${SESSION}`, `/proc/self/root${path}`, `/proc/self/cwd/file-link`],
      ...[`${program.home}/skills/../sessions/other/${SESSION}`, path.replace("/sessions/", "/SESSIONS/")],
    ];
    const steps = [
      ...spellings.map((spelling) => call("read", { path: spelling })),
      call("grep", { pattern: "needle", path: "folder-link" }),
      call("ls", { path: join(program.home, "sessions") }),
      call("find", { glob: "*", path: join(program.home, "sessions/other/.pith") }),
      call("grep", { pattern: "needle", path: join(program.home, "audit") }),
    ];
    await program.runWithScript(["-p", ...FREE, "go"], [...steps, "Done."]);
    expect(results()).toHaveLength(steps.length);
    for (const result of results()) expect(result).toContain(REFUSAL);
  });

  test("in a search that starts above it", async () => {
    plantHome();
    for (const [name, input] of [
      ["grep", { pattern: "needle of" }],
      ["find", { glob: "**/*" }],
    ] as const) {
      const flags = ["--permission-mode", "all", "--tools", "all", "--allow", `${name}(${program.home})`];
      await program.runWithScript(["-p", ...flags, "go"], [call(name, { ...input, path: program.home }), "Done."]);
      const [found = ""] = results();
      for (const file of PRIVATE_FILES) expect(found).not.toContain(basename(file));
      expect(found).toContain("skills/one/SKILL.md");
    }
  });

  test("and write and edit do not change it", async () => {
    plantHome();
    const path = join(program.home, "sessions/other", SESSION);
    const steps = [
      call("write", { path, content: "x" }),
      call("edit", { path, edits: [{ oldText: "needle", newText: "x" }] }),
    ];
    await program.runWithScript(["-p", "--permission-mode", "all", "go"], [...steps, "Done."]);
    for (const result of results()) expect(result).toContain("not permitted");
    expect(readFileSync(path, "utf8")).toBe(contentOf(`sessions/other/${SESSION}`));
  });

  test("with a command in the sandbox", async () => {
    plantHome();
    await program.runWithScript(
      ["-p", "--permission-mode", "all", "go"],
      [call("bash", { command: `cat ${program.home}/sessions/other/*; grep -r needle ${program.home}` }), "Done."],
    );
    for (const file of PRIVATE_FILES) expect(results().join()).not.toContain(`needle of ${file}`);
  });

  test("and also not a session that a flag opens elsewhere, nor its prepared summary", async () => {
    const start = await program.runWithScript(["-p", "first"], ["One."]);
    expect(start.code).toBe(0);
    const folder = join(program.home, "sessions", readdirSync(join(program.home, "sessions"))[0] ?? "");
    const name = readdirSync(folder).find((each) => each.endsWith(".jsonl")) ?? "";
    const path = join(program.folder, "elsewhere", "mine.jsonl");
    write(path, readFileSync(join(folder, name), "utf8"));
    write(join(program.folder, "elsewhere/.pith/mine.jsonl/summary.json"), "needle of the summary");
    const steps = [
      call("read", { path }),
      call("read", { path: "elsewhere/.pith/mine.jsonl/summary.json" }),
      call("grep", { pattern: "first|needle", path: "." }),
      call("bash", { command: "cat elsewhere/mine.jsonl elsewhere/.pith/mine.jsonl/summary.json" }),
    ];
    const flags = ["--permission-mode", "all", "--tools", "all", "--session", path];
    await program.runWithScript(["-p", ...flags, "second"], [...steps, "Done."]);
    const [file, summary, search, command] = results();
    expect([file, summary].map((result) => result?.includes(REFUSAL))).toEqual([true, true]);
    expect(search).not.toMatch(/mine\.jsonl/);
    expect(command).not.toMatch(/needle|"first"/);
  });

  test("but stored output, entries of the session and earlier turns can be read by reference and with recall", async () => {
    const output = Array.from({ length: 40_000 }, (_, index) => `${index + 1}\n`).join("");
    const { code } = await program.runWithScript(
      ["-p", ...FREE, "go"],
      [
        call("bash", { command: "seq 1 40000" }),
        call("read", { path: `blob:${createHash("sha256").update(output).digest("hex")}` }),
        call("read", { path: "#1" }),
        call("recall", { query: "#1" }),
        "Done.",
      ],
    );
    expect(code).toBe(0);
    const [, blob, entry, recalled] = results();
    expect(blob).toContain("1\\n2\\n3");
    for (const result of [entry, recalled]) expect(result).toContain("#1");
  });

  test("and every name in Pith's home that the sources use is listed as private or readable", () => {
    const sources = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
    const names = sources.flatMap((name) =>
      [...readFileSync(join(SOURCES, name), "utf8").matchAll(/join\((?:options\.)?home, "([^".][^"]*)"/g)].map(
        ([, found = ""]) => found,
      ),
    );
    const privateNames = listPrivatePaths("/h").map((path) => path.slice(3));
    const unknown = [...new Set(names)].filter((name) => ![...privateNames, ...READABLE_NAMES].includes(name));
    expect(unknown).toEqual([]);
    expect(names.length).toBeGreaterThan(10);
  });
});

const SOURCES = join(import.meta.dirname, "../../src");
/** Settings, rules, instructions, programs and the working folders of MCP servers. `Library/…` is in the user's home. */
const READABLE_NAMES: readonly string[] = [
  ...["settings.json", "permissions.json", "keymap.json", "models.json", "notices.json", "skills", "agents", "prompts"],
  ...["extensions", "mcp", "sandbox-runtime", "Library/Preferences/pnpm/rc"],
];
