/** Defines the prompt for a hand-off to a new session and the template of its first message. Text only, no logic. */

/** `{goal}` is the goal of the new session in the user's words; `{words}` is the maximum length of the answer. */
export const HANDOFF_PROMPT = `The work above continues in a new session, with a colleague who has seen none of it. The goal, in the user's own words, is the last [User] block above:

{goal}

Write what that colleague must know to start at once: only what matters for this goal. Leave out the rest of the session.

Use these sections, in this order; leave out a section that would be empty:

## Background
- what the work is about, and its current state

## Done
- finished work that the goal builds on, and the evidence for it

## Decided
- decisions that still apply, with their reasons

## Found out
- facts, errors, commands, numbers and names that would otherwise have to be found again

## First steps
1. what to do first

Rules:
- End a line with the number of the entry it rests on, as in [#3]. The numbers are at the start of the blocks. Never invent a number.
- State a request, a decision or a permission of the user only with the number of the [User] block that gave it. Use quotation marks only for exact quotations.
- Copy paths, names, commands, numbers, identifiers and error messages exactly.
- Name the files that the goal needs by their paths. Do not copy their contents: they can be read.
- Write in the language in which the user writes; the headings stay as they are here.
- Write at most {words} words.
- Answer with these sections only; the first line is the first heading.`;

/** The first message of the new session. */
export const HANDOFF_MESSAGE = `{goal}

This continues earlier work in a new session. What you need to know:

{story}{files}`;

export const HANDOFF_FILES = `

## Files
{paths}`;
