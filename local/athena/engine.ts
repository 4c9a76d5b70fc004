import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { openPlainPaths } from '../../loader/nppes/plain-paths.ts'
import { ratesView } from '../../schema/columns/rates-views.ts'
import { quoteText, trinoFunctions } from './duckdb-sql.ts'
import { QueryCancelled, QueryFault } from './faults.ts'
import { findPartitionValues, type PartitionValues } from './files/warehouse-files.ts'
import { interruptOnAbort } from './interrupt-query.ts'
import { checkTypes, openRelation, type Relation, writeWithClause } from './relations.ts'
import type { S3Address } from './s3-address.ts'
import { readSelectedRows, type SelectedRows } from './selected-rows.ts'
import { readStatement, type Scan, type Statement } from './statement.ts'
import { type FileCut, type ResultStore, runUnload } from './unload.ts'

export interface EngineOptions {
  /** Contains the relations as `<table>/bucket=<n>/*.parquet`. Created if missing. */
  readonly warehouseFolder: string
  /** Receives results and manifests. */
  readonly objects: ResultStore
  /** The place of searches' lists of files. @default - none: there are no search tables */
  readonly fileLists?: S3Address | undefined
  readonly cut: FileCut
  /** Maximum total size of the files a query may read. Larger queries are CANCELLED, as by a workgroup's limit. */
  readonly dataLimitBytes: number
  /**
   * For data spilled from memory and results awaiting storage. Used by this instance only, and cleared on start.
   * @default - a new temporary folder, left behind if the process is killed
   */
  readonly scratchFolder?: string
  /** Memory for all queries together, in bytes. What needs more is spilled. @default - half of the machine's */
  readonly memoryBytes?: number
  readonly now: () => Date
  /** Generates UUIDs. */
  readonly newId: () => string
}

/** The outcome of a query. */
export interface Answer {
  readonly scannedBytes: number
  /** The rows of a SELECT; an UNLOAD writes its rows to files. */
  readonly table?: SelectedRows
}

export type Engine = Awaited<ReturnType<typeof startEngine>>

/** Starts DuckDB with its own scratch folder, to run statements over the warehouse's files. */
export async function startEngine(options: EngineOptions) {
  await using starting = new AsyncDisposableStack()
  const paths = starting.use(openPlainPaths())
  const scratchFolder = await openScratchFolder(options)
  starting.defer(() => rm(scratchFolder, { recursive: true, force: true }))
  const folder = await paths.of(scratchFolder)
  // DuckDB follows links when it is told which folders it may read, so they must exist.
  await mkdir(options.warehouseFolder, { recursive: true })
  const warehouseFolder = await paths.of(options.warehouseFolder)
  const { memoryBytes = halfOfMemory() } = options
  const database = await DuckDBInstance.create(':memory:', {
    memory_limit: `${Math.floor(memoryBytes)}B`,
    temp_directory: join(folder, 'spill'),
    preserve_insertion_order: 'false',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  })
  starting.defer(() => database.closeSync())
  await prepare(database, [warehouseFolder, folder])
  const nameFiles = fileNames(options)
  const running = starting.move()
  return {
    /** @throws MalformedQuery */
    read: async (text: string): Promise<Statement> => {
      const connection = await database.connect()
      try {
        return await readStatement(connection, text)
      } finally {
        connection.closeSync()
      }
    },
    /**
     * @param manifest the object in which an UNLOAD lists its files
     * @throws QueryFault if the statement or its execution fails, QueryCancelled if it was stopped
     */
    run: async (statement: Statement, manifest: S3Address, signal: AbortSignal): Promise<Answer> => {
      const connection = await database.connect()
      const interrupting = interruptOnAbort(connection, signal)
      const runFolder = join(folder, options.newId())
      try {
        await mkdir(runFolder)
        const run = { connection, manifest, signal, folder: runFolder, nameFile: nameFiles() }
        return await runStatement({ ...options, warehouseFolder }, statement, run)
      } catch (error) {
        signal.throwIfAborted()
        throw translate(error, memoryBytes)
      } finally {
        interrupting[Symbol.dispose]()
        connection.closeSync()
        await rm(runFolder, { recursive: true, force: true })
      }
    },
    close: () => running.disposeAsync(),
  }
}

/** Half of the memory of the machine or, in a container, of the container. The rest is for the functions and others. */
function halfOfMemory(): number {
  // Zero, or more than the machine has, if nothing constrains the process.
  const constrained = process.constrainedMemory()
  return Math.min(totalmem(), constrained > 0 ? constrained : Number.POSITIVE_INFINITY) / 2
}

/** The parts of DuckDB's optimizer that would choose another side of a join to build than the statement says. */
const joinOptimizers = ['join_order', 'build_side_probe_side']

/**
 * Defines Trino's functions and locks the database: statements are run as they came, so they can reach nothing but
 * these folders, and change no setting. Joins stay as they are written, as in Athena, which has no statistics.
 */
async function prepare(database: DuckDBInstance, folders: readonly string[]): Promise<void> {
  const connection = await database.connect()
  for (const definition of trinoFunctions) await connection.run(definition)
  await connection.run(`SET disabled_optimizers = ${quoteText(joinOptimizers.join())}`)
  const allowed = folders.map(quoteText).join(', ')
  await connection.run(`SET allowed_directories = [${allowed}]`)
  await connection.run('SET enable_external_access = false')
  await connection.run('SET lock_configuration = true')
  connection.closeSync()
}

/** Opens the scratch folder, and clears it first: a killed process cannot clean up. */
async function openScratchFolder({ scratchFolder }: EngineOptions): Promise<string> {
  if (scratchFolder === undefined) return mkdtemp(join(tmpdir(), 'athena-'))
  await rm(scratchFolder, { recursive: true, force: true })
  await mkdir(scratchFolder, { recursive: true })
  return scratchFolder
}

interface Run {
  readonly connection: DuckDBConnection
  readonly manifest: S3Address
  readonly signal: AbortSignal
  readonly folder: string
  readonly nameFile: () => string
}

async function runStatement(options: EngineOptions, statement: Statement, run: Run): Promise<Answer> {
  const { select, unload, scans } = statement
  const scansByRelation = Map.groupBy(scans, ({ relation }) => relation)
  // The view reads tables that the statement may also read itself, with other conditions: then nothing is skipped.
  const isShared = scansByRelation.size > 1 && scansByRelation.has(ratesView)
  // One after the other: if one fails, the connection is closed, and nothing may run on it then.
  const relations: Relation[] = []
  for (const [name, ofRelation] of scansByRelation) {
    const partitions = findPartitionValues(isShared ? [] : ofRelation)
    relations.push(await openChecked(options, name, { scans: ofRelation, partitions }, run))
  }
  const scannedBytes = relations.reduce((sum, { bytes }) => sum + bytes, 0)
  // Athena cancels a query once it has read too much. Here the size is known before the query starts.
  if (scannedBytes > options.dataLimitBytes)
    throw new QueryCancelled('Query cancelled! : Bytes scanned limit was exceeded')
  run.signal.throwIfAborted()
  const selectSql = `${writeWithClause(relations)}\n${select}`
  if (unload === undefined) return { scannedBytes, table: await readSelectedRows(run.connection, selectSql) }
  await runUnload({ ...run, ...options, unload, selectSql })
  return { scannedBytes }
}

/** @throws QueryFault if there is no such relation, or its types differ from those that the statement compares with */
async function openChecked(
  options: EngineOptions,
  name: string,
  { scans, partitions }: { readonly scans: readonly Scan[]; readonly partitions: PartitionValues },
  { connection }: Run,
): Promise<Relation> {
  const relation = await openRelation(connection, options, name, partitions)
  if (relation === undefined) throw new QueryFault('TABLE_NOT_FOUND', `Table '${name}' does not exist`)
  for (const scan of scans) checkTypes(scan, relation.columns)
  return relation
}

/** Trino's codes for DuckDB's complaints about a statement or its values. */
const userFaults = [
  { complaint: /^Conversion Error: /, code: 'INVALID_CAST_ARGUMENT' },
  { complaint: /^Binder Error: Referenced column /, code: 'COLUMN_NOT_FOUND' },
  { complaint: /^(Binder|Catalog|Parser|Permission) Error: /, code: 'GENERIC_USER_ERROR' },
]

/** Converts DuckDB's errors to Trino's. */
function translate(error: unknown, memoryBytes: number): Error {
  if (error instanceof QueryFault || error instanceof QueryCancelled) return error
  const message = error instanceof Error ? error.message : String(error)
  const options = { cause: error }
  if (message.startsWith('Out of Memory Error: ')) {
    const [complaint] = message.split('\n', 1)
    const memory = `all queries have ${Math.floor(memoryBytes / 1e6)} MB, which --memory of npm start changes`
    return new QueryFault('EXCEEDED_LOCAL_MEMORY_LIMIT', `${memory}: ${complaint}`, 'memory', options)
  }
  const userFault = userFaults.find(({ complaint }) => complaint.test(message))
  if (userFault !== undefined) return new QueryFault(userFault.code, message, 'user', options)
  return new QueryFault('GENERIC_INTERNAL_ERROR', message, 'engine', options)
}

/** Names files as Athena does: time, query number, five characters of a process id, UUID; no extension. */
function fileNames({ now, newId }: EngineOptions): () => () => string {
  const process = newId().slice(0, 5)
  let queries = 0
  return () => {
    const time = now().toISOString().replaceAll(/[-:]/g, '').replace('T', '_').slice(0, 15)
    const query = String(queries++).padStart(5, '0')
    return () => `${time}_${query}_${process}_${newId()}`
  }
}
