/** Tests `/login`, `/logout` and the question after a rejected key, on the screen of the real program. */

import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type KeyGate, startKeyGate } from "../../../../e2e/support/local-servers.ts";
import { type InteractiveApp, startInteractiveApp } from "../../../support/interactive-app.ts";

/** Joined, so that the repository contains nothing that looks like a key. */
const NEW_KEY = ["sk-ant-api03", "qL9vW2xT7zR4nK8mB1cD6fG3hJ5"].join("-");
const OLD_KEY = ["sk-ant-api03", "zZ8yY7xX6wW5vV4uU3tT2sS1rR0"].join("-");

interface LoginApp extends InteractiveApp {
  readonly keyGate: KeyGate;
}

/** The provider accepts only `NEW_KEY`. */
async function startWithKeyGate(
  replies: readonly string[],
  prepare: (home: string) => void = () => {},
): Promise<LoginApp> {
  const keyGate = await startKeyGate({ acceptedKey: NEW_KEY });
  onTestFinished(() => keyGate.close());
  const app = await startInteractiveApp([...replies], {
    prepare: ({ home }) => {
      keyGate.target = process.env.ANTHROPIC_BASE_URL ?? "";
      process.env.ANTHROPIC_BASE_URL = keyGate.url;
      process.env.ANTHROPIC_API_KEY = OLD_KEY;
      prepare(home);
    },
  });
  return { ...app, keyGate };
}

function paste({ terminal }: InteractiveApp, text: string): void {
  terminal.press(`\x1b[200~${text}\x1b[201~`, "\r");
}

/** The text of every file in Pith's home but the key file. */
function textOfHome(home: string): string {
  return readdirSync(home, { recursive: true, encoding: "utf8" })
    .filter((name) => name !== "keys.json" && statSync(join(home, name)).isFile())
    .map((name) => readFileSync(join(home, name), "utf8"))
    .join("\n");
}

test("KEY7 after a rejected key a panel requests a new one, and the request is repeated with it", async () => {
  const app = await startWithKeyGate(["Hello again."]);
  app.submit("Are you there?");
  await app.waitForText("Anthropic (Claude) rejected the API key in ANTHROPIC_API_KEY.");
  paste(app, "sk-ant-wrong");
  await app.waitForText("rejected this API key (401). Did you copy all of it?");
  paste(app, NEW_KEY);
  await app.waitForText("Hello again.");
  expect(app.keyGate.keys).toEqual([OLD_KEY, NEW_KEY]);
  expect(JSON.parse(readFileSync(join(app.home, "keys.json"), "utf8"))).toEqual({ anthropic: NEW_KEY });
  const screenText = await app.waitForText(/ANTHROPIC_API_KEY\s+still\s+contains\s+a\s+different\s+key/);
  expect(screenText.match(/Are you there\?/g)).toHaveLength(1);
  expect(screenText).not.toMatch(/qL9vW|zZ8yY/);
  expect(textOfHome(app.home)).not.toMatch(/qL9vW|zZ8yY|sk-ant-wrong/);
});

test("KEY7 Esc at the key panel changes nothing and shows what to do next", async () => {
  const app = await startWithKeyGate([]);
  app.submit("Are you there?");
  await app.waitForText("API key for Anthropic");
  app.terminal.press("\x1b");
  await app.waitUntilGone("API key for Anthropic");
  expect(await app.waitForText(/Enter another one with \/login\s+anthropic\./)).toContain("401");
  expect(existsSync(join(app.home, "keys.json"))).toBe(false);
  expect(app.keyGate.keys).toEqual([OLD_KEY]);
});

test("KEY7 /login applies to the running session, and the new key is redacted from then on", async () => {
  const app = await startWithKeyGate(["Yes."]);
  // No pattern matches it, so that only the login makes it a secret.
  const plainKey = "gateway-password";
  app.keyGate.acceptedKey = plainKey;
  app.submit("/login anthropic");
  await app.waitForText("API key for Anthropic");
  paste(app, plainKey);
  await app.waitForText("anthropic/claude-sonnet-5 now uses the API key you entered.");
  app.submit(`Is ${plainKey} still secret?`);
  await app.waitForText("Yes.");
  expect(app.keyGate.keys).toEqual([plainKey]);
  expect(JSON.stringify(app.server.requests.at(-1)?.body)).not.toContain(plainKey);
  expect(textOfHome(app.home)).not.toContain(plainKey);
});

test("KEY7 /login lists the providers with the sources of their keys; a key of another provider does not change the model", async () => {
  const app = await startWithKeyGate([]);
  app.submit("/login");
  expect(await app.waitForText("Enter an API key for which provider?")).toMatch(
    /Anthropic \(Claude\)\s+API key in ANTHROPIC_API_KEY/,
  );
  app.terminal.press("\x1b");
  await app.waitUntilGone("Enter an API key for which provider?");
  app.submit("/login antropic");
  await app.waitForText("did you mean anthropic?");
  app.submit("/login openai-compatible");
  await app.waitForText("API key for openai-compatible");
  paste(app, "server-key-1");
  await app.waitForText(/Choose a model from\s+openai-compatible with \/model/);
});

test("KEY6 /logout removes a saved key, and shows a list if there are several", async () => {
  const app = await startWithKeyGate([], (home) =>
    writeFileSync(join(home, "keys.json"), JSON.stringify({ anthropic: "a", openai: "o" }), { mode: 0o600 }),
  );
  app.submit("/logout");
  await app.waitForText("Remove the API key for which provider?");
  app.terminal.press("\r");
  await app.waitForText(
    /The API key for Anthropic \(Claude\) was removed from[\s\S]*ANTHROPIC_API_KEY still provides one/,
  );
  expect(JSON.parse(readFileSync(join(app.home, "keys.json"), "utf8"))).toEqual({ openai: "o" });
});
