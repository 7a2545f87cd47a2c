function ghosttapeSame(found, wanted) {
  if (typeof found === "bigint") {
    found = Number(found);
  }
  if (found === undefined) {
    found = null;
  }
  if (typeof found === "number" && typeof wanted === "number") {
    const whole = Number.isInteger(found) && Number.isInteger(wanted);
    return whole ? found === wanted : Math.abs(found - wanted) <= 1e-6 * Math.max(1, Math.abs(wanted));
  }
  if (found instanceof Set) {
    found = [...found];
  }
  if (found instanceof Map) {
    found = Object.fromEntries(found);
  }
  if (found === null || wanted === null || typeof found !== "object" || typeof wanted !== "object") {
    return found === wanted;
  }
  const keys = Object.keys(wanted);
  return (
    Array.isArray(found) === Array.isArray(wanted) &&
    Object.keys(found).length === keys.length &&
    keys.every((key) => key in found && ghosttapeSame(found[key], wanted[key]))
  );
}
