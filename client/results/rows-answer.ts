import type { ResultRows } from '../api.ts'
import { parseDecimal } from './amounts.ts'
import type { ResultRow } from './result-row.ts'

/** Returns the rows of an answer with exact numbers in place of the texts of decimals. */
export function readExactRows({ columns, rows }: Pick<ResultRows, 'columns' | 'rows'>): readonly ResultRow[] {
  const decimals = columns.filter(({ type }) => type.startsWith('decimal')).map(({ name }) => name)
  return rows.map((row) => {
    const exact = decimals.flatMap((name) => {
      const text = row[name]
      return typeof text === 'string' ? [[name, parseDecimal(text)] as const] : []
    })
    return { ...row, ...Object.fromEntries(exact) }
  })
}
