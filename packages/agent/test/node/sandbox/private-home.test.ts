/** What commands see of the home: a private home, read-only toolchains, and no secrets. */

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { openPrivateFolders } from "../../../src/node/sandbox/private-folders.ts";
import { secretPathsIn } from "../../../src/node/sandbox/secret-paths.ts";
import { findToolchains } from "../../../src/node/sandbox/toolchains.ts";
import { boxOf, HOME_FILES, ranIn, SECRET, untouchable, type World, world } from "./world.ts";

function put(path: string, text = ""): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const SECRET_FILES = Object.keys(HOME_FILES).filter((name) => HOME_FILES[name]?.includes(SECRET));

describe("the home", () => {
  test.each(SECRET_FILES)("BOX8 a command does not see ~/%s", async (name) => {
    const place = world();
    const command = `cat ~/${name} ${place.home}/${name} /proc/1/root${place.home}/${name}; grep -rs ${SECRET} ~ && echo ESCAPED`;
    const { text } = await ranIn(boxOf(place), command);
    expect(text).toContain("No such file");
    expect(text.replaceAll(`grep -rs ${SECRET}`, "")).not.toMatch(/sk-never|ESCAPED/);
  });

  test.each([".npm/_npx/1/bin", ".cargo/registry/src/a.rs", "go/pkg/mod/a.go", ".bashrc"])(
    "BOX8 what a command writes to ~/%s changes nothing outside, and is there for the next command",
    async (name) => {
      const place = world();
      const before = untouchable(place);
      const box = boxOf(place, { mayWrite: () => false });
      expect((await ranIn(box, `mkdir -p ~/${dirname(name)}; echo changed >~/${name}`)).end).toMatchObject({
        exitCode: 0,
      });
      expect((await ranIn(box, `cat ~/${name}`)).text).toBe("changed\n");
      expect(untouchable(place)).toEqual(before);
    },
  );

  test("BOX8 a workspace in the home is visible, its siblings are not", async () => {
    const place = world({ workspaceIn: "home/code" });
    put(join(place.home, "code/other/file"), SECRET);
    const { text } = await ranIn(boxOf(place), "cat .git/HEAD; ls ..; ls -A ~; touch new");
    expect(text).toBe("ref: refs/heads/main\nworkspace\ncode\n");
  });

  test("BOX8 a folder of a repository sees the whole repository, and changes only itself", async () => {
    const place = world();
    const part = join(place.workspace, "packages/part");
    mkdirSync(part, { recursive: true });
    put(join(place.workspace, "shared.json"), "shared\n");
    const box = boxOf({ ...place, workspace: part });
    const { text } = await ranIn(box, "cat ../../shared.json; touch ../../new; touch own && git status --short");
    expect(text).toMatch(/^shared\n.*new.*Read-only.*\n\?\? /);
  });

  test("BOX18 a command that makes its home unwritable, or replaces folders by files, does not break later commands", async () => {
    const place = world({ workspaceIn: "home/code" });
    put(join(place.home, ".pyenv/bin/python"));
    const box = boxOf(place);
    const close = "rm -rf ~/.pyenv; echo x >~/.pyenv; chmod 000 ~/code ~ /tmp";
    expect((await ranIn(box, close)).end).toMatchObject({ type: "ended" });
    const { end, text } = await ranIn(box, "ls ~/.pyenv/bin; touch new ~/new /tmp/new && echo written");
    expect({ end, text }).toEqual({ end: { type: "ended", exitCode: 0 }, text: "python\nwritten\n" });
  });

  test("BOX19 a command with a secret runs nothing that other commands left in the private home, and leaves nothing there", async () => {
    const place = world();
    const box = boxOf(place, { environment: { PATH: `${place.home}/.local/bin:${process.env.PATH}` } });
    await ranIn(
      box,
      "mkdir -p ~/.local/bin; printf '#!/bin/sh\\necho planted' >~/.local/bin/tool; chmod +x ~/.local/bin/tool; touch /tmp/planted",
    );
    expect((await ranIn(box, "tool")).text).toBe("planted\n");
    const asked = "tool; ls /tmp; git config user.name; echo $TOKEN | tee ~/kept /tmp/kept";
    const { text } = await ranIn(box, asked, { environment: { TOKEN: "given" }, hosts: [] });
    expect(text).toMatch(/tool: command not found\n[\s\S]*given\n$/);
    expect(text).not.toContain("planted");
    expect((await ranIn(box, "ls /tmp; cat ~/kept")).text).toMatch(/planted\n.*No such file/);
    expect(readdirSync(dirname(place.privateHome)).filter((name) => name.startsWith("once-"))).toEqual([]);
  });

  test("BOX19 a command with nothing but a credential file sees no file of other commands, and leaves them none", async () => {
    const place = world();
    const box = boxOf(place);
    await ranIn(box, "echo planted | tee ~/planted /tmp/planted");
    const command = "cat ~/planted /tmp/planted 2>/dev/null; cat ~/.npmrc | tee ~/kept /tmp/kept";
    const { text } = await ranIn(box, command, { credentialFiles: ["~/.npmrc"] });
    expect(text).toBe(HOME_FILES[".npmrc"]);
    expect((await ranIn(box, "cat ~/kept /tmp/kept /tmp/planted")).text).toMatch(
      /^(?:.*No such file.*\n){2}planted\n$/,
    );
  });

  test("BOX8 links in the private home do not redirect mounts", async () => {
    const place = world();
    put(join(place.home, ".pyenv/bin/python"));
    const before = untouchable(place);
    symlinkSync("/oldroot/etc", join(place.privateHome, ".pyenv"));
    const { end, text } = await ranIn(boxOf(place), "ls ~/.pyenv/bin");
    expect({ end, text }).toEqual({ end: { type: "ended", exitCode: 0 }, text: "python\n" });
    expect(untouchable(place)).toEqual(before);
  });

  test("BOX9 other homes and system secrets are not visible", async () => {
    const { text } = await ranIn(
      boxOf(world()),
      "ls -A /home; cat /etc/shadow /etc/gshadow /etc/sudoers /etc/ssh/ssh_host_*_key; ls -A /etc/ssl/private /etc/sudoers.d; grep -c root /etc/passwd",
    );
    expect(text.split("\n").filter((line) => !/No such file|Permission denied/.test(line))).toEqual(
      expect.arrayContaining([expect.stringMatching(/^\d+$/)]),
    );
    expect(text).not.toMatch(/^root:|ALL=\(|PRIVATE KEY/m);
  });
});

test("BOX1 the folder of the user's sockets is empty, wherever it is", async () => {
  const place = world();
  const runtime = join(place.outside, "runtime");
  put(join(runtime, "bus"), SECRET);
  const { text } = await ranIn(
    boxOf(place, { environment: { XDG_RUNTIME_DIR: runtime } }),
    `ls -A ${runtime}; cat ${place.outside}/file`,
  );
  expect(text).toBe("as it was\n");
});

describe("the temporary folder", () => {
  test("BOX10 a command neither sees nor changes other files in /tmp", async () => {
    const place = world();
    const theirs = put(join(mkdtempSync(join(tmpdir(), "pith-theirs-")), "file"), "as it was\n");
    onTestFinished(() => rmSync(dirname(theirs), { recursive: true }));
    const { text } = await ranIn(
      boxOf(place),
      `cat ${theirs}; rm -rf ${dirname(theirs)}; echo x >/tmp/own; ls /tmp /var/tmp; echo $TMPDIR $TMP $TEMP`,
    );
    expect(text).toMatch(/No such file/);
    expect(text).toMatch(/\/tmp:\n[\s\S]*own\n[\s\S]*\/var\/tmp:\n[\s\S]*own\n[\s\S]*\n\/tmp \/tmp \/tmp\n$/);
    expect(readFileSync(theirs, "utf8")).toBe("as it was\n");
    expect(readFileSync(join(place.temporary, "own"), "utf8")).toBe("x\n");
  });
});

describe("toolchains", () => {
  function found(place: World, PATH: string): readonly string[] {
    const { home, privateHome } = place;
    return findToolchains({ home, privateHome, hidden: [home], environment: { PATH } })
      .map(({ path }) => path.slice(home.length + 1))
      .toSorted();
  }

  test("BOX11 folders of PATH are visible with their installation", () => {
    const place = world();
    const at = (name: string): string => join(place.home, name);
    put(at("tools/node/bin/node"));
    put(at("tools/node/lib/npm.js"));
    put(at("code/project/bin/run"));
    put(at("code/project/.env"), SECRET);
    put(at(".local/bin/tool"));
    put(at(".local/share/tool/notes"));
    put(at(".cargo/bin/cargo"));
    put(at("tools/web/node_modules/.bin/tsc"));
    const PATH = ["tools/web/node_modules/.bin", "tools/node/bin", "code/project/bin", ".local/bin", ".cargo/bin"]
      .map(at)
      .join(":");
    expect(found(place, `${PATH}:/usr/bin:${place.home}:relative`)).toEqual([
      ".cargo/bin",
      ".local/bin",
      "code/project/bin",
      "tools/node",
      "tools/web/node_modules",
    ]);
  });

  test("BOX11 link targets of programs in PATH are visible", () => {
    const place = world();
    const program = put(join(place.home, ".venvs/tool/bin/tool"));
    mkdirSync(join(place.home, ".venvs/tool/lib"));
    mkdirSync(join(place.home, "bin"));
    symlinkSync(program, join(place.home, "bin/tool"));
    expect(found(place, join(place.home, "bin"))).toEqual([".venvs/tool", "bin"]);
  });

  test("BOX11 links that a command leaves in a folder of PATH or of a variable in the workspace make nothing visible later", async () => {
    const place = world();
    const bin = join(place.workspace, ".venv/bin");
    put(join(bin, "tool"));
    put(join(place.home, "Documents/file"), SECRET);
    const environment = { PATH: `${bin}:${process.env.PATH}`, VIRTUAL_ENV: join(place.workspace, ".venv") };
    const look = "cat ~/notes.txt ~/Documents/file";
    const ways = [
      "ln -s ~/notes.txt .venv/bin/x; ln -s ~/Documents .venv/bin/y",
      "rm -r .venv; ln -s ~/Documents .venv",
    ];
    for (const way of ways) {
      await ranIn(boxOf(place, { environment }), way);
      expect((await ranIn(boxOf(place, { environment }), look)).text).not.toContain(SECRET);
    }
  });

  test("BOX11 a toolchain runs and cannot be changed", async () => {
    const place = world();
    const bin = join(place.home, ".cargo/bin");
    writeFileSync(put(join(bin, "own-tool")), "#!/bin/sh\necho ran\n", { mode: 0o755 });
    execFileSync("chmod", ["+x", join(bin, "own-tool")]);
    const box = boxOf(place, { environment: { PATH: `${bin}:${process.env.PATH}` } });
    const { text } = await ranIn(box, "own-tool; echo x >~/.cargo/bin/own-tool; touch ~/.cargo/credentials");
    expect(text).toMatch(/^ran\n.*Read-only.*\n$/);
  });
});

test("BOX14 a credential file is visible only to the command that was permitted to use it", async () => {
  const place = world();
  const box = boxOf(place);
  const elsewhere = put(join(place.base, "elsewhere/.netrc"), SECRET);
  const credentialFiles = ["~/.npmrc", "~/.netrc", "~/.ssh", "~/no-such-file", "~/../elsewhere/.netrc", elsewhere];
  const { text } = await ranIn(box, "cat ~/.npmrc; cat ~/.ssh/*; (echo x >~/.npmrc) 2>/dev/null", { credentialFiles });
  expect(text).toContain(`_authToken=${SECRET}`);
  expect(text).toContain("No such file");
  expect((await ranIn(box, "cat ~/.npmrc ~/.netrc")).text).not.toContain(SECRET);
  expect((await ranIn(box, `cat ${elsewhere}`, { credentialFiles })).text).toContain("No such file");
  expect(readFileSync(join(place.home, ".npmrc"), "utf8")).toBe(HOME_FILES[".npmrc"]);
});

describe("readable and writable folders of the settings", () => {
  test("BOX12 readable folders can be read, writable ones written, and neither shows secrets", async () => {
    const place = world();
    const at = (name: string): string => join(place.home, name);
    put(at(".config/editor/settings"), "mine\n");
    put(at("code/lib/a"), "a\n");
    mkdirSync(at("code/sister"));
    const box = boxOf(place, {
      readable: [at(".config"), at("code/lib"), at(".ssh"), at(".aws/credentials"), place.home],
      writable: [at("code/sister"), at(".gnupg")],
    });
    const { text } = await ranIn(
      box,
      "cat ~/.config/editor/settings ~/code/lib/a; touch ~/code/sister/new && echo wrote; (echo x >~/code/lib/a) 2>/dev/null || echo kept; cat ~/.ssh/* ~/.aws/* ~/.gnupg/* ~/.config/gh/* ~/notes.txt 2>/dev/null",
    );
    expect(text).toBe("mine\na\nwrote\nkept\n");
    const { text: planned } = await ranIn({ ...box, mayWrite: () => false }, "ls ~/code/sister; touch ~/code/sister/b");
    expect(planned).toMatch(/^new\n.*Read-only/);
  });

  test("BOX12 hooks and configuration of a writable repository are guarded", async () => {
    const place = world();
    const sister = join(place.home, "sister");
    execFileSync("git", ["init", "-q", sister]);
    const before = readFileSync(join(sister, ".git/config"), "utf8");
    const { text } = await ranIn(
      boxOf(place, { writable: [sister] }),
      "cd ~/sister; touch ok && echo x >.git/hooks/pre-commit; git config a.b c; mkdir .vscode/x; ls",
    );
    expect(text).toMatch(/Read-only[\s\S]*\nok\n$/);
    expect(readFileSync(join(sister, ".git/config"), "utf8")).toBe(before);
  });
});

const CARGO = "cargo --version >/dev/null 2>&1 && echo works || echo fails";

describe("the home of this machine", () => {
  const folder = mkdtempSync(join(tmpdir(), "pith-sandbox-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each([
    [
      "git",
      "git init -q sub && cd sub && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m first && git log --format=%s",
      /^first\n$/,
    ],
    ["npm", "npm --version", /^\d+\./],
    ["python", "python3 -m venv --without-pip v && v/bin/python -c 'print(6 * 7)'", /^42\n$/],
    // A cargo of another home says the same in the sandbox as outside it.
    ["cargo", CARGO, new RegExp(`^${execFileSync("bash", ["-c", CARGO], { encoding: "utf8" })}`)],
    ["node", "node -p 6*7", /^42\n$/],
  ])("BOX2 honest work goes on: %s, with the real home", async (_, command, says) => {
    const { workspace } = world();
    const folders = await openPrivateFolders({ folder, root: workspace, home: homedir(), environment: process.env });
    onTestFinished(() => folders.close());
    const box = {
      ...boxOf({ ...world(), workspace }),
      home: homedir(),
      privateHome: folders.home,
      fillHome: folders.fillHome,
      temporary: folders.temporary,
    };
    const { end, text } = await ranIn({ ...box, environment: process.env }, command);
    expect(text).toMatch(says);
    expect(end).toMatchObject({ exitCode: 0 });
  });

  test("BOX8 no secret of the real home is visible", async () => {
    const place = world();
    const folders = await openPrivateFolders({
      folder,
      root: place.workspace,
      home: homedir(),
      environment: process.env,
    });
    onTestFinished(() => folders.close());
    const copies =
      /\/(?:\.npmrc|\.config\/(?:pip|go|uv|pypoetry)|\.pip|\.cargo\/config(?:\.toml)?|\.m2\/settings\.xml|\.gradle\/gradle\.properties|\.yarnrc\.yml)$/;
    const paths = secretPathsIn(homedir()).filter((path) => !copies.test(path));
    const { home: privateHome, fillHome, temporary } = folders;
    const box = { ...boxOf(place), home: homedir(), privateHome, fillHome, temporary };
    const { text } = await ranIn(
      box,
      `for p in ${paths.map((path) => `'${path}'`).join(" ")}; do [ -e "$p" ] && echo "$p"; done; true`,
    );
    expect(text).toBe("");
  });
});
