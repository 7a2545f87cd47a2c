// A reporter of `node --test`: reports on its output, signed with this run's number, which tests passed and failed.
import { words } from './say.cjs';

export default async function* report(source) {
  const passed = [];
  const failed = [];
  const counts = [0, 0]; // without suites, as node counts
  const seen = new Map();
  for await (const { type, data } of source) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    if (data.skip !== undefined || data.todo !== undefined) continue; // a test that is still to be written may fail
    const isFile = data.name === data.file;
    if (isFile && type === 'test:pass') continue; // it has no tests
    const name = `${data.file ?? ''} ${data.nesting} ${data.name}`;
    const number = (seen.get(name) ?? 0) + 1;
    seen.set(name, number);
    (type === 'test:pass' ? passed : failed).push(number > 1 ? `${name} #${number}` : name);
    if (data.details?.type !== 'suite') counts[type === 'test:pass' ? 0 : 1] += 1;
  }
  yield words('node --test', passed, failed, counts);
}
