/** What the model is told of the tool. */

const description =
  "Run a bash command in the workspace, without input. Of a long output you see the beginning and the end. " +
  "Start servers, watchers and other long work with `background`; you get the name of a job, " +
  "by which you later see its new output, wait for it or end it.";

const sandboxDescription =
  " Commands run in a sandbox: they write only in the workspace, in temporary folders and package caches.";

const properties = {
  command: { type: "string", description: "What to run" },
  timeout: { type: "number", description: "End it after so many seconds; default: never" },
  background: { type: "boolean", description: "Start it as a job and do not wait" },
  job: { type: "string", description: "Instead of a command: look at this job" },
  wait: { type: "number", description: "Wait up to so many seconds for the job to end" },
  kill: { type: "boolean", description: "End the job" },
};

const outside = { type: "boolean", description: "Run it outside the sandbox; the user is asked" };

export interface Described {
  readonly description: string;
  readonly parameters: unknown;
}

export const plainBash: Described = { description, parameters: { type: "object", properties } };

export const sandboxedBash: Described = {
  description: description + sandboxDescription,
  parameters: { type: "object", properties: { ...properties, outside } },
};
