import type { DuckDBConnection } from '@duckdb/node-api'
import type { SearchRequest } from '../../core/search/search-request.ts'
import { selectStatement } from '../../core/search/statement.ts'
import { openRelation } from '../../local/athena/relations.ts'
import { writeSelect } from '../../local/athena/sql/duckdb-sql.ts'
import { parseStatement } from '../../local/athena/sql/parser.ts'
import { checkSelect } from '../../local/athena/sql/type-check.ts'
import { ratesRelation } from '../../schema/rates.ts'
import { allColumns } from '../../schema/relation-columns.ts'
import type { Wanted } from './row-groups.ts'

/** A search to measure. */
export interface NamedSearch extends SearchRequest {
  readonly name: string
}

/** A warehouse to search. */
export interface SearchedWarehouse {
  readonly folder: string
  /** Absent if the folder has a single relation `rates`, without contents. */
  readonly contentId?: string
}

const npiCounts = [1, 10, 100, 1000]

/** How often a search is run in each layout; the median is reported. */
const runs = 3

/**
 * Makes the searches: 1, 10, 100 and 1,000 NPIs, each with and without codes, and one for only the codes.
 *
 * @param npis all NPIs of the warehouse, ascending; the searches use evenly spaced ones
 * @param codes have the same form in every code type, so that `billing_code` alone identifies them
 */
export function makeSearches(
  npis: readonly number[],
  codes: readonly string[],
  { feeSchedules }: Pick<SearchRequest, 'feeSchedules'>,
): readonly NamedSearch[] {
  const name = (count: number) => `${count.toLocaleString('en')} NPI${count === 1 ? '' : 's'}`
  const withNpis = npiCounts.map((count) => ({ name: name(count), npis: spreadOver(npis, count), feeSchedules }))
  const withBoth = withNpis.map((search) => ({
    ...search,
    name: `${search.name}, ${codes.length} codes`,
    billingCodes: codes,
  }))
  return [...withNpis, ...withBoth, { name: `${codes.length} codes`, billingCodes: codes, feeSchedules }]
}

function spreadOver(npis: readonly number[], count: number): readonly number[] {
  const indexes = Array.from({ length: count }, (_, index) => Math.floor(((index + 0.5) * npis.length) / count))
  return indexes.map((index) => npis[index]).filter((npi) => npi !== undefined)
}

/** The values that a search gives for the columns by which layouts are sorted. */
export function wantedBy({ npis, billingCodes }: SearchRequest): Wanted {
  return { ...(npis && { npi: npis }), ...(billingCodes && { billing_code: billingCodes }) }
}

/** The outcome of a search: its row count, its values as one number, and the seconds of the median run. */
export interface SearchMeasure {
  readonly rows: number
  readonly fingerprint: string
  readonly seconds: number
}

/** Runs a search as the local Athena does, and reads all columns of its rows into memory. */
export async function measureSearch(
  connection: DuckDBConnection,
  search: SearchRequest,
  { folder, contentId }: SearchedWarehouse,
): Promise<SearchMeasure> {
  const relation = await openRelation(connection, folder, ratesRelation, new Map())
  const select = parseStatement(
    selectStatement(
      search,
      contentId === undefined ? { columns: allColumns } : { contents: search.feeSchedules.map(() => contentId) },
    ),
  )
  if (relation === undefined || select.kind !== 'select') throw new TypeError(`${folder} has nothing to search`)
  const sql = `${relation.withClause}\n${writeSelect(select, checkSelect(select, relation.columns))}`
  const seconds: number[] = []
  for (let run = 0; run < runs; run++) {
    const started = performance.now()
    await connection.run(`CREATE OR REPLACE TEMP TABLE found AS ${sql}`)
    seconds.push((performance.now() - started) / 1000)
  }
  const reader = await connection.runAndReadAll('SELECT count(*), sum(hash(found)) FROM found')
  const [rows, fingerprint] = reader.getRows()[0] ?? []
  await connection.run('DROP TABLE found')
  return { rows: Number(rows), fingerprint: String(fingerprint), seconds: median(seconds) }
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
