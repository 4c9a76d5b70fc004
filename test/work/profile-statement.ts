import * as v from 'valibot'
import { at } from '../../schema/at.ts'
import type { TestWarehouse } from '../builders/test-warehouse.ts'

/** The work of a statement, as DuckDB counts it. */
export interface StatementWork {
  /** Rows that were read from files, each as often as it was read. */
  readonly rowsScanned: number
  /** Rows that all operators passed on. */
  readonly rowsPassed: number
  /** Hash tables of joins, groups and distinct values. */
  readonly hashTables: number
}

/** An operator of the plan of a statement that has run. */
interface Operator {
  readonly operator_type: string
  readonly children: readonly Operator[]
}

const operator: v.GenericSchema<unknown, Operator> = v.object({
  operator_type: v.string(),
  children: v.array(v.lazy(() => operator)),
})

const profile = v.object({
  cumulative_rows_scanned: v.number(),
  cumulative_cardinality: v.number(),
  children: v.array(operator),
})

const explained = v.object({ explain_value: v.string() })

/** Runs a SELECT over a warehouse and counts its work, which depends neither on the machine nor on other work on it. */
export async function profileStatement({ query }: TestWarehouse, select: string): Promise<StatementWork> {
  const { explain_value: plan } = v.parse(explained, at(await query(`EXPLAIN (ANALYZE, FORMAT json) ${select}`), 0))
  const { children, ...totals } = v.parse(profile, JSON.parse(plan))
  return {
    rowsScanned: totals.cumulative_rows_scanned,
    rowsPassed: totals.cumulative_cardinality,
    hashTables: children.flatMap(listTypes).filter((type) => /^HASH|DELIM/.test(type)).length,
  }
}

const listTypes = ({ operator_type: type, children }: Operator): readonly string[] => [
  type,
  ...children.flatMap(listTypes),
]
