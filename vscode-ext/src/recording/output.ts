import programs from "./programs.json" with { type: "json" };

const TESTS = new RegExp(programs.tests);
/** Characters of a command line that are searched. */
const SEARCHED = 2000;
/** Characters of a command's output that are kept: test runners sum up at the end. */
const KEPT = 20_000;

/** The end of a stream of text; what came before an error, if there is one. */
export async function tailOf(stream: AsyncIterable<string>, kept = KEPT): Promise<string> {
  let tail = "";
  try {
    for await (const piece of stream) {
      tail = (tail + piece).slice(-kept);
    }
  } catch {
    return tail; // the terminal was closed
  }
  return tail;
}

/** Whether a command line may be a test run: of all others nothing is sent to the server, which decides. */
export function mayRunTests(line: string): boolean {
  return TESTS.test(line.slice(0, SEARCHED));
}
