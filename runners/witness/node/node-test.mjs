// A reporter of `node --test`: says on its output, signed with this run's number, which tests passed.
import { words } from './say.cjs';

export default async function* report(source) {
  const passed = new Set();
  const seen = new Map();
  for await (const { type, data } of source) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    if (data.skip !== undefined || data.todo !== undefined || data.name === data.file) continue;
    const name = `${data.file ?? ''} ${data.nesting} ${data.name}`;
    const number = (seen.get(name) ?? 0) + 1;
    seen.set(name, number);
    if (type === 'test:pass') passed.add(number > 1 ? `${name} #${number}` : name);
  }
  yield words(passed);
}
