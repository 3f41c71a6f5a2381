/** The schema for a tool: what the world does to it is an observation, what we do to it is thrown (L4). */
import { failure, type Observation } from "../agent/observation.ts";
import type { Database } from "../sql/database.ts";
import { classifyError } from "../sql/failure.ts";
import type { DatabaseSchema } from "../sql/schema.ts";

/** The schema, or null when D1 cannot be reached now. */
export async function readSchema(database: Database): Promise<DatabaseSchema | null> {
  try {
    return await database.schema();
  } catch (error) {
    if (classifyError(error).kind === "bug") throw error;
    return null;
  }
}

/** What the model is told then: no mistake of its own. */
export const SCHEMA_UNREACHABLE: Observation = failure("The database is busy: its schema could not be read just now.", [
  "Call the tool again, or answer with what you have.",
]);
