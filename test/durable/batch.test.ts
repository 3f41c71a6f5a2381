import { describe, expect, it } from "vitest";
import { createBatch } from "../../src/durable/batch.ts";

function counted() {
  const commits: number[] = [];
  let inCommit = 0;
  const batch = createBatch(async (runTasks) => {
    inCommit = 0;
    runTasks();
    commits.push(inCommit);
  });
  const add = <T>(task: () => T): Promise<T> =>
    batch.add(() => {
      inCommit += 1;
      return task();
    });
  return { batch, add, commits };
}

describe("many small writes as one", () => {
  it("are done in order, in one commit, and answered each with its own", async () => {
    const { add, commits } = counted();
    const done: number[] = [];
    const replies = await Promise.all(
      Array.from({ length: 300 }, (_, index) =>
        add(() => {
          done.push(index);
          return index * 2;
        }),
      ),
    );
    expect(commits).toEqual([300]);
    expect(done).toEqual(Array.from({ length: 300 }, (_, index) => index));
    expect(replies).toEqual(done.map((index) => index * 2));
  });

  it("one that throws rejects alone", async () => {
    const { add } = counted();
    const bad = add(() => {
      throw new Error("bad");
    });
    const good = add(() => "good");
    await expect(bad).rejects.toThrow("bad");
    expect(await good).toBe("good");
  });

  it("nothing is answered when the commit fails", async () => {
    const batch = createBatch(async (runTasks) => {
      runTasks();
      throw new Error("the disk is full");
    });
    const all = await Promise.allSettled([batch.add(() => 1), batch.add(() => 2)]);
    expect(all.map((one) => one.status)).toEqual(["rejected", "rejected"]);
  });

  it("what comes later is another commit", async () => {
    const { add, commits } = counted();
    await add(() => 1);
    await add(() => 2);
    expect(commits).toEqual([1, 1]);
  });
});
