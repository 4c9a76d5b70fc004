import { maxMaxBytes, maxResultRows, writeLimit } from '../../../contract/limits.ts'
import type { Fault } from '../../../contract/search-api.ts'
import { showValue } from '../../../contract/texts/show-value.ts'
import { type ColumnName, ratesColumns } from '../../../schema/columns/rates.ts'
import { rowColumns } from '../../../schema/summary/result-columns.ts'
import { adviseName } from '../advise-name.ts'
import { listOf, readList, refuse } from './request-fields.ts'

/** The part of a result that a search asks for, and what it may read for it; an absent field means all. */
export interface ResultParts {
  /** Some columns of a result, in its order. */
  readonly columns?: readonly ColumnName[]
  /** The most rows of the result. */
  readonly limit?: number
  /** The most bytes that the search may read, as it is estimated when it is created. */
  readonly maxBytes?: number
}

/** Reads the columns and the number of rows that a search asks for. A summary takes neither. */
export function readResultParts(body: Readonly<Record<string, unknown>>, faults: Fault[]): ResultParts {
  const columns = readList(
    listOf(body, 'columns', '', 'leave the field out to mean all columns'),
    maxNamedColumns,
    parseColumn,
    faults,
  )
  const limit = readWhole(body, 'limit', maxResultRows, faults)
  const maxBytes = readWhole(body, 'max_bytes', maxMaxBytes, faults)
  if (body['summary'] !== undefined)
    for (const field of ['columns', 'limit'] as const)
      if (body[field] !== undefined) refuse(faults, field, `${withSummary[field]}: leave it out`)
  return {
    ...(columns && { columns: rowColumns(columns).map(({ name }) => name) }),
    ...(limit !== undefined && { limit }),
    ...(maxBytes !== undefined && { maxBytes }),
  }
}

const columnNames: readonly ColumnName[] = ratesColumns.map(({ name }) => name)

/** More names than there are columns are allowed, because repetition makes no difference. */
const maxNamedColumns = 100

const withSummary = {
  columns: 'cannot be chosen with `summary`, whose rows have columns of their own',
  limit: 'cannot be given with `summary`: some of its rows would look like all of them',
} as const

function parseColumn(value: unknown, path: string, faults: Fault[]): ColumnName | undefined {
  const column = columnNames.find((name) => name === value)
  if (column !== undefined) return column
  return refuse(
    faults,
    path,
    `must be the name of a column of results; got ${showValue(value)}; ${adviseName(value, columnNames, 'columns')}`,
  )
}

function readWhole(
  body: Readonly<Record<string, unknown>>,
  field: 'limit' | 'max_bytes',
  most: number,
  faults: Fault[],
): number | undefined {
  const value = body[field]
  if (value === undefined) return undefined
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most) return value
  return refuse(faults, field, `must be an integer from 1 to ${writeLimit(most)}; got ${showValue(value)}`)
}
