/** The texts of a summary that no model writes; the headings are those every summary has. */

const progress = `## Progress
### Done
{done}
### In Progress
{doing}`;

export const modelFreeSections: Readonly<Record<"all" | "since" | "nothing", string>> = {
  /** Where there is nothing else to go on from. */
  all: `## Goal
{goal}
## Constraints & Preferences
- as the user put them, word for word, above
${progress}
### Blocked
- see the errors below, if any
## Key Decisions
- in the entries named here; code does not judge them
## Next Steps
1. go on with the user's latest request
## Critical Context
- this record was put together by code from the log; every entry it names can be opened`,

  /** Behind a story that a model wrote earlier. */
  since: `What happened after that, put together by code from the log:

## Goal
{goal}
${progress}`,

  nothing: "- (nothing)",
};
