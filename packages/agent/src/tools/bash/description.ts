/** What the model is told of the tool. */

export const description: string =
  "Run a bash command in the workspace, without input. Of a long output you see the beginning and the end. " +
  "Start servers, watchers and other long work with `background`; you get the name of a job, " +
  "by which you later see its new output, wait for it or end it.";

export const parameters: unknown = {
  type: "object",
  properties: {
    command: { type: "string", description: "What to run" },
    timeout: { type: "number", description: "End it after so many seconds; default: never" },
    background: { type: "boolean", description: "Start it as a job and do not wait" },
    job: { type: "string", description: "Instead of a command: look at this job" },
    wait: { type: "number", description: "Wait up to so many seconds for the job to end" },
    kill: { type: "boolean", description: "End the job" },
  },
};
