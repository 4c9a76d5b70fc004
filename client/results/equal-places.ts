import { at } from '../../schema/at.ts'
import { everywhere, many } from '../../schema/summary/definition.ts'
import { placeColumn } from '../../schema/summary/summary-columns.ts'
import { showValue } from './csv.ts'
import { namePlaces } from './places-of-service.ts'
import type { ResultRow } from './result-row.ts'

/**
 * A summary has a row for each place of service, because the places of two prices may overlap. Most payers publish the
 * same prices for several places, and their rows repeat each other: what is shown has one row for them.
 */

const place = placeColumn.name

/** Returns the places of a row: one, or several if it stands for rows that are equal otherwise. */
export const placesOfRow = (row: ResultRow): readonly unknown[] => [row[place]].flat()

/** Values of a row that stand for no place of its own: all places, more than are told apart, and none published. */
const notPlaces = new Set<unknown>([everywhere, many, '', null, undefined])

/**
 * Merges the rows of a summary that differ only in their place of service, and are equal in everything that is shown,
 * into the first of them, whose place is then the list of all.
 *
 * @param shown the columns that are shown
 */
export function mergePlaces(rows: readonly ResultRow[], shown: readonly string[]): readonly ResultRow[] {
  const otherColumns = shown.filter((name) => name !== place)
  const merged: ResultRow[] = []
  const positions = new Map<string, number>()
  for (const row of rows) {
    const key = JSON.stringify(otherColumns.map((name) => showValue(row[name])))
    const isAtPlaces = !placesOfRow(row).some((code) => notPlaces.has(code))
    const position = isAtPlaces ? positions.get(key) : undefined
    if (position === undefined) {
      if (isAtPlaces) positions.set(key, merged.length)
      merged.push(row)
    } else {
      const first = at(merged, position)
      merged[position] = { ...first, [place]: [...placesOfRow(first), ...placesOfRow(row)] }
    }
  }
  return merged
}

/** Merges rows that differ only in their place of service, and names the places of each as people read them. */
export const joinPlaces = (rows: readonly ResultRow[], shown: readonly string[]): readonly ResultRow[] =>
  mergePlaces(rows, shown).map((row) => {
    const codes = placesOfRow(row).map(showValue)
    return { ...row, [place]: codes.every((code) => code === '') ? null : namePlaces(codes) }
  })
