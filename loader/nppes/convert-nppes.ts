import { open, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import type { NppesMonth } from '../../core/nppes/nppes-months.ts'
import { nppesMonthIdColumn } from '../../schema/columns/column.ts'
import { directoryTable, providersTable } from '../../schema/columns/providers-table.ts'
import { rowGroupSize } from '../write/parquet/row-group-size.ts'
import { countRecords } from './count-records.ts'
import { readCsv, text } from './csv-relation.ts'
import { NppesRefused, readHeader, selectItems } from './nppes-columns.ts'
import { openPlainPaths } from './plain-paths.ts'

/** Numbers of the lines and NPIs of a monthly file. */
export interface NppesCounts {
  /** NPIs with a row. */
  readonly rows: number
  /** NPIs without a row, because they are deactivated: CMS publishes nothing else about them. */
  readonly deactivated: number
  /** Lines that cannot be read or have no NPI. */
  readonly broken: number
  /** Repeated lines of NPIs: the first line of an NPI counts. */
  readonly repeated: number
}

/** The tables of a monthly file. */
export interface Converted extends NppesCounts, Pick<NppesMonth, 'bytes' | 'rowGroupRows'> {
  readonly directory: NonNullable<NppesMonth['directory']>
}

export interface Conversion {
  /** The unpacked CSV file. */
  readonly csv: string
  /** An empty folder for data that does not fit into memory. */
  readonly scratch: string
  /** The Parquet files to write. */
  readonly into: { readonly providers: string; readonly directory: string }
  readonly nppesMonthId: string
  /** Interrupts the conversion. */
  readonly signal?: AbortSignal | undefined
}

/** Leaves room for Node and DuckDB's own needs within 1 GiB. */
const memoryLimit = '512MB'

/** A larger share of broken lines means a damaged file. */
const maxBroken = 0.01

/** Bytes in which the header must end; CMS's has 15,000. */
export const maxHeaderBytes = 1 << 18

/**
 * Writes the tables of a monthly file, sorted by NPI and by place, with one row for each that is active.
 *
 * @throws NppesRefused if it has other columns, or too many broken lines
 */
export async function convertNppes({ csv, scratch, into, nppesMonthId, signal }: Conversion): Promise<Converted> {
  const header = await readFileHeader(csv)
  const lines = (await countRecords(csv, signal)) - 1
  const items = selectItems(header)
  const settings = { memory_limit: memoryLimit, threads: '2', temp_directory: join(scratch, 'spill') }
  await using paths = openPlainPaths()
  // DuckDB cuts the path of a database file at a question mark, even behind a link. In memory, it spills instead.
  const file = (await realpath(scratch)).includes('?') ? ':memory:' : join(scratch, 'staged.duckdb')
  const database = await DuckDBInstance.create(file, settings)
  const connection = await database.connect()
  const interrupt = () => connection.interrupt()
  signal?.addEventListener('abort', interrupt)
  try {
    await connection.run(
      `CREATE TABLE staged AS SELECT ${items.join(', ')} FROM ${readCsv(await paths.of(csv), header.length, true)}`,
    )
    await connection.run(`CREATE TABLE repeated AS SELECT npi, min(rowid) AS first_row, count(*) AS lines FROM staged
      WHERE ${isKept} GROUP BY npi HAVING count(*) > 1`)
    const counts = await readCounts(connection, lines)
    if (counts.rows === 0) throw new NppesRefused('not a monthly file of NPPES: it has no active NPI')
    if (counts.broken > maxBroken * (counts.rows + counts.deactivated))
      throw new NppesRefused(`${counts.broken} lines cannot be read: the file is damaged; fetch it again`)
    const rowGroupRows = rowGroupSize(counts.rows)
    await writeProviders(connection, { into: into.providers, nppesMonthId, rowGroupRows })
    await writeDirectory(connection, { from: await paths.of(into.providers), into: into.directory, rowGroupRows })
    const sizes = { bytes: (await stat(into.providers)).size, directory: { bytes: (await stat(into.directory)).size } }
    return { ...counts, ...sizes, rowGroupRows }
  } finally {
    signal?.removeEventListener('abort', interrupt)
    connection.closeSync()
    database.closeSync()
  }
}

interface TableFile {
  /** The file to write. */
  readonly into: string
  readonly rowGroupRows: number
}

async function writeProviders(
  connection: DuckDBConnection,
  { into, nppesMonthId, rowGroupRows }: TableFile & Pick<Conversion, 'nppesMonthId'>,
): Promise<void> {
  const { columns, sortedBy } = providersTable
  const items = columns.map(({ name }) =>
    name === nppesMonthIdColumn ? `${text(nppesMonthId)} AS ${name}` : `staged.${name}`,
  )
  await connection.run(`COPY (
    SELECT ${items.join(', ')} FROM staged LEFT JOIN repeated ON repeated.npi = staged.npi
    WHERE ${isKept} AND coalesce(repeated.first_row = staged.rowid, true)
    ORDER BY ${sortedBy.map((name) => `staged.${name}`).join(', ')}
  ) TO ${text(into)} (${writeForm(rowGroupRows)})`)
}

/** @param from plain path of the file of `writeProviders`, which is read faster than the staged lines are selected */
async function writeDirectory(
  connection: DuckDBConnection,
  { from, into, rowGroupRows }: TableFile & { readonly from: string },
): Promise<void> {
  const { columns, sortedBy } = directoryTable
  await connection.run(`COPY (
    SELECT ${columns.map(({ name }) => name).join(', ')} FROM read_parquet(${text(from)})
    WHERE provider_state IS NOT NULL OR provider_zip IS NOT NULL
    ORDER BY ${sortedBy.join(', ')}
  ) TO ${text(into)} (${writeForm(rowGroupRows)})`)
}

const writeForm = (rowGroupRows: number) => `FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${rowGroupRows}`

const isKept = 'staged.npi IS NOT NULL AND NOT staged.is_deactivated'

async function readFileHeader(csv: string): Promise<readonly string[]> {
  await using file = await open(csv)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(maxHeaderBytes), 0, maxHeaderBytes, 0)
  const { size } = await file.stat()
  const { buffer: end } = await file.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1))
  if (end.toString() !== '\n') throw new NppesRefused('it is cut short: its last line does not end; fetch it again')
  return readHeader(buffer.subarray(0, bytesRead))
}

/**
 * Counts the lines by their outcome. DuckDB may drop more than the line that it cannot read, for example the rest of
 * its buffer after a misplaced quote, so all missing lines count as broken.
 *
 * @param lines number of lines of the file, without its header
 */
async function readCounts(connection: DuckDBConnection, lines: number): Promise<NppesCounts> {
  const count = async (sql: string) => Number((await connection.runAndReadAll(`SELECT ${sql}`)).getRows()[0]?.[0])
  const staged = await count('count(*) FROM staged')
  const repeated = await count('coalesce(sum(lines - 1), 0) FROM repeated')
  return {
    rows: (await count(`count(*) FROM staged WHERE ${isKept}`)) - repeated,
    deactivated: await count('count(*) FROM staged WHERE npi IS NOT NULL AND is_deactivated'),
    broken: Math.max(0, lines - staged) + (await count('count(*) FROM staged WHERE npi IS NULL')),
    repeated,
  }
}
