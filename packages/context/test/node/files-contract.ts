/** What every disk does, as a table: the real one and the faulty one must answer alike, down to the code of a refusal. */

import { expect, test } from "vitest";
import { diskErrorCode, type Files, type OpenFile } from "../../src/node/files.ts";

/** An empty folder on some disk. */
export interface TestDisk {
  readonly files: Files;
  /** The path of a name in the folder. */
  at(name: string): string;
  /** A symbolic link that leads round and round. */
  plantLink(path: string): void;
}

export function filesContract(createDisk: () => TestDisk): void {
  for (const [name, run, outcome] of behaviours) {
    test(name, () => {
      const disk = createDisk();
      expect(tried(() => run({ ...disk, write: (path, text) => write(disk.files, disk.at(path), text) }))).toEqual(
        outcome,
      );
    });
  }
}

/** What comes back, or the code of the refusal. */
export function tried(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    const code = diskErrorCode(error);
    if (code === "") throw error;
    expect(error).toHaveProperty("message", expect.stringMatching(new RegExp(`^${code}: .+, [a-z]+`)));
    return code;
  }
}

export function write(files: Files, path: string, text: string): void {
  const file = files.create(path);
  expect(file.append(new TextEncoder().encode(text))).toBe(text.length);
  file.close();
}

export function textOf(file: OpenFile): string {
  const bytes = new Uint8Array(file.stat().size);
  expect(file.read(bytes, 0)).toBe(bytes.length);
  return new TextDecoder().decode(bytes);
}

export function textAt(files: Files, path: string): string {
  const file = files.open(path, "read");
  const text = textOf(file);
  file.close();
  return text;
}

type Field = TestDisk & { write(name: string, text: string): void };
type Behaviour = readonly [name: string, run: (field: Field) => unknown, outcome: unknown];

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const opening: readonly Behaviour[] = [
  ["opening a missing file fails with ENOENT", ({ files, at }) => files.open(at("a"), "read"), "ENOENT"],
  ["appending to a missing file fails with ENOENT", ({ files, at }) => files.open(at("a"), "append"), "ENOENT"],
  [
    "a path below a file fails with ENOTDIR",
    ({ files, at, write }) => {
      write("a", "x");
      return [tried(() => files.open(at("a/b"), "read")), tried(() => files.create(at("a/b"))), files.stat(at("a/b"))];
    },
    ["ENOTDIR", "ENOTDIR", null],
  ],
  [
    "a folder can be opened but not read or written",
    ({ files, at }) => {
      files.makeFolder(at("f"));
      const folder = files.open(at("f"), "read");
      const answers = [
        tried(() => files.open(at("f"), "append")),
        tried(() => folder.read(new Uint8Array(1), 0)),
        tried(() => folder.append(bytes("x"))),
        tried(() => folder.truncate(0)),
        tried(() => folder.sync()),
        folder.stat().kind,
      ];
      folder.close();
      return answers;
    },
    ["EISDIR", "EISDIR", "EBADF", "EINVAL", undefined, "folder"],
  ],
  [
    "a link is refused by all operations except stat, rename and remove",
    ({ files, at, plantLink }) => {
      plantLink(at("l"));
      const answers = [
        tried(() => files.open(at("l"), "read")),
        tried(() => files.open(at("l"), "append")),
        tried(() => files.create(at("l"))),
        tried(() => files.list(at("l"))),
        tried(() => files.makeFolder(at("l"))),
        tried(() => files.makeFolder(at("l/a"))),
        tried(() => files.syncFolder(at("l"))),
        tried(() => files.open(at("l/a"), "read")),
        tried(() => files.stat(at("l/a"))),
        files.stat(at("l"))?.kind,
      ];
      files.rename(at("l"), at("k"));
      files.remove(at("k"));
      return [...answers, files.list(at("."))];
    },
    ["ELOOP", "ELOOP", "EEXIST", "ELOOP", "ELOOP", "ELOOP", "ELOOP", "ELOOP", "ELOOP", "other", []],
  ],
];

const creating: readonly Behaviour[] = [
  [
    "creating a file at a used path fails with EEXIST",
    ({ files, at, write }) => {
      write("a", "x");
      files.makeFolder(at("f"));
      return [tried(() => files.create(at("a"))), tried(() => files.create(at("f"))), textAt(files, at("a"))];
    },
    ["EEXIST", "EEXIST", "x"],
  ],
  ["creating a file in a missing folder fails with ENOENT", ({ files, at }) => files.create(at("f/a")), "ENOENT"],
  [
    "makeFolder creates parent folders, and keeps an existing folder",
    ({ files, at }) => {
      files.makeFolder(at("a/b/c"));
      write(files, at("a/b/c/d"), "x");
      files.makeFolder(at("a/b/c"));
      return [files.list(at("a")), files.list(at("a/b/c")), files.stat(at("a/b"))?.kind];
    },
    [["b"], ["d"], "folder"],
  ],
  [
    "makeFolder fails in place of a file and below a file",
    ({ files, at, write }) => {
      write("a", "x");
      return [tried(() => files.makeFolder(at("a"))), tried(() => files.makeFolder(at("a/b/c")))];
    },
    ["EEXIST", "ENOTDIR"],
  ],
];

const looking: readonly Behaviour[] = [
  ["stat of a missing path is null", ({ files, at }) => [files.stat(at("a")), files.stat(at("a/b"))], [null, null]],
  [
    "stat returns kind, size and time",
    ({ files, at, write }) => {
      write("a", "four");
      const { kind, size, modified } = files.stat(at("a")) ?? {};
      return [kind, size, Number(modified) > 1e12];
    },
    ["file", 4, true],
  ],
  ["the list of a missing folder is empty", ({ files, at }) => files.list(at("f")), []],
  [
    "the list of a file is empty",
    ({ files, at, write }) => {
      write("a", "x");
      return files.list(at("a"));
    },
    [],
  ],
  [
    "the list of a folder has its files and folders",
    ({ files, at, write }) => {
      write("b", "");
      files.makeFolder(at("a/c"));
      return files.list(at(".")).toSorted();
    },
    ["a", "b"],
  ],
  [
    "only an existing folder can be synced",
    ({ files, at, write }) => {
      write("a", "x");
      return ["a", "b", "."].map((name) => tried(() => files.syncFolder(at(name))));
    },
    ["ENOTDIR", "ENOENT", undefined],
  ],
];

const naming: readonly Behaviour[] = [
  [
    "a hard link is a second name of the same file",
    ({ files, at, write }) => {
      write("a", "x");
      files.link(at("a"), at("b"));
      const same = files.stat(at("a"))?.identity === files.stat(at("b"))?.identity;
      files.remove(at("a"));
      return [same, textAt(files, at("b")), files.list(at("."))];
    },
    [true, "x", ["b"]],
  ],
  [
    "a hard link to a used path, of a missing file or of a folder fails",
    ({ files, at, write }) => {
      write("a", "x");
      write("b", "y");
      files.makeFolder(at("f"));
      return [
        tried(() => files.link(at("a"), at("b"))),
        tried(() => files.link(at("a"), at("a"))),
        tried(() => files.link(at("c"), at("d"))),
        tried(() => files.link(at("a"), at("g/a"))),
        tried(() => files.link(at("f"), at("h"))),
      ];
    },
    ["EEXIST", "EEXIST", "ENOENT", "ENOENT", "EPERM"],
  ],
  [
    "a rename replaces the target, and the file keeps its identity",
    ({ files, at, write }) => {
      write("a", "new");
      write("b", "old");
      const [a, b] = [files.stat(at("a"))?.identity, files.stat(at("b"))?.identity];
      files.rename(at("a"), at("b"));
      const now = files.stat(at("b"))?.identity;
      return [textAt(files, at("b")), now === a, now === b, files.list(at("."))];
    },
    ["new", true, false, ["b"]],
  ],
  [
    "renaming one name of a file to another of its names keeps both",
    ({ files, at, write }) => {
      write("a", "x");
      files.link(at("a"), at("b"));
      files.rename(at("a"), at("b"));
      return files.list(at(".")).toSorted();
    },
    ["a", "b"],
  ],
  [
    "a folder is renamed with its content, also over an empty folder",
    ({ files, at }) => {
      files.makeFolder(at("f/g"));
      files.makeFolder(at("empty"));
      write(files, at("f/g/a"), "x");
      files.rename(at("f"), at("empty"));
      return [textAt(files, at("empty/g/a")), files.list(at("."))];
    },
    ["x", ["empty"]],
  ],
  [
    "a rename fails with the code of Node if source and target do not fit",
    ({ files, at, write }) => {
      write("a", "x");
      files.makeFolder(at("f/g"));
      files.makeFolder(at("h"));
      return [
        tried(() => files.rename(at("no"), at("b"))),
        tried(() => files.rename(at("a"), at("no/b"))),
        tried(() => files.rename(at("a"), at("a/b"))),
        tried(() => files.rename(at("a"), at("h"))),
        tried(() => files.rename(at("h"), at("a"))),
        tried(() => files.rename(at("h"), at("f"))),
        tried(() => files.rename(at("f"), at("f/g/x"))),
      ];
    },
    ["ENOENT", "ENOENT", "ENOTDIR", "EISDIR", "ENOTDIR", "ENOTEMPTY", "EINVAL"],
  ],
  [
    "removing a missing file fails with ENOENT",
    ({ files, at, write }) => {
      write("a", "x");
      files.remove(at("a"));
      return [tried(() => files.remove(at("a"))), files.stat(at("a"))];
    },
    ["ENOENT", null],
  ],
  [
    "a new file with the name of a removed open file has another identity",
    ({ files, at, write }) => {
      write("a", "old");
      const old = files.open(at("a"), "append");
      files.remove(at("a"));
      write("a", "new");
      old.append(bytes("er"));
      const answers = [textOf(old), textAt(files, at("a")), old.stat().identity === files.stat(at("a"))?.identity];
      old.close();
      return answers;
    },
    ["older", "new", false],
  ],
];

const writing: readonly Behaviour[] = [
  [
    "an append writes at the current end of the file",
    ({ files, at, write }) => {
      write("a", "1");
      const [first, second] = [files.open(at("a"), "append"), files.open(at("a"), "append")];
      const counts = [first.append(bytes("22")), second.append(bytes("333")), first.append(bytes(""))];
      first.truncate(2);
      second.append(bytes("4"));
      const answers = [...counts, textOf(first)];
      first.close();
      second.close();
      return answers;
    },
    [2, 3, 0, "124"],
  ],
  [
    "a truncation beyond the end adds zeros",
    ({ files, at }) => {
      const file = files.create(at("a"));
      file.append(bytes("abcd"));
      file.truncate(1);
      file.truncate(3);
      file.append(bytes("e"));
      const text = textOf(file);
      file.close();
      return text;
    },
    "a\0\0e",
  ],
  [
    "a read returns fewer bytes only at the end",
    ({ files, at, write }) => {
      write("a", "abcdef");
      const file = files.open(at("a"), "read");
      const into = new Uint8Array(4);
      const counts = [0, 3, 6, 9].map((position) => file.read(into, position));
      file.close();
      return [...counts, new TextDecoder().decode(into)];
    },
    [4, 3, 0, 0, "defd"],
  ],
  [
    "a file that was opened to read cannot be written",
    ({ files, at, write }) => {
      write("a", "x");
      const file = files.open(at("a"), "read");
      const answers = [
        tried(() => file.append(bytes("y"))),
        tried(() => file.truncate(0)),
        tried(() => file.sync()),
        textOf(file),
      ];
      file.close();
      return answers;
    },
    ["EBADF", "EINVAL", undefined, "x"],
  ],
  [
    "every operation on a closed file fails with EBADF",
    ({ files, at }) => {
      const file = files.create(at("a"));
      file.close();
      return [
        tried(() => file.read(new Uint8Array(1), 0)),
        tried(() => file.append(bytes("x"))),
        tried(() => file.truncate(0)),
        tried(() => file.sync()),
        tried(() => file.stat()),
        tried(() => file.close()),
      ];
    },
    ["EBADF", "EBADF", "EBADF", "EBADF", "EBADF", "EBADF"],
  ],
];

const behaviours: readonly Behaviour[] = [...opening, ...creating, ...looking, ...naming, ...writing];
