/** Every event against everything that can go wrong with whoever listens: it is reported with its name, and the next one is heard. */

import assert from "node:assert/strict";
import { type Hook, runHooks } from "@pith/context/host";
import { test } from "vitest";
import {
  type AgentEvent,
  type EventOf,
  type ExtensionApi,
  type ExtensionEventName,
  type Extensions,
  extensionEventTable,
  type HostEventName,
} from "../../src/index.ts";
import { actsIn, assembled, never, ports, quiet } from "./assembly.ts";

const events = Object.keys(extensionEventTable) as ExtensionEventName[];

const hostAsked: { readonly [Name in HostEventName]: EventOf<Name> & { readonly type: Name } } = {
  project_trust: { type: "project_trust", cwd: "/home/ada/app", files: [] },
  resources_discover: { type: "resources_discover", cwd: "/home/ada/app", reason: "startup" },
  session_start: { type: "session_start", reason: "startup" },
  session_before_switch: { type: "session_before_switch", reason: "new" },
  session_before_fork: { type: "session_before_fork", entryId: "e1", position: "at" },
  session_shutdown: { type: "session_shutdown", reason: "quit" },
  model_select: { type: "model_select", model: nobody(), previousModel: nobody() },
  thinking_level_select: { type: "thinking_level_select", level: "high", previousLevel: "off" },
  user_bash: { type: "user_bash", command: "ls", excludeFromContext: false, cwd: "/home/ada/app" },
  ui_prompt_start: { type: "ui_prompt_start", method: "confirm", title: "Sure?" },
  ui_prompt_end: { type: "ui_prompt_end", method: "confirm", title: "Sure?" },
};

const isAsked = (name: ExtensionEventName): name is HostEventName => Object.hasOwn(hostAsked, name);

function nobody() {
  return { api: "any", provider: "any", model: "any" };
}

/** As whoever asks or tells it does; what was answered. */
async function happen(name: ExtensionEventName, extensions: Extensions): Promise<readonly unknown[]> {
  if (isAsked(name)) return await extensions.dispatch(hostAsked[name] as never);
  const hooks = (extensions.hooks as Readonly<Record<string, unknown>>)[name];
  const event = { type: name, signal: new AbortController().signal };
  if (Array.isArray(hooks)) {
    const asked = hooks as readonly Hook<typeof event, unknown>[];
    const asking = { host: extensions.hooks, runtime: ports, read: (result: unknown) => result ?? null };
    return (await runHooks(asked, () => event, asking)).answers;
  }
  extensions.onEvent(event as unknown as AgentEvent);
  await quiet();
  return [];
}

const faults = { hangs: never, throws: () => Promise.reject(new Error("no luck")) };

test.each(events.flatMap((name) => Object.entries(faults).map(([fault, act]) => [name, fault, act] as const)))(
  "EXT7 at %s one that %s is reported, and the next is heard",
  async (name, fault, act) => {
    const heard: string[] = [];
    const { extensions, failures } = await assembled({
      bad: (pith) => pith.on(name, act as never),
      good: (pith) => pith.on(name, (({ type }: { readonly type: string }) => void heard.push(type)) as never),
    });
    extensions.bind(actsIn([]));
    await happen(name, extensions);
    // Whoever wants to go does not wait so long.
    const seconds = name === "session_shutdown" ? 5 : 30;
    const why = fault === "hangs" ? `no answer within ${seconds} s` : "no luck";
    assert.deepEqual(failures, [{ extension: "bad", event: name, why }]);
    assert.deepEqual(heard, [name]);
  },
);

const nonsense: readonly unknown[] = [7, "text", [], () => {}, Symbol("odd"), { cancel: "yes", trusted: 1, result: 7 }];
const read = ["project_trust", "session_before_switch", "session_before_fork", "user_bash"] as const;

test.each(read.flatMap((name) => nonsense.map((answer) => [name, answer] as const)))(
  "EXT7 at %s nonsense is reported, and counts for nothing",
  async (name, answer) => {
    const { example } = extensionEventTable[name];
    const { extensions, failures } = await assembled({
      bad: (pith) => pith.on(name, () => answer as never),
      good: (pith) => pith.on(name, () => example as never),
    });
    assert.deepEqual(await happen(name, extensions), [example]);
    assert.equal(failures.length, 1);
    assert.equal(failures[0]?.extension, "bad");
  },
);

test.each([[{ skillPaths: ["skills"] }], [{ promptPaths: "/home/ada" }], [{ skillPaths: [7] }], ["/home/ada"]])(
  "EXT7 folders are absolute paths, and %j is reported",
  async (answer) => {
    const { extensions, failures } = await assembled({
      bad: (pith) => pith.on("resources_discover", () => answer as never),
      good: (pith) => pith.on("resources_discover", () => ({ skillPaths: ["/home/ada/skills"] })),
    });
    assert.deepEqual(await happen("resources_discover", extensions), [{ skillPaths: ["/home/ada/skills"] }]);
    assert.equal(failures.length, 1);
  },
);

test("EXT7 who cancels, or brings a result, is the last that is asked", async () => {
  const asked: string[] = [];
  const cancels = (name: string) => (pith: ExtensionApi) => {
    for (const event of read)
      pith.on(event, () => {
        asked.push(`${name} ${event}`);
        return extensionEventTable[event].example as never;
      });
  };
  const { extensions } = await assembled({ one: cancels("one"), two: cancels("two") });
  for (const name of read) await happen(name, extensions);
  const [trust, ...others] = read;
  assert.deepEqual(asked, [`one ${trust}`, `two ${trust}`, ...others.map((name) => `one ${name}`)]);
});
