/** Tests the tools with permissions while a path is changed between the decision and the opening. */

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { describe, expect, onTestFinished, test } from "vitest";
import { nodeFiles } from "../../src/node/files.ts";
import { resolveRealPath } from "../../src/node/safe-files.ts";
import { nodeSearch } from "../../src/node/search/search.ts";
import { Permissions } from "../../src/permissions/permissions.ts";
import { fileTools, searchTools } from "../../src/tools/tools.ts";

interface ToolFixture {
  readonly root: string;
  readonly home: string;
  /** What the tool says of a call that was permitted, and after which `bend` was done. */
  runForText(tool: string, input: Readonly<Record<string, unknown>>, bend?: () => void): Promise<string>;
}

function createTools(ripgrep: string | null = rgPath): ToolFixture {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "pith-held-")));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const root = join(home, "project");
  mkdirSync(join(root, "inside"), { recursive: true });
  mkdirSync(join(home, "own/secret"), { recursive: true });
  writeFileSync(join(home, "own/secret", "a.txt"), "needle of the home\n");
  writeFileSync(join(root, "inside", "a.txt"), "needle of the project\n");
  const paths = { root, home, temporaryFolders: [], privatePaths: [join(home, "own/secret")], permissionFiles: [] };
  const permissions = new Permissions({ mode: "edit", paths: paths, resolveRealPath });
  const files = nodeFiles({ root, home });
  const tools = [...fileTools({ files }), ...searchTools({ files, search: nodeSearch({ root, home, ripgrep }) })];
  const { signal } = new AbortController();
  const runForText: ToolFixture["runForText"] = async (name, input, bend) => {
    const tool = tools.find((one) => one.name === name);
    const intent = tool?.intent?.(input) ?? null;
    const permit = await permissions.permit({ tool: name, arguments: input, intent }, { signal });
    if (permit.type === "refused" || !tool) throw new Error("it was not permitted");
    bend?.();
    const { grant } = permit;
    const call = {
      id: "c1",
      arguments: input,
      signal,
      maxOutputBytes: 50_000,
      update: () => {},
      ...(grant && { grant }),
    };
    const { content } = await tool.run(call);
    return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
  };
  return { root, home, runForText };
}

const ELSEWHERE = "it now points to a different file than the one that was permitted";

/** What the workspace has at a path, exchanged for a link to what the home has. */
function bent(path: string, target: string): void {
  renameSync(path, `${path}.before`);
  symlinkSync(target, path);
}

describe("FILE23 a tool opens the file that was permitted", () => {
  test("a link whose target changed is read at the permitted target", async () => {
    const { root, home, runForText: says } = createTools();
    symlinkSync("inside/a.txt", join(root, "link"));
    const bend = (): void => bent(join(root, "link"), join(home, "own/secret/a.txt"));
    expect(await says("read", { path: "link" }, bend)).toBe("needle of the project\n");
  });

  test.each(["read", "write", "edit"])("%s refuses a path whose folder has become a link", async (tool) => {
    const { root, home, runForText: says } = createTools();
    await says("read", { path: "inside/a.txt" });
    const input = { path: "inside/a.txt", content: "x", edits: [{ oldText: "needle", newText: "x" }] };
    const result = await says(tool, input, () => bent(join(root, "inside"), join(home, "own/secret")));
    expect(result).toContain(ELSEWHERE);
    expect(readFileSync(join(home, "own/secret/a.txt"), "utf8")).toBe("needle of the home\n");
  });

  test.each(["read", "write", "edit"])("%s refuses a file that has become a link", async (tool) => {
    const { root, home, runForText: says } = createTools();
    await says("read", { path: "inside/a.txt" });
    const input = { path: "inside/a.txt", content: "x", edits: [{ oldText: "needle", newText: "x" }] };
    const result = await says(tool, input, () => bent(join(root, "inside/a.txt"), join(home, "own/secret/a.txt")));
    expect(result).toContain(ELSEWHERE);
    expect(readFileSync(join(home, "own/secret/a.txt"), "utf8")).toBe("needle of the home\n");
  });

  test("write creates no file and no folder through a new link", async () => {
    const { root, home, runForText: says } = createTools();
    const bend = (): void => bent(join(root, "inside"), join(home, "own/secret"));
    expect(await says("write", { path: "inside/new.txt", content: "x" }, bend)).toContain(ELSEWHERE);
    const missing = { path: "later/deep/new.txt", content: "x" };
    const result = await says("write", missing, () => symlinkSync(join(home, "own/secret"), join(root, "later")));
    expect(result).toContain(ELSEWHERE);
    expect(existsSync(join(home, "own/secret/new.txt")) || existsSync(join(home, "own/secret/deep"))).toBe(false);
  });

  test("the suggestions for a missing file are not from a folder that was swapped in", async () => {
    const { root, home, runForText: says } = createTools();
    const bend = (): void => bent(join(root, "inside"), join(home, "own/secret"));
    expect(await says("read", { path: "inside/a.md" })).toContain("the folder contains a.txt");
    expect(await says("read", { path: "inside/a.md" }, bend)).not.toContain("a.txt");
  });
});

describe.each([
  ["with ripgrep", rgPath],
  ["without it", null],
])("SEEK15 %s a search stays in the folder that was permitted", (_, ripgrep) => {
  test.each([
    ["grep", { pattern: "needle", path: "inside" }],
    ["grep", { pattern: "needle", path: "inside/a.txt" }],
    ["find", { glob: "*.txt", path: "inside" }],
    ["ls", { path: "inside" }],
  ])("%s refuses a swapped folder: %j", async (tool, input) => {
    const { root, home, runForText: says } = createTools(ripgrep);
    expect(await says(tool, input)).toContain("a.txt");
    const result = await says(tool, input, () => bent(join(root, "inside"), join(home, "own/secret")));
    expect(result).toContain(ELSEWHERE);
  });

  test("a link whose target changed is searched at the permitted target", async () => {
    const { root, home, runForText: says } = createTools(ripgrep);
    symlinkSync("inside", join(root, "link"));
    const bend = (): void => bent(join(root, "link"), join(home, "own/secret"));
    expect(await says("grep", { pattern: "needle", path: "link" }, bend)).toBe("link/a.txt:1: needle of the project");
  });

  test("SEEK16 files that the read permission excludes are left out", async () => {
    const { runForText: says } = createTools(ripgrep);
    const found = await says("grep", { pattern: "needle", path: ".." });
    expect(found).toBe("../project/inside/a.txt:1: needle of the project");
    expect(await says("find", { glob: "*.txt", path: ".." })).toBe("../project/inside/a.txt");
  });
});
