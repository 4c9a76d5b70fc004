import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { quoteName, quoteText } from './duckdb-sql.ts'
import { QueryFault } from './faults.ts'
import { type S3Address, showS3Address } from './s3-address.ts'
import type { Unload } from './statement.ts'

/** Stores result files. */
export interface ResultStore {
  /** Stores a local file as an object. */
  putObject(bucket: string, key: string, filePath: string): Promise<void>
  /** True if the bucket has no key with this prefix. */
  isEmptyPrefix(bucket: string, prefix: string): Promise<boolean>
  /** Returns an object's text; undefined if there is none. */
  readText(bucket: string, key: string): Promise<string | undefined>
}

/**
 * The split of a result into files: `rowsPerFile` rows to a file before the next one gets rows, round-robin over at
 * most `filesPerQuery` files.
 */
export interface FileCut {
  readonly rowsPerFile: number
  readonly filesPerQuery: number
}

/** A running UNLOAD. */
export interface UnloadRun {
  readonly connection: DuckDBConnection
  readonly objects: ResultStore
  readonly unload: Unload
  /** The rows, as DuckDB SQL. */
  readonly selectSql: string
  /** An empty folder for this query. The caller removes it. */
  readonly folder: string
  readonly cut: FileCut
  /** Generates file names. */
  readonly nameFile: () => string
  readonly manifest: S3Address
  /** Stops the run between steps. */
  readonly signal: AbortSignal
}

/** Source: Athena User Guide, "UNLOAD": at most 100 partitions. */
const maxPartitions = 100

/** The column that spreads rows over files. No warehouse column contains a tab. */
const fileNumber = 'file\tnumber'

/**
 * Writes the rows as Parquet files below the destination, and a manifest that lists them, one address per line. With no
 * rows there are no files and the manifest is empty, as on Athena.
 *
 * @throws QueryFault HIVE_PATH_ALREADY_EXISTS, HIVE_TOO_MANY_OPEN_PARTITIONS or HIVE_WRITER_CLOSE_ERROR
 */
export async function runUnload(run: UnloadRun): Promise<void> {
  const { connection, unload, folder, signal } = run
  await refuseUsedDestination(run)
  const rowsFolder = join(folder, 'rows')
  await mkdir(rowsFolder)
  signal.throwIfAborted()
  await connection.run(copyStatement(run, rowsFolder))
  const entries = await readdir(rowsFolder, { recursive: true })
  const files = entries.filter((name) => name.endsWith('.parquet')).sort()
  if (unload.partitionedBy.length > 0 && new Set(files.map(partitionOf)).size > maxPartitions)
    throw new QueryFault(
      'HIVE_TOO_MANY_OPEN_PARTITIONS',
      `Exceeded limit of ${maxPartitions} open writers for partitions/buckets`,
    )
  await storing(run, () => store(run, rowsFolder, files))
}

/** Only partitions may be added to existing files. Source: Athena User Guide, "UNLOAD". */
async function refuseUsedDestination(run: UnloadRun): Promise<void> {
  const { partitionedBy, destination } = run.unload
  if (partitionedBy.length > 0) return
  const { bucket, key } = destination
  if (await storing(run, () => run.objects.isEmptyPrefix(bucket, key))) return
  throw new QueryFault(
    'HIVE_PATH_ALREADY_EXISTS',
    `Target directory for table already exists: ${showS3Address(destination)}`,
  )
}

/** DuckDB writes a folder per partition. If the statement has no partitions, the file number becomes one. */
function copyStatement({ unload, selectSql, cut }: UnloadRun, folder: string): string {
  const { partitionedBy, compression } = unload
  const isByFile = partitionedBy.length === 0
  const file = `((row_number() OVER () - 1) // ${cut.rowsPerFile}) % ${cut.filesPerQuery}`
  const rows = isByFile ? `SELECT *, ${file} AS ${quoteName(fileNumber)} FROM (${selectSql})` : selectSql
  const options = [
    'FORMAT parquet',
    `COMPRESSION ${compression === 'NONE' ? 'uncompressed' : compression.toLowerCase()}`,
    `PARTITION_BY (${(isByFile ? [fileNumber] : partitionedBy).map(quoteName).join(', ')})`,
  ]
  return `COPY (${rows}) TO ${quoteText(folder)} (${options.join(', ')})`
}

const partitionOf = (file: string) => file.split(sep).slice(0, -1).join('/')

async function store(run: UnloadRun, folder: string, files: readonly string[]): Promise<void> {
  const { objects, unload, nameFile, manifest, signal } = run
  const { bucket, key: prefix } = unload.destination
  const addresses: string[] = []
  for (const file of files) {
    signal.throwIfAborted()
    const partition = unload.partitionedBy.length > 0 ? `${partitionOf(file)}/` : ''
    const key = `${prefix}${partition}${nameFile()}`
    await objects.putObject(bucket, key, join(folder, file))
    addresses.push(`${showS3Address({ bucket, key })}\n`)
  }
  const manifestFile = join(run.folder, 'manifest.csv')
  await writeFile(manifestFile, addresses.join(''))
  await objects.putObject(manifest.bucket, manifest.key, manifestFile)
}

/** Runs a call to the object store. If the store refuses it, the query fails with the store's message. */
async function storing<Answer>({ signal }: UnloadRun, call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call()
  } catch (cause) {
    signal.throwIfAborted()
    const message = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
    throw new QueryFault('HIVE_WRITER_CLOSE_ERROR', `the object store refused: ${message}`, 'results', { cause })
  }
}
