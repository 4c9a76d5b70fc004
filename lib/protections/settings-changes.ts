/** Flattens settings to texts by their paths: `limits.searches` is `20`. Lists are one value. */
function flatten(value: unknown, path: string): readonly (readonly [path: string, text: string])[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[path, JSON.stringify(value)]]
  return Object.entries(value).flatMap(([key, member]) => flatten(member, path === '' ? key : `${path}.${key}`))
}

/**
 * Lists the settings of a stage that a deploy would change, one line each: `retentionDays  7 -> 30`.
 *
 * @param before the settings with which the stage was deployed, with defaults filled in
 */
export function describeSettingsChanges(before: unknown, after: unknown): readonly string[] {
  const [former, latter] = [new Map(flatten(before, '')), new Map(flatten(after, ''))]
  const changed = [...new Set([...former.keys(), ...latter.keys()])].filter(
    (path) => former.get(path) !== latter.get(path),
  )
  const width = Math.max(0, ...changed.map((path) => path.length))
  return changed.map((path) => `${path.padEnd(width)}  ${former.get(path) ?? 'none'} -> ${latter.get(path) ?? 'none'}`)
}
