import { type FailureWord, failureWords } from '../../contract/failure-words.ts'
import type { CompletedSearchBody, SearchBody, SearchRequestBody } from '../../contract/search-api.ts'
import { absentNpi, choice, dental, findSampleRows, gold, largeSearch, silver } from '../conformance/samples.ts'
import { describeRows, readResult } from '../conformance/shards.ts'

/** A search of the sample data by names of plans. */
export interface SampleRequest extends Pick<SearchRequestBody, 'npis' | 'tins' | 'billing_codes'> {
  readonly fee_schedules: { readonly payer: string; readonly plan: string }[]
}

/** A search of the sample data, and how it must end. */
export interface KnownSearch {
  readonly body: SearchRequestBody
  /** The rows of its result as text, sorted, or the word with which it must fail. */
  readonly end: readonly string[] | FailureWord
}

const nobody = { payer: 'Nobody we know', plan: 'Nothing' }

const requests: readonly SampleRequest[] = [
  { npis: [1000100002, 1000100010], billing_codes: ['99213', '27447', '73721'], fee_schedules: [gold, choice] },
  {
    billing_codes: ['99203', '99204', '99212', '99213', '99214', '99215', '0450'],
    fee_schedules: [gold, silver],
  },
  { npis: [1000100002, 1000103675], fee_schedules: [gold, choice] },
  { tins: ['001551506'], fee_schedules: [gold, choice] },
  { billing_codes: ['D1110', 'D0120'], fee_schedules: [dental] },
  { npis: [absentNpi], billing_codes: ['99213'], fee_schedules: [gold] },
]

/** Searches with few, thousands of and no rows, and one that must fail. */
export const knownSearches: readonly KnownSearch[] = [
  ...requests.map((body) => ({ body, end: findExpectedRows(body) })),
  { body: { ...largeSearch, fee_schedules: [gold, nobody] }, end: 'unsupported_fee_schedule' },
]

/** Returns the rows that a search must find, as sorted text. */
export function findExpectedRows({ npis, tins, billing_codes, fee_schedules }: SampleRequest): readonly string[] {
  const filters = { ...(npis && { npis }), ...(tins && { tins }), ...(billing_codes && { codes: billing_codes }) }
  return describeRows(findSampleRows({ ...filters, plans: fee_schedules }))
}

/** Compares a job's end with the expected one. Returns its fault; undefined if it is right. */
export async function findWrongEnd({ end }: KnownSearch, search: SearchBody | undefined): Promise<string | undefined> {
  const [ended, expected] = [describeEnd(search), typeof end === 'string' ? end : 'completed']
  if (ended !== expected) return `ended ${ended} instead of ${expected}`
  return search?.status === 'completed' && typeof end !== 'string' ? findWrongResult(search, end) : undefined
}

/** Says how a search ended: `completed`, the word of its failure, or what there is instead of an end. */
export function describeEnd(search: SearchBody | undefined): string {
  if (search?.status !== 'failed') return search?.status ?? 'nothing'
  const word = search.error.split(':')[0] ?? ''
  return Object.hasOwn(failureWords, word) ? word : `failed: ${search.error}`
}

/**
 * Downloads every file of a result: they must be distinct, of one attempt, and have exactly the expected rows.
 *
 * @returns the fault of the result; undefined if it is right
 */
async function findWrongResult(search: CompletedSearchBody, rows: readonly string[]): Promise<string | undefined> {
  const paths = listFiles(search)
  if (paths.length === 0 || new Set(paths).size !== paths.length) return 'lacks files or lists them twice'
  if (new Set(paths.map((path) => path.replace(/\/[^/]*$/, ''))).size !== 1) return 'has files of several attempts'
  try {
    const resultRows = await readResult(search)
    const isSame = resultRows.length === rows.length && resultRows.every((row, index) => row === rows[index])
    return isSame ? undefined : `has ${resultRows.length} rows that differ from the expected ${rows.length}`
  } catch (error) {
    return `cannot be downloaded: ${error instanceof Error ? error.message.slice(0, 200) : 'unknown'}`
  }
}

/** The paths of a result's files. Their URLs are signed anew for each answer. */
export const listFiles = ({ download_urls }: CompletedSearchBody) => download_urls.map((url) => new URL(url).pathname)
