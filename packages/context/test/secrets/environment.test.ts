/** Tests secrets/environment.ts: which variables a program should not hand on. */

import { expect, test } from "vitest";
import { findSecretVariables } from "../../src/secrets/index.ts";
import { createSampleSecrets } from "../support/sample-secrets.ts";
import { createSeededRandom } from "../support/seeded-random.ts";

test.each([
  ["BW_SESSION", "opened"],
  ["OP_SESSION_mine", "opened"],
  ["BUNDLE_GEMS__EXAMPLE__COM", "ann:word"],
  ["AZURE_STORAGE_CONNECTION_STRING", "anything"],
  ["CHAT_WEBHOOK_URL", "https://hooks.example/services/a/b"],
  ["STORE", "Endpoint=https;AccountName=a;AccountKey=b"],
  ["JDBC_URL", "jdbc:mysql://db.example/x?user=ann&password=word"],
  ["ODBC", "Server=db.example;Uid=ann;Pwd=word;"],
])("SEC25 %s is a secret variable", (name, value) => {
  expect(findSecretVariables({ [name]: value })).toEqual([name]);
});

test("BOX13 a variable whose value is a known kind of token is a secret variable, whatever its name", () => {
  const [token] = createSampleSecrets(1, createSeededRandom(25));
  expect(findSecretVariables({ HELPER: token?.secret, REGION: "eu" })).toEqual(["HELPER"]);
});

test.each([
  ["PWD", "/home/ann"],
  ["DESKTOP_SESSION", "gnome"],
  ["BUNDLE_PATH", "vendor"],
  ["LS_COLORS", "rs=0:di=01;34"],
  ["DATABASE", "jdbc:mysql://db.example/x?user=ann"],
])("SEC25 %s is not a secret variable", (name, value) => {
  expect(findSecretVariables({ [name]: value })).toEqual([]);
});
