/** The door `@pith/models/convert`, all of it, for extensions alone. */

export * from "@pith/models/convert";
