/** What commands see beside and around the workspace. */

import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { SandboxOptions } from "../../../src/node/sandbox/options.ts";
import { findHiddenPlaces, findOuterProjects } from "../../../src/node/sandbox/project-folders.ts";
import { findFixedPaths } from "../../../src/node/sandbox-runtime/config.ts";
import { createSandboxFolders, program, SECRET, sandboxOptions } from "../../support/sandbox-folders.ts";

/** A folder that stands for `/srv`. */
class Place {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "pith-place-")));
  readonly #others = realpathSync(mkdtempSync(join(tmpdir(), "pith-place-others-")));

  constructor() {
    onTestFinished(() => {
      for (const folder of [this.folder, this.#others]) rmSync(folder, { recursive: true, force: true });
    });
    this.write("other/.env", SECRET);
  }

  write(name: string, text = ""): void {
    mkdirSync(dirname(join(this.folder, name)), { recursive: true });
    writeFileSync(join(this.folder, name), text);
  }

  /** Runs git in a folder of the place, where it lies outside. */
  git(folder: string, ...words: readonly string[]): void {
    const cwd = join(this.folder, folder);
    mkdirSync(cwd, { recursive: true });
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...words], {
      cwd,
      env: { PATH: process.env.PATH },
    });
  }

  /** Runs a command in a folder of the place, which is `/srv` for the command. */
  run(workspace: string, command: string, parts: Partial<SandboxOptions> = {}): string {
    for (const name of ["home", "private", "temporary"]) mkdirSync(join(this.#others, name), { recursive: true });
    const options = {
      ...{ program, root: join("/srv", workspace), home: join(this.#others, "home") },
      ...{ privateHome: join(this.#others, "private"), temporary: join(this.#others, "temporary") },
      caught: { folder: join(this.#others, "caught"), record: join(this.#others, "absent") },
      ...{ journal: join(this.#others, "journal"), environment: { PATH: process.env.PATH }, network: null, ...parts },
    };
    mkdirSync(join(this.folder, workspace), { recursive: true });
    const mounts = ["--unshare-user", "--die-with-parent", "--dev-bind", "/", "/", "--bind", this.folder, "/srv"];
    const script = join(import.meta.dirname, "run-in-place.ts");
    return execFileSync(program.path, [...mounts, process.execPath, script, JSON.stringify({ options, command })], {
      encoding: "utf8",
    });
  }
}

describe("folders beside the workspace", () => {
  test("BOX33 a command cannot see them or write beside the workspace, and works in it", () => {
    const place = new Place();
    place.write("app/file", "mine\n");
    const text = place.run("app", "cat /srv/other/.env; ls -A /srv ..; touch /srv/new; touch new; cat file; ls");
    expect(text).toBe(
      [
        "cat: /srv/other/.env: No such file or directory\n..:\napp\n\n/srv:\napp\n",
        "touch: cannot touch '/srv/new': Read-only file system\nmine\nfile\nnew\n",
      ].join(""),
    );
  });

  test("BOX33 everything below the outermost folder is hidden, and sandboxRead and sandboxWrite show the named folders", () => {
    const place = new Place();
    place.write("team/app/file");
    place.write("team/next/.env", SECRET);
    place.write("data/file", "data\n");
    place.write("build/file", "built\n");
    const text = place.run(
      "team/app",
      "ls /srv /srv/team; cat /srv/data/file /srv/build/file; touch /srv/build/new && ls ../../build",
      {
        readable: ["/srv/data"],
        writable: ["/srv/build"],
      },
    );
    expect(text).toBe("/srv:\nbuild\ndata\nteam\n\n/srv/team:\napp\ndata\nbuilt\nfile\nnew\n");
  });

  test("BOX33 a subfolder sees its whole repository, and neither sees its neighbors", () => {
    const place = new Place();
    place.git("repo", "init", "-q");
    place.write("repo/pnpm-workspace.yaml", "packages: [packages/*]\n");
    place.write("repo/packages/other/index.js", "other\n");
    const text = place.run(
      "repo/packages/app",
      "ls -A /srv; cat ../../pnpm-workspace.yaml ../other/index.js; touch own && git status --short -uall .",
    );
    expect(text).toBe("repo\npackages: [packages/*]\nother\n?? own\n");
  });

  test("BOX33 a worktree beside the main checkout can commit, and sees only the checkout's git folder", () => {
    const place = new Place();
    place.git("main", "init", "-q");
    place.write("main/.env", SECRET);
    place.git("main", "commit", "-q", "--allow-empty", "-m", "first");
    const relative = ["-c", "worktree.useRelativePaths=true"];
    place.git("main", ...relative, "worktree", "add", "-q", "../tree");
    // Git before 2.48 writes absolute paths.
    place.write("tree/.git", "gitdir: /srv/main/.git/worktrees/tree\n");
    place.write("main/.git/worktrees/tree/gitdir", "/srv/tree/.git\n");
    const commit = "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m second && git log --format=%s";
    expect(place.run("tree", `${commit}; ls -A /srv /srv/main`)).toBe(
      "second\nfirst\n/srv:\nmain\ntree\n\n/srv/main:\n.git\n",
    );
  });

  test.each([
    ["pnpm-workspace.yaml", ""],
    ["package.json", '{ "workspaces": ["packages/*"] }'],
    ["Cargo.toml", '[workspace]\nmembers = ["packages/app"]\n'],
    [".hg/requires", ""],
  ])("BOX33 without a repository, the project around the workspace that %s marks is visible", (name, text) => {
    const place = new Place();
    place.write(`project/${name}`, text);
    place.write("project/packages/other/file", "other\n");
    expect(place.run("project/packages/app", "ls /srv; cat ../other/file")).toBe("project\nother\n");
  });

  test("BOX33 BOX11 programs in PATH run, and installing in the workspace works", () => {
    const place = new Place();
    place.write("tools/bin/tool", '#!/bin/sh\ncat "$(dirname "$0")/../lib/text"\n');
    chmodSync(join(place.folder, "tools/bin/tool"), 0o755);
    place.write("tools/lib/text", "ran\n");
    place.write("sdk/bin/linked", "#!/bin/sh\necho linked\n");
    chmodSync(join(place.folder, "sdk/bin/linked"), 0o755);
    const links = mkdtempSync(join(tmpdir(), "pith-place-links-"));
    onTestFinished(() => rmSync(links, { recursive: true }));
    symlinkSync("/srv/sdk/bin/linked", join(links, "linked"));
    place.write("app/node_modules/.bin/old");
    const PATH = ["/srv", "/srv/tools/bin", "/srv/app/node_modules/.bin", links, process.env.PATH].join(":");
    const text = place.run(
      "app",
      "tool; linked; touch node_modules/new && ls node_modules; ls /srv; echo x >/srv/tools/bin/tool",
      {
        environment: { PATH },
      },
    );
    expect(text).toMatch(/^ran\nlinked\nnew\napp\nsdk\ntools\n.*Read-only file system\n$/);
  });

  test("BOX33 a link in the workspace makes nothing of another project visible", () => {
    const place = new Place();
    mkdirSync(join(place.folder, "app"));
    symlinkSync("/srv/other", join(place.folder, "app/way"));
    expect(place.run("app", "cat way/.env")).toMatch(/No such file/);
  });

  test("BOX33 a program with another working folder sees neither the workspace nor its neighbors", () => {
    const place = new Place();
    place.write("app/.env", SECRET);
    const away = realpathSync(mkdtempSync(join(tmpdir(), "pith-place-away-")));
    onTestFinished(() => rmSync(away, { recursive: true }));
    expect(place.run("app", "ls -A /srv", { root: away, otherProjects: ["/srv/app"] })).toBe("");
  });
});

describe("the hidden folder", () => {
  const hidden = (root: string, outerProjects: readonly string[] = [], otherProjects: readonly string[] = []) =>
    findHiddenPlaces({ root, outerProjects, otherProjects, hidden: ["/home", "/root", "/tmp"] });

  test.each([
    ["/srv/app", ["/srv"]],
    ["/work/team/app", ["/work"]],
    ["/mnt/disk/app", ["/mnt"]],
    ["/var/www/site", ["/var/www"]],
    ["/opt/company/app", ["/opt/company"]],
    ["/usr/share/product/app", ["/usr/share/product"]],
    ["/app", []],
    ["/opt/app", []],
    ["/usr/src/app", []],
    ["/home/me/code/app", []],
    ["/tmp/app", []],
    ["/var/tmp/app", []],
    ["/run/media/me/disk/app", []],
  ])("BOX33 for the workspace %s is %j", (root, places) => {
    expect(hidden(root)).toEqual(places);
  });

  test("BOX33 is above the repository that contains the workspace", () => {
    expect(hidden("/srv/repo/app", ["/srv/repo", "/srv/main/.git"])).toEqual(["/srv"]);
    expect(hidden("/repo/packages/app", ["/repo"])).toEqual([]);
  });

  test("BOX33 for another project in a system folder is the project itself", () => {
    expect(hidden("/home/me/server", [], ["/usr"])).toEqual(["/usr"]);
  });
});

test("BOX33 a package workspace above a repository is not visible", () => {
  const { workspace, base, home } = createSandboxFolders();
  writeFileSync(join(base, "go.work"), "go 1.24\n");
  expect(findOuterProjects(workspace, home)).toEqual([]);
});

test("BOX33 PLAT2 the sandbox runtime also denies reading folders beside the workspace", () => {
  const root = "/srv/no-such-folder/app";
  const runtime = { folder: "/nowhere", version: "1" };
  const { denyRead } = findFixedPaths({ ...sandboxOptions(createSandboxFolders()), root, runtime });
  expect(denyRead).toContain("/srv");
});
