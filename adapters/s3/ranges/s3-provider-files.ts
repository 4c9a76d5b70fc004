import { S3Client } from '@aws-sdk/client-s3'
import { chunk } from '../../../core/chunk.ts'
import type { NppesMonth } from '../../../core/nppes/nppes-months.ts'
import { findByWords } from '../../../core/vocabulary/find-providers-by-words.ts'
import type { AreaQuery, FoundProviders, Provider, ProviderFiles } from '../../../core/vocabulary/ports.ts'
import type { RowGroup } from '../../../parquet/parquet-file.ts'
import { directoryTable, nppesMonthUnit, providersTable } from '../../../schema/columns/providers-table.ts'
import { fileName, folderPath, type WarehouseTable } from '../../../schema/columns/warehouse-tables.ts'
import { longRequests } from '../../request-limits.ts'
import { callLimits, LimitReached, openBoundedReads, type ReadLimits } from './bounded-reads.ts'
import { type ColumnValues, mayHave, openStoredFile, readNeighbours, type StoredFile } from './ranged-parquet.ts'
import { parseLocation } from './warehouse-location.ts'

/** Row groups that are read at the same time: each waits for up to three requests, one after another. */
const rowGroupsAtOnce = 6

/** The columns of the directory in the order of the file, as they are read: where, who, and the others. */
const [areaColumns, wordColumns, otherColumns] = [
  ['provider_state', 'provider_zip'],
  ['provider_taxonomy', 'provider_name'],
  ['npi', 'provider_city'],
] as const

/**
 * Reads the files of NPPES in a warehouse by ranges, as few bytes as an answer needs (docs/adr/0061).
 *
 * @param location `s3://bucket/` or `s3://bucket/prefix/`
 */
export function openS3ProviderFiles(
  location: string,
  now: () => Date,
  limits: ReadLimits = callLimits,
  client = new S3Client(longRequests),
): ProviderFiles {
  const { Bucket, root } = parseLocation(location)
  const pathOf = (table: WarehouseTable, { nppesMonthId }: NppesMonth) => {
    const unit = nppesMonthUnit(nppesMonthId)
    return root + folderPath(table, unit) + fileName(unit)
  }
  const openReads = () => openBoundedReads(client, Bucket, limits, now)
  return {
    findByNpi: (month, npi) =>
      withinLimits(async () => {
        const file = { key: pathOf(providersTable, month), bytes: month.bytes, read: openReads() }
        const { rowGroups } = await openStoredFile(file)
        const rowGroup = rowGroups.find((each) => mayHave(each, 'npi', BigInt(npi)))
        if (rowGroup === undefined) return { providers: [] }
        const values = await readNeighbours(file, rowGroup, [...otherColumns, ...wordColumns, ...areaColumns])
        const row = values.get('npi')?.indexOf(BigInt(npi)) ?? -1
        return { providers: row < 0 ? [] : [readProvider(values, row)] }
      }),

    findByArea: (month, { q, ...area }) =>
      withinLimits(async () => {
        const file = { key: pathOf(directoryTable, month), bytes: month.directory.bytes, read: openReads() }
        return findByWords(q, (isName) => findInDirectory(file, { ...area, isName }))
      }),
  }
}

/** Providers of a place whose names match. */
interface DirectoryQuery extends Omit<AreaQuery, 'q'> {
  readonly isName: (name: string) => boolean
}

async function findInDirectory(file: StoredFile, query: DirectoryQuery): Promise<FoundProviders> {
  const { rowGroups } = await openStoredFile(file)
  const equalities = listEqualities(query)
  const rowGroupsOfArea = rowGroups.filter((rowGroup) =>
    equalities.every(({ column, value }) => mayHave(rowGroup, column, value)),
  )
  const providers: Provider[] = []
  for (const rowGroupsTogether of chunk(rowGroupsOfArea, rowGroupsAtOnce)) {
    const answers = await Promise.all(
      rowGroupsTogether.map((rowGroup) => withinLimits(() => findInRowGroup(file, rowGroup, query))),
    )
    providers.push(...answers.flatMap((answer) => answer.providers))
    const stoppedBy = providers.length > query.limit ? 'limit' : answers.find((answer) => answer.stoppedBy)?.stoppedBy
    if (stoppedBy !== undefined) return { providers: providers.slice(0, query.limit), stoppedBy }
  }
  return { providers }
}

/** Lists the columns that must have certain values. */
function listEqualities({ state, zip, taxonomy }: DirectoryQuery): readonly Equality[] {
  const equalities = { provider_state: state, provider_zip: zip, provider_taxonomy: taxonomy }
  return Object.entries(equalities).flatMap(([column, value]) => (value === undefined ? [] : [{ column, value }]))
}

interface Equality {
  readonly column: string
  readonly value: string
}

/** Finds one provider more than the limit, if there are as many. */
async function findInRowGroup(file: StoredFile, rowGroup: RowGroup, query: DirectoryQuery): Promise<FoundProviders> {
  const values = new Map<string, readonly unknown[]>()
  const readMore = async (columns: readonly string[]) => {
    for (const [name, column] of await readNeighbours(file, rowGroup, columns)) values.set(name, column)
  }
  const isEqual =
    (row: number) =>
    ({ column, value }: Equality) =>
      values.get(column)?.[row] === value

  await readMore(areaColumns)
  const equalities = listEqualities(query)
  const ofArea = equalities.filter(({ column }) => values.has(column))
  const areaRows = [...Array(rowGroup.rows).keys()].filter((row) => ofArea.every(isEqual(row)))
  if (areaRows.length === 0) return { providers: [] }

  await readMore(wordColumns)
  const { isName, limit } = query
  const isMatch = (row: number) => {
    const name = values.get('provider_name')?.[row]
    return equalities.every(isEqual(row)) && isName(typeof name === 'string' ? name : '')
  }
  const rows = Iterator.from(areaRows)
    .filter(isMatch)
    .take(limit + 1)
    .toArray()
  if (rows.length === 0) return { providers: [] }

  await readMore(otherColumns)
  return { providers: rows.map((row) => readProvider(values, row)) }
}

function readProvider(values: ColumnValues, row: number): Provider {
  const readText = (column: string) => {
    const value = values.get(column)?.[row] ?? null
    if (value !== null && typeof value !== 'string') throw new TypeError(`${column} of a provider is no text`)
    return value
  }
  return {
    npi: Number(values.get('npi')?.[row]),
    name: readText('provider_name'),
    taxonomy: readText('provider_taxonomy'),
    city: readText('provider_city'),
    state: readText('provider_state'),
    zip: readText('provider_zip'),
  }
}

/** Returns what `find` returns, or the limit that it reaches. */
async function withinLimits(find: () => Promise<FoundProviders>): Promise<FoundProviders> {
  try {
    return await find()
  } catch (error) {
    if (!(error instanceof LimitReached)) throw error
    return { providers: [], stoppedBy: error.limit === 'bytes' ? 'bytes' : 'time' }
  }
}
