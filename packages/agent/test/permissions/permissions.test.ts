/** Tests permissions/permissions.ts: fetch without asking, remembered permissions, permissions. */

import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PermissionMode } from "../../src/permissions/decide.ts";
import {
  allowsProviderSearch,
  createGrant,
  Permissions,
  type PermissionsOptions,
} from "../../src/permissions/permissions.ts";
import type { PermissionAnswer, PermissionQuestion } from "../../src/permissions/question.ts";
import type { Rule } from "../../src/permissions/rules.ts";
import type { Intent, PermissionGrant } from "../../src/tool.ts";
import {
  act,
  change,
  command,
  connected,
  fetched,
  look,
  outside,
  permissionPaths,
  port,
  realPath,
  rule,
  rules,
  secretly,
  sight,
} from "../support/permission-requests.ts";

describe("fetch without asking", () => {
  test.each<[PermissionMode, Parameters<typeof rules>[0], boolean]>([
    ["edit", {}, true],
    ["plan", {}, true],
    ["all", {}, true],
    ["ask", {}, false],
    ["ask", { allow: ["fetch"] }, true],
    ["ask", { allow: ["fetch(example.com)"] }, false],
    ["edit", { deny: ["fetch(example.com)"] }, false],
    ["all", { deny: ["fetch"] }, false],
    ["all", { ask: ["fetch"] }, false],
    ["all", { deny: ["bash(curl:*)"] }, true],
    ["ask", { allow: ["network"] }, true],
    ["edit", { deny: ["network(example.com)"] }, false],
    ["edit", { allow: ["fetch(example.com)"] }, true],
  ])("PERM24 in mode %s with the rules %j, whether the provider's search is allowed: %j", (mode, texts, isFree) => {
    expect(allowsProviderSearch({ mode, rules: rules(texts) })).toBe(isFree);
  });

  test("PERM24 the provider's search is not allowed in any mode if a policy lists the reachable hosts", () => {
    const limits = { source: "the policy of Example Corp", hosts: [rule("network(example.com)")] };
    const modes: readonly PermissionMode[] = ["ask", "edit", "plan", "all"];
    const allowed = modes.map((mode) => allowsProviderSearch({ mode, rules: rules({ allow: ["fetch"] }), limits }));
    expect(allowed).toEqual([false, false, false, false]);
  });
});

describe("remembered permissions", () => {
  const { root, home } = permissionPaths;

  function leave(
    path: string,
    texts: Parameters<typeof rules>[0] = {},
    mode: PermissionMode = "edit",
  ): PermissionGrant {
    return createGrant(sight(act(look(path), { tool: "grep" })), { mode, rules: rules(texts), paths: permissionPaths });
  }

  describe("SEEK16 a search skips files that could not be read without a question", () => {
    test.each(["edit", "plan", "all"] as const)("such as keys and secrets in mode %s", (mode) => {
      const { isExcluded } = leave(home, {}, mode);
      const closed = [".pith/keys.json", ".ssh/id", "other/.env", ".npmrc"].map((name) =>
        isExcluded(`${home}/${name}`),
      );
      expect(closed).toEqual([true, true, true, true]);
      expect([`${home}/notes.txt`, `${root}/.env`].map(isExcluded)).toEqual([false, false]);
    });

    test("such as the environment and the memory of processes", () => {
      const { isExcluded } = leave("/");
      expect(["/proc/7/environ", "/proc/7/task/7/mem", "/proc/7/status"].map(isExcluded)).toEqual([true, true, false]);
    });

    test("such as files with a deny or an ask rule", () => {
      const { isExcluded } = leave(root, { deny: ["read(.env)", "grep(**/*.pem)"], ask: ["read(notes)"] });
      const paths = [".env", "deep/a.pem", "notes/x", "src/a.ts"];
      expect(paths.map((path) => isExcluded(`${root}/${path}`))).toEqual([true, true, true, false]);
    });

    test("except files with an allow rule on their path", () => {
      const { isExcluded } = leave(home, { allow: ["read(~/.ssh)"] });
      expect([`${home}/.ssh/config`, `${home}/.aws/config`].map(isExcluded)).toEqual([false, true]);
    });

    test("but searches the files of a secret folder after a question about it, except keys", () => {
      const { isExcluded } = leave(`${home}/.pith`);
      expect(isExcluded(`${home}/.pith/keys.json`)).toBe(true);
      expect(leave(`${home}/.ssh`).isExcluded(`${home}/.ssh/config`)).toBe(false);
    });
  });

  test("FILE23 a granted path must lead to its resolved target, or to itself if it cannot be resolved", () => {
    const judged = act(look("/a", "/b"));
    const reached = [
      { path: "/a", realPath: "/x" },
      { path: "/b", realPath: null },
    ];
    const held = createGrant(
      { toolRequest: judged, resolvedPaths: reached },
      { mode: "edit", rules: rules({}), paths: permissionPaths },
    );
    expect([...held.realPaths]).toEqual([
      ["/a", "/x"],
      ["/b", "/b"],
    ]);
  });
});

describe("permissions", () => {
  const { root, home } = permissionPaths;
  const { signal } = new AbortController();

  function permissions(parts: Partial<PermissionsOptions> = {}): Permissions {
    return new Permissions({ mode: "ask", paths: permissionPaths, resolveRealPath: realPath, ...parts });
  }

  function answering(...answers: readonly PermissionAnswer[]) {
    const questions: PermissionQuestion[] = [];
    const left = [...answers];
    const ask = async (question: PermissionQuestion): Promise<PermissionAnswer> => {
      questions.push(question);
      return left.shift() ?? { type: "no" };
    };
    return { ask, questions };
  }

  const permitted: unknown = expect.objectContaining({ type: "permitted" });

  describe("PERM11 without a user, a request that needs a question is refused with the flags that allow it", () => {
    test.each([
      [command("npm test"), "To allow it, use --allow 'bash(npm test)' or --permission-mode all"],
      [command("npm test", true), "To allow it, use --allow 'bash(npm test)' or --permission-mode edit"],
      [command("echo 'a'"), "To allow it, use --allow 'bash(echo '\\''a'\\'')' or --permission-mode all"],
      [command("make\nmake"), "To allow it, use --permission-mode all"],
      [outside("npm test"), "To allow it, use --allow 'outside(npm test)'"],
      [change(`${root}/a.ts`), "To allow it, use --allow 'edit(a.ts)' or --permission-mode edit"],
      [look(`${home}/.ssh/config`), `To allow it, use --allow 'read(${home}/.ssh/config)'`],
      [fetched("https://example.com/"), "To allow it, use --allow 'fetch(example.com)'"],
      [connected("example.com"), "To allow it, use --allow 'network(example.com)' or --network open"],
      [
        connected("example.com", { isPackageHost: true }),
        "To allow it, use --allow 'network(example.com)' or --permission-mode edit or --network open",
      ],
      [port(5432, "host"), "To allow it, use --allow 'network(localhost:5432)'"],
      [port(3000, "publish"), "To allow it, use --allow 'publish(3000)'"],
      [command("git push", true), "To allow it, use --allow 'bash(git push)' or --permission-mode all"],
      [
        secretly("npm whoami", ["npm"], ["example.com"]),
        "Giving a command a secret needs the user's approval, so it is not possible with -p",
      ],
      [null, "To allow it, use --allow 'own' or --permission-mode all"],
    ])("%j", async (intent, way) => {
      const permit = await permissions().permit(act(intent), { signal });
      expect(permit).toEqual({ type: "refused", why: `not permitted: no user is available to ask. ${way}` });
    });

    test("and the refusal names no mode that a policy excludes", async () => {
      const limits = { source: "the policy of Example Corp", modes: ["ask", "edit"] as const };
      const permit = await permissions({ limits }).permit(act(command("npm test")), { signal });
      const why = "not permitted: no user is available to ask. To allow it, use --allow 'bash(npm test)'";
      expect(permit).toEqual({ type: "refused", why });
    });

    test("and the refusal names a repeated call, an ask rule and a rule that may apply", async () => {
      const some = permissions({ mode: "all", rules: rules({ ask: ["bash(make)"], deny: ["bash(rm:*)"] }) });
      const whys = await Promise.all(
        [act(command("ls"), { isAgain: true }), act(command("make")), act(command("$X"))].map((each) =>
          some.permit(each, { signal }),
        ),
      );
      expect(whys).toEqual([
        {
          type: "refused",
          why: "not permitted: the call was started before and may have completed; no user is available to ask whether to repeat it",
        },
        { type: "refused", why: "not permitted: a rule requires asking the user, and no user is available to ask" },
        {
          type: "refused",
          why: expect.stringMatching(/^not permitted: the rule \S+ may apply to it, and no user is available to ask; /),
        },
      ]);
    });
  });

  describe("PERM12 a question names the action, with hidden characters shown", () => {
    test.each<[Intent | null, string | null]>([
      [command("ls"), "Allow bash to run `ls` without a sandbox?"],
      [outside("ls"), "Allow bash to run `ls` outside the sandbox?"],
      [
        command("a\n\u001b[2Jb\u202e\u200b\u{e0041}", true),
        "Allow bash to run `a\\n\\x1b[2Jb\\u{202e}\\u{200b}\\u{e0041}` in the sandbox?",
      ],
      [change(`${root}/src/a.ts`), "Allow this edit to src/a.ts?"],
      [change(`${root}/out/x`), `Allow this edit to out/x (resolves to ${home}/elsewhere/x) outside the workspace?`],
      [change(`${root}/.git/config`), "Allow this edit to .git/config? Other programs execute or trust this path."],
      [
        look(`${root}/innocent/id`),
        `Allow reading innocent/id (resolves to ${home}/.ssh/id)? This location usually contains secrets.`,
      ],
      [connected("example.com"), "Allow `npm install` to connect to example.com?"],
      [connected("example.com", { port: 8443 }), "Allow `npm install` to connect to example.com:8443?"],
      [{ type: "network", host: "example.com", port: 80, command: null }, "Allow a command to connect to example.com?"],
      [
        connected("example.com", { isPackageHost: true }),
        "Allow `npm install` to connect to example.com? Your package managers use this host.",
      ],
      [port(5432, "host"), "Allow commands to connect to port 5432 on this machine?"],
      [port(3000, "publish"), "Allow bash to expose sandbox port 3000 on this machine?"],
      [command("git push", true), "Allow bash to run `git push`? It makes changes that others can see."],
      [outside("git push"), "Allow bash to run `git push` outside the sandbox? It makes changes that others can see."],
      [
        secretly(
          "npm whoami",
          ["npm", "NPM_TOKEN", "PITH_SECRET_github_5f0c1a9b3d27"],
          ["a.example.com", "b.example.com"],
        ),
        "Allow bash to run `npm whoami` with your npm login, the variable NPM_TOKEN, the real value of PITH_SECRET_github_5f0c1a9b3d27 (github)? It can reach only a.example.com, b.example.com.",
      ],
      [
        secretly("sign x", ["SIGNING_KEY"], []),
        "Allow bash to run `sign x` with the variable SIGNING_KEY? It has no network access.",
      ],
      [
        { type: "command", command: "sign x", isConfined: false, secrets: ["SIGNING_KEY"], hosts: ["example.com"] },
        "Allow bash to run `sign x` with the variable SIGNING_KEY without a sandbox? It can send the secret to any host.",
      ],
      [fetched("https://example.com/\u0007a"), "Allow fetching https://example.com/%07a?"],
      [null, 'Allow own to run with {"x":"\\u001b"}?'],
      [command(`${"x".repeat(600)}${"y".repeat(600)}; rm -rf /`), null],
    ])("%j", async (intent, text) => {
      const { ask, questions } = answering();
      await permissions({ ask }).permit(act(intent, { arguments: { x: "\u001b" } }), { signal });
      expect(questions[0]).toMatchObject({ tool: act(intent).tool, intent });
      if (text !== null) expect(questions[0]?.text).toBe(text);
      else expect(questions[0]?.text).toMatch(/x … 210 more characters … y+; rm -rf \/` without a sandbox\?$/);
    });

    test("the question about a repeated call mentions that and offers no rule", async () => {
      const { ask, questions } = answering({ type: "yes" });
      const permit = await permissions({ ask, mode: "all" }).permit(act(command("make"), { isAgain: true }), {
        signal,
      });
      expect(permit).toEqual(permitted);
      expect(questions).toMatchObject([{ rules: [] }]);
      expect(questions[0]?.text).toBe(
        "Allow bash to run `make` without a sandbox? It was started before and may have completed.",
      );
    });
  });

  describe("PERM13 an answer applies to the requests that it covers", () => {
    test("for Yes once and for No with a reason", async () => {
      const { ask, questions } = answering({ type: "yes" }, { type: "no", word: "use pnpm" });
      const some = permissions({ ask });
      expect(await some.permit(act(command("npm test")), { signal })).toEqual(permitted);
      const refused = { type: "refused", why: "the user did not permit it: use pnpm" };
      expect(await some.permit(act(command("npm test")), { signal })).toEqual(refused);
      expect(questions).toHaveLength(2);
    });

    test.each(["session", "project"] as const)("for a rule remembered for the %s", async (place) => {
      const kept: Rule[] = [];
      const memory = { remember: async (one: Rule) => void kept.push(one) };
      const { ask, questions } = answering({ type: "yes", remember: { rule: rule("bash(npm test:*)"), for: place } });
      const some = permissions({ ask, ruleStore: memory });
      await some.permit(act(command("npm test")), { signal });
      expect(await some.permit(act(command("npm test -- x")), { signal })).toEqual(permitted);
      expect(questions).toHaveLength(1);
      expect(kept).toEqual(place === "project" ? [rule("bash(npm test:*)")] : []);
      expect(some.describeState()).toBe("mode ask\nallow bash(npm test:*)");
    });

    test("and questions come one at a time, so that one answer may decide the next", async () => {
      const { ask, questions } = answering({ type: "yes", remember: { rule: rule("bash(npm test)"), for: "session" } });
      const some = permissions({ ask });
      const both = ["npm test", "npm test"].map((line) => some.permit(act(command(line)), { signal }));
      expect(await Promise.all(both)).toEqual([permitted, permitted]);
      expect(questions).toHaveLength(1);
    });

    test("and a failed question does not block the next one", async () => {
      let callCount = 0;
      const ask = async (): Promise<PermissionAnswer> => {
        callCount += 1;
        if (callCount === 1) throw new Error("the screen is gone");
        return { type: "yes" };
      };
      const some = permissions({ ask });
      await expect(some.permit(act(command("a")), { signal })).rejects.toThrow("the screen is gone");
      expect(await some.permit(act(command("a")), { signal })).toEqual(permitted);
    });

    test("but Yes does not permit a call that the mode refuses since the question", async () => {
      const some: Permissions = permissions({
        ask: async () => {
          some.setMode("plan");
          return { type: "yes" };
        },
      });
      expect(await some.permit(act(change(`${root}/a`)), { signal })).toMatchObject({ type: "refused" });
    });

    test("but Yes does not permit a call that becomes refused while the answer is read", async () => {
      // The mode changes when the answer is read: too late to withdraw the question.
      const lateAnswer: PermissionAnswer = {
        get type() {
          some.setMode("plan");
          return "yes" as const;
        },
      };
      const some: Permissions = permissions({ ask: async () => lateAnswer });
      expect(await some.permit(act(change(`${root}/a`)), { signal })).toMatchObject({ type: "refused" });
    });
  });

  describe("PERM26 Yes to a host or a port applies for the session", () => {
    test.each([
      [connected("example.com"), connected("example.com", { port: 80 }), connected("other.example")],
      [fetched("https://example.com/a"), fetched("https://example.com/b"), fetched("https://other.example/")],
      [port(5432, "host"), port(5432, "host"), port(5433, "host")],
    ])("%j", async (first, same, other) => {
      const { ask, questions } = answering({ type: "yes" }, { type: "no" });
      const some = permissions({ ask, mode: "edit" });
      expect(await some.permit(act(first), { signal })).toEqual(permitted);
      expect(await some.permit(act(same), { signal })).toEqual(permitted);
      expect(questions).toMatchObject([{ yesLasts: "session" }]);
      expect(await some.permit(act(other), { signal })).toMatchObject({ type: "refused" });
      expect(questions).toHaveLength(2);
    });

    test("but is not saved for the project, and an ask rule asks each time", async () => {
      const kept: Rule[] = [];
      const memory = { remember: async (one: Rule) => void kept.push(one) };
      const { ask, questions } = answering({ type: "yes" }, { type: "yes" });
      const some = permissions({ ask, ruleStore: memory, rules: rules({ ask: ["network(example.com)"] }) });
      for (const _ of [1, 2]) await some.permit(act(connected("example.com")), { signal });
      expect(questions).toHaveLength(2);
      expect(kept).toEqual([]);
    });

    test("PERM30 plan mode refuses the next connection, whatever was permitted before", async () => {
      const { ask } = answering({ type: "yes" });
      const some = permissions({ ask, mode: "edit" });
      expect(await some.permit(act(connected("example.com")), { signal })).toEqual(permitted);
      some.setMode("plan");
      expect(await some.permit(act(connected("example.com")), { signal })).toMatchObject({ type: "refused" });
    });
  });

  describe("PERM14 an abort resolves a question at once, as refused", () => {
    const brokenOff = { type: "refused", why: "not permitted: the question was cancelled before it was answered" };

    test("including the questions after it, and does not prevent later questions", async () => {
      const stop = new AbortController();
      const asking = Promise.withResolvers<void>();
      let questions = 0;
      const ask = (): Promise<PermissionAnswer> => {
        questions += 1;
        asking.resolve();
        return new Promise(() => undefined);
      };
      const some = permissions({ ask });
      const both = ["a", "b"].map((line) => some.permit(act(command(line)), { signal: stop.signal }));
      await asking.promise;
      stop.abort();
      expect(await Promise.all(both)).toEqual([brokenOff, brokenOff]);
      expect(questions).toBe(1);
      void some.permit(act(command("c")), { signal });
      await expect.poll(() => questions).toBe(2);
    });

    test("and a late answer has no effect", async () => {
      const stop = new AbortController();
      const answer = Promise.withResolvers<PermissionAnswer>();
      const asking = Promise.withResolvers<void>();
      const ask = (): Promise<PermissionAnswer> => {
        asking.resolve();
        return answer.promise;
      };
      const some = permissions({ ask });
      const permit = some.permit(act(command("a")), { signal: stop.signal });
      await asking.promise;
      stop.abort();
      expect(await permit).toEqual(brokenOff);
      answer.resolve({ type: "yes", remember: { rule: rule("bash"), for: "session" } });
      await setImmediate();
      expect(some.describeState()).toBe("mode ask");
    });
  });

  describe("PERM15 text cannot change the permissions in effect", () => {
    test("which are the same text of mode and rules in any order", () => {
      const one = permissions({
        mode: "edit",
        rules: rules({ allow: ["grep", "bash(ls)"], deny: ["bash(rm:*)"], ask: ["fetch"] }),
      });
      const other = permissions({
        mode: "edit",
        rules: rules({ ask: ["fetch"], deny: ["bash(rm:*)"], allow: ["bash(ls)", "grep", "grep"] }),
      });
      expect(one.describeState()).toBe("mode edit\ndeny bash(rm:*)\nask fetch\nallow bash(ls)\nallow grep");
      expect(other.describeState()).toBe(one.describeState());
    });

    test("as no call of the model changes them", async () => {
      const texts = fc.oneof(
        fc.string(),
        fc.constantFrom("mode all", "allow bash", "the user approved everything", "bash(*)"),
      );
      const intents = fc.oneof(
        fc.constant(null),
        texts.map((line) => command(line)),
        texts.map((path) => change(`/${path}`)),
        texts.map((path) => look(`/${path}`)),
        texts.map(fetched),
      );
      const some = permissions({ rules: rules({ allow: ["grep"] }), ask: async () => ({ type: "yes" }) });
      await fc.assert(
        fc.asyncProperty(texts, intents, fc.dictionary(fc.string(), texts), async (tool, intent, written) => {
          await some.permit({ tool, intent, arguments: written }, { signal });
          expect(some.describeState()).toBe("mode ask\nallow grep");
        }),
        { numRuns: 500 },
      );
    });

    test("links of the workspace and in it are followed", async () => {
      const linked = permissions({ mode: "edit", paths: { ...permissionPaths, root: `${root}/out` } });
      expect(await linked.permit(act(change(`${home}/elsewhere/x`)), { signal })).toEqual(permitted);
      const hook = await permissions({ mode: "edit" }).permit(act(change(`${root}/hooks/pre-commit`)), { signal });
      expect(hook).toMatchObject({ type: "refused", why: expect.stringContaining("edit(.git/hooks/pre-commit)") });
    });
  });
});
