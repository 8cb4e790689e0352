/** The port on a folder of this machine, and the faulty files held against it. */

import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { createFolderSync, type Files, type OpenFile, realFiles } from "../../src/node/files.ts";
import { FaultyFiles } from "../support/faulty-files/faulty-files.ts";
import { filesContract, type TestDisk, textAt, textOf, tried, write } from "./files-contract.ts";

const root = mkdtempSync(join(tmpdir(), "real-files-"));
const loop = join(root, "loop");
symlinkSync(loop, loop);
afterAll(() => rmSync(root, { recursive: true, force: true }));

function createRealDisk(): TestDisk {
  const folder = mkdtempSync(join(root, "ground-"));
  return { files: realFiles, at: (name) => join(folder, name), plantLink: (path) => symlinkSync(loop, path) };
}

function createFaultyDisk(): TestDisk {
  const files = new FaultyFiles();
  files.makeFolder("/ground");
  return { files, at: (name) => `/ground/${name}`, plantLink: (path) => files.addLink(path) };
}

describe("real files", () => filesContract(createRealDisk));

test("PLAT14 folders are not synced on Windows, which does not allow it", () => {
  createFolderSync("win32")(join(root, "none"));
  expect(() => createFolderSync("linux")(join(root, "none"))).toThrow(/ENOENT/);
});

describe("faulty files", () => filesContract(createFaultyDisk));

describe("properties of the real disk", () => {
  let umask = 0;
  beforeEach(() => {
    umask = process.umask(0);
  });
  afterEach(() => void process.umask(umask));

  const modeOf = (path: string): number => statSync(path).mode & 0o777;

  test("a file is readable only by its owner, whatever the umask", () => {
    const { files, at } = createRealDisk();
    write(files, at("a"), "x");
    expect(modeOf(at("a"))).toBe(0o600);
  });

  test("folders are readable only by their owner, and an existing folder keeps its mode", () => {
    const { files, at } = createRealDisk();
    files.makeFolder(at("f/g"));
    expect([modeOf(at("f")), modeOf(at("f/g"))]).toEqual([0o700, 0o700]);
    const open = mkdtempSync(join(root, "open-"));
    const before = modeOf(open);
    files.makeFolder(open);
    expect(modeOf(open)).toBe(before);
  });

  test("a link to a valid file is rejected, and the file stays unchanged", () => {
    const { files, at } = createRealDisk();
    writeFileSync(at("good"), "x");
    symlinkSync(at("good"), at("link"));
    expect(tried(() => files.open(at("link"), "append"))).toBe("ELOOP");
    expect(tried(() => files.create(at("link")))).toBe("EEXIST");
    expect(files.stat(at("link"))?.kind).toBe("other");
    expect(textAt(files, at("good"))).toBe("x");
  });

  test("synced data can be read by other processes", () => {
    const { files, at } = createRealDisk();
    const file = files.create(at("a"));
    file.append(new TextEncoder().encode("x"));
    file.sync();
    files.syncFolder(at("."));
    expect(textAt(files, at("a"))).toBe("x");
    file.close();
  });
});

const name = fc.constantFrom("a", "b", "f", "f/a", "f/b", "f/g", "f/g/a", "link");
const slot = fc.nat(2);
const step = fc.oneof(
  fc.record({ act: fc.constant("open"), slot, name, how: fc.constantFrom("read" as const, "append" as const) }),
  fc.record({ act: fc.constant("create"), slot, name }),
  fc.record({ act: fc.constantFrom("stat", "list", "makeFolder", "plantLink", "remove"), name }),
  fc.record({ act: fc.constantFrom("rename", "link"), name, to: name }),
  fc.record({ act: fc.constantFrom("append", "truncate"), slot, size: fc.nat(9) }),
  fc.record({ act: fc.constantFrom("text", "size", "close"), slot }),
);
type Step = {
  readonly act: string;
  readonly slot?: number;
  readonly name?: string;
  readonly how?: "read" | "append";
  readonly to?: string;
  readonly size?: number;
};

describe("random operations", () => {
  // Elsewhere the same refusals have other codes.
  test.runIf(process.platform === "linux")("give the same results on both disks", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        expect(runSteps(createFaultyDisk(), steps)).toEqual(runSteps(createRealDisk(), steps));
      }),
      { numRuns: 300 },
    );
  });
});

/** The outcome of every step, and what is on the disk in the end. */
function runSteps(disk: TestDisk, steps: readonly Step[]): unknown[] {
  const open: OpenFile[] = [];
  const outcomes = steps.map((each) => tried(() => outcome(disk, open, each)));
  for (const file of open) tried(() => file?.close());
  return [...outcomes, picture(disk.files, disk.at("."))];
}

function outcome({ files, at, plantLink }: TestDisk, open: OpenFile[], step: Step): unknown {
  const { act, slot = 0, name = "", how = "read", to = "", size = 0 } = step;
  const file = open[slot];
  const keep = (opened: OpenFile): void => {
    tried(() => open[slot]?.close());
    open[slot] = opened;
  };
  const acts: Readonly<Record<string, () => unknown>> = {
    open: () => keep(files.open(at(name), how)),
    create: () => keep(files.create(at(name))),
    stat: () => files.stat(at(name))?.kind,
    list: () => files.list(at(name)).toSorted(),
    makeFolder: () => files.makeFolder(at(name)),
    plantLink: () => (files.stat(at("link")) ? "there" : plantLink(at("link"))),
    remove: () => (files.stat(at(name))?.kind === "folder" ? "a folder" : files.remove(at(name))),
    rename: () => files.rename(at(name), at(to)),
    link: () => files.link(at(name), at(to)),
    append: () => file?.append(new TextEncoder().encode("x".repeat(size))),
    truncate: () => file?.truncate(size),
    text: () => (file?.stat().kind === "file" ? textOf(file) : undefined),
    size: () => (file?.stat().kind === "file" ? file.stat().size : undefined),
    // The machine gives a closed file's number to the next that is opened: nobody may come back to it.
    close: () => [file?.close(), delete open[slot]],
  };
  return acts[act]?.();
}

function picture(files: Files, folder: string): unknown {
  return files
    .list(folder)
    .toSorted()
    .map((name) => {
      const path = `${folder}/${name}`;
      const kind = files.stat(path)?.kind;
      return [name, kind === "folder" ? picture(files, path) : kind === "file" ? textAt(files, path) : kind];
    });
}
