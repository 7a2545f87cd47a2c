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
