import type { CompletedSearchBody, SearchBody, SearchRequestBody } from '../../contract/search-api.ts'
import { absentNpi, choice, dental, findSampleRows, gold, largeSearch, silver } from '../conformance/samples.ts'
import { describeRows, readResult } from '../conformance/shards.ts'

/** A search of the sample data, and its expected result. */
export interface KnownSearch {
  readonly body: SearchRequestBody
  /** The rows as text, sorted; absent if the search must fail because no fee schedule has the name. */
  readonly rows?: readonly string[]
}

const nobody = { payer: 'Nobody we know', plan: 'Nothing' }

const filters: readonly (Parameters<typeof findSampleRows>[0] & { readonly codes?: readonly string[] })[] = [
  { npis: [1000100002, 1000100010], codes: ['99213', '27447', '73721'], plans: [gold, choice] },
  { codes: ['99203', '99204', '99212', '99213', '99214', '99215', '0450'], plans: [gold, silver] },
  { npis: [1000100002, 1000103675], plans: [gold, choice] },
  { tins: ['001551506'], plans: [gold, choice] },
  { codes: ['D1110', 'D0120'], plans: [dental] },
  { npis: [absentNpi], codes: ['99213'], plans: [gold] },
]

/** Searches with few, thousands of and no rows, and one that must fail. */
export const knownSearches: readonly KnownSearch[] = [
  ...filters.map(({ npis, tins, codes, plans }) => ({
    body: {
      ...(npis !== undefined && { npis }),
      ...(tins !== undefined && { tins }),
      ...(codes !== undefined && { billing_codes: codes }),
      fee_schedules: plans,
    },
    rows: describeRows(
      findSampleRows({ plans, ...(npis && { npis }), ...(tins && { tins }), ...(codes && { codes }) }),
    ),
  })),
  { body: { ...largeSearch, fee_schedules: [gold, nobody] } },
]

/** Downloads every shard and compares every row. Returns what is wrong with a job's end; undefined if it is right. */
export async function findWrongEnd({ rows }: KnownSearch, search: SearchBody): Promise<string | undefined> {
  if (search.status === 'failed') {
    const isRight = rows === undefined && search.error.startsWith('unsupported_fee_schedule: ')
    return isRight ? undefined : `failed: ${search.error}`
  }
  if (search.status !== 'completed') return `is ${search.status}`
  if (rows === undefined) return 'completed although it should fail for an unknown fee schedule'
  const resultRows = await readRows(search)
  if (typeof resultRows === 'string') return resultRows
  const isSame = resultRows.length === rows.length && resultRows.every((row, index) => row === rows[index])
  return isSame ? undefined : `has ${resultRows.length} rows that differ from the expected ${rows.length}`
}

async function readRows(search: CompletedSearchBody): Promise<readonly string[] | string> {
  try {
    return await readResult(search)
  } catch (error) {
    return `cannot be downloaded: ${error instanceof Error ? error.message.slice(0, 200) : 'unknown'}`
  }
}
