import { findNearestName } from '../catalogue/resolving/nearest-name.ts'

/** Advises on a column that does not exist: the one that was meant, or else all that there are. */
export function adviseColumn(named: unknown, columns: readonly string[]): string {
  const meant = typeof named === 'string' ? findNearestName(named, columns) : undefined
  return meant === undefined ? `the columns are ${columns.join(', ')}` : `did you mean \`${meant}\`?`
}
