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
 * most `filesPerQuery` files. A result of more than `maxCutFiles` times `rowsPerFile` rows is one file.
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

/**
 * Maximum size of a result that is cut into files, in multiples of the rows of a file. Clients see results of several
 * files at that size already, and cutting a larger one would take half of the time of writing it.
 */
const maxCutFiles = 100

/** The column that spreads rows over files. No warehouse column contains a tab. */
const fileNumber = 'file\tnumber'

/**
 * Writes the rows as Parquet files below the destination, and a manifest that lists them, one address per line. With no
 * rows there are no files and the manifest is empty, as on Athena.
 *
 * @throws QueryFault HIVE_PATH_ALREADY_EXISTS, HIVE_TOO_MANY_OPEN_PARTITIONS or HIVE_WRITER_CLOSE_ERROR
 */
export async function runUnload(run: UnloadRun): Promise<void> {
  const { unload, folder, signal } = run
  await refuseUsedDestination(run)
  const rowsFolder = join(folder, 'rows')
  await mkdir(rowsFolder)
  signal.throwIfAborted()
  const files =
    unload.partitionedBy.length > 0 ? await writePartitions(run, rowsFolder) : await writeFiles(run, rowsFolder)
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

/** Writes a folder for each partition. @returns the paths of the files below the folder */
async function writePartitions(run: UnloadRun, folder: string): Promise<readonly string[]> {
  const { partitionedBy } = run.unload
  await copyRows(run, run.selectSql, { to: folder, partitionedBy })
  return listFiles(folder)
}

/** Writes one file, and cuts it if its number of rows asks for several. @returns as `writePartitions` */
async function writeFiles(run: UnloadRun, folder: string): Promise<readonly string[]> {
  const { rowsPerFile, filesPerQuery } = run.cut
  const file = 'rows.parquet'
  const path = join(folder, file)
  const rows = await copyRows(run, run.selectSql, { to: path })
  if (rows === 0) return []
  if (rows <= rowsPerFile || rows > maxCutFiles * rowsPerFile) return [file]
  run.signal.throwIfAborted()
  const place = `((row_number() OVER () - 1) // ${rowsPerFile}) % ${filesPerQuery} AS ${quoteName(fileNumber)}`
  const placedRows = `SELECT *, ${place} FROM read_parquet(${quoteText(path)})`
  await copyRows(run, placedRows, { to: folder, partitionedBy: [fileNumber] })
  return (await listFiles(folder)).filter((name) => name !== file)
}

/** Writes the rows of a SELECT. @returns their number */
async function copyRows(
  { connection, unload }: UnloadRun,
  selectSql: string,
  { to, partitionedBy = [] }: { readonly to: string; readonly partitionedBy?: readonly string[] },
): Promise<number> {
  const { compression } = unload
  const options = [
    'FORMAT parquet',
    `COMPRESSION ${compression === 'NONE' ? 'uncompressed' : compression.toLowerCase()}`,
    ...(partitionedBy.length > 0
      ? ['OVERWRITE_OR_IGNORE', `PARTITION_BY (${partitionedBy.map(quoteName).join(', ')})`]
      : []),
  ]
  const copy = await connection.runAndReadAll(`COPY (${selectSql}) TO ${quoteText(to)} (${options.join(', ')})`)
  return Number(copy.getRows().flat()[0])
}

async function listFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true })
  return entries.filter((name) => name.endsWith('.parquet')).sort()
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
