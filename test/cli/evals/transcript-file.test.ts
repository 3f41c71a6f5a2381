import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseTranscript, readTranscriptFile } from "../../../src/cli/evals/transcript-file.ts";
import { temporaryFolder } from "../database-fixtures.ts";

const RUN = { id: "run_1", model: "m", outcome: "answered", stop_reason: "done", receipt: { cost_usd: 0.01 } };

describe("a transcript", () => {
  it("is read with its run and events; kinds of lines that are not known are kept as entries", () => {
    const lines = [
      { kind: "run", run: RUN },
      { kind: "event", seq: 1, event: { type: "run_started" } },
      { kind: "new" },
    ];
    const parsed = parseTranscript(lines.map((line) => JSON.stringify(line)).join("\n"));
    expect(parsed).toMatchObject({ ok: true, value: { run: RUN, events: [{ type: "run_started" }] } });
    expect(parsed.ok && parsed.value.entries).toHaveLength(3);
  });

  it("that is none is refused with the file and the line", () => {
    expect(parseTranscript("{}")).toEqual({ ok: false, error: "line 1 is not a line of a transcript." });
    expect(parseTranscript('{"kind":"event"}')).toMatchObject({ error: expect.stringMatching(/no run in it/) });
    const folder = temporaryFolder();
    try {
      const path = join(folder.path, "a.jsonl");
      writeFileSync(path, "?");
      expect(readTranscriptFile(path)).toMatchObject({ ok: false, error: expect.stringContaining(`${path}: line 1`) });
      expect(readTranscriptFile(join(folder.path, "b"))).toMatchObject({
        error: expect.stringMatching(/cannot be read/),
      });
    } finally {
      folder.remove();
    }
  });
});
