/** The door `@pith/models/overflow`, all of it, for extensions alone. */

export * from "@pith/models/overflow";
