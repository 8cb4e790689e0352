/** Defines the prompt for a hand-off to a new session and the template of its first message. Text only, no logic. */

/** `{goal}` is the goal of the new session in the user's words; `{words}` is the maximum length of the answer. */
export const HANDOFF_PROMPT = `The work above goes on in a new session, with a colleague who has seen none of it. What it is for, in the user's own words, is the last [User] block above:

{goal}

Write what that colleague must know to begin with it at once: only what matters for that goal. Leave out the rest of the session.

It has these sections, in this order; leave one out where there is nothing to say:

## Background
- what the work is about, and what is so by now

## Done
- what is finished that the goal builds on, and what shows it

## Decided
- what was decided and must hold, and the reason for it

## Found out
- facts, errors, commands, numbers and names that would otherwise have to be found again

## First steps
1. what to do first

Rules:
- End a line with the number of the entry it rests on, as in [#3]. The numbers stand at the beginning of the blocks. Never make up a number.
- Report a wish, a decision or a permission of the user only with the number of the [User] block that gave it. Put words in quotation marks only if they were written exactly so.
- Copy paths, names, commands, numbers, identifiers and error messages exactly.
- Name the files that the goal needs by their paths. Do not write what is in them: they can be read.
- Write in the language in which the user writes; the headings stay as they are here.
- Write at most {words} words.
- Answer with these sections alone; the first line is the first heading.`;

/** The first message of the new session. */
export const HANDOFF_MESSAGE = `{goal}

This goes on from earlier work, in a session of its own. What one must know of it:

{story}{files}`;

export const HANDOFF_FILES = `

## Files
{paths}`;
