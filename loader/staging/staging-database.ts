import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { DuckDBAppender, DuckDBConnection, DuckDBType, DuckDBValue } from '@duckdb/node-api'
import { DuckDBDataChunk, DuckDBInstance } from '@duckdb/node-api'

/** Rows that one call carries into DuckDB; its vectors hold no more. */
const rowsPerChunk = 2048

/**
 * What DuckDB may hold in memory; the rest goes to disk. It takes more than that for a moment while it joins and sorts,
 * so that the limit is raised for the writing alone, which is several times slower by way of the disk.
 */
const memoryLimits = { staging: '200MB', writing: '400MB' }

/** More threads are more buffers within the same memory. */
const mostThreads = 4

const threads = Math.min(availableParallelism(), mostThreads)

/** A table's columns and their SQL types. */
export type StagedColumns = readonly (readonly [name: string, type: string])[]

/**
 * Where the rows of one file wait for each other: references may come before or after the prices that name them. It
 * lies on disk, so that a file of any size takes the same memory.
 */
export class StagingDatabase implements AsyncDisposable {
  readonly #instance: DuckDBInstance
  readonly #connection: DuckDBConnection
  readonly #tables: StagedTable[] = []
  readonly #interrupt = () => this.#connection.interrupt()
  readonly #signal: AbortSignal | undefined

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection, signal: AbortSignal | undefined) {
    this.#instance = instance
    this.#connection = connection
    this.#signal = signal
    signal?.addEventListener('abort', this.#interrupt)
  }

  /** @param folder an empty local folder; the caller removes it */
  static async open(folder: string, signal?: AbortSignal): Promise<StagingDatabase> {
    const instance = await DuckDBInstance.create(join(folder, 'staging.duckdb'), {
      memory_limit: memoryLimits.staging,
      threads: String(threads),
      temp_directory: join(folder, 'spill'),
      preserve_insertion_order: 'false',
    })
    const database = new StagingDatabase(instance, await instance.connect(), signal)
    // One transaction: rows go straight into the database's file, without a log.
    await database.run('BEGIN')
    return database
  }

  async createTable(name: string, columns: StagedColumns): Promise<StagedTable> {
    const types = columns.map((column) => column.join(' ')).join(', ')
    await this.run(`CREATE TABLE ${name} (${types})`)
    const table = new StagedTable(await this.#connection.createAppender(name), columns.length)
    this.#tables.push(table)
    return table
  }

  /** Ends the filling of tables: their rows can be read now. */
  async commit(): Promise<void> {
    for (const table of this.#tables.splice(0)) table.close()
    await this.run('COMMIT')
  }

  /** Tables that are made from now on keep the order of their query's rows. */
  async keepOrder(): Promise<void> {
    await this.run('SET preserve_insertion_order = true')
  }

  /** Everything is sorted: what follows is writing. */
  async beginWriting(): Promise<void> {
    await this.run(`SET memory_limit = '${memoryLimits.writing}'`)
  }

  /** How many statements `runSideBySide` runs at a time without waiting for a processor. */
  get threads(): number {
    return threads
  }

  /**
   * Runs statements at the same time, each in one thread of its own: then a file that is written has its query's rows
   * in their order, and none wait in memory for those before them. Joins are taken as they are written: turned round,
   * which DuckDB does where the left side is small, they give the rows in another order.
   */
  async runSideBySide(statements: readonly string[]): Promise<void> {
    await this.run('SET threads = 1')
    await this.run("SET disabled_optimizers = 'build_side_probe_side'")
    await Promise.all(
      statements.map(async (sql) => {
        const connection = await this.#instance.connect()
        const interrupt = () => connection.interrupt()
        this.#signal?.addEventListener('abort', interrupt)
        try {
          await connection.run(sql)
        } catch (error) {
          this.#signal?.throwIfAborted()
          throw error
        } finally {
          this.#signal?.removeEventListener('abort', interrupt)
          connection.closeSync()
        }
      }),
    )
    await this.run("SET disabled_optimizers = ''")
    await this.run(`SET threads = ${threads}`)
  }

  async run(sql: string): Promise<void> {
    this.#signal?.throwIfAborted()
    try {
      await this.#connection.run(sql)
    } catch (error) {
      this.#signal?.throwIfAborted()
      throw error
    }
  }

  /** The rows of a query, few; numbers of any width as numbers. */
  async query(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const reader = await this.#connection.runAndReadAll(sql)
    return reader
      .getRowObjectsJS()
      .map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value]),
        ),
      )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#signal?.removeEventListener('abort', this.#interrupt)
    this.#connection.closeSync()
    this.#instance.closeSync()
  }
}

/** Takes rows column by column: one call into DuckDB for each two thousand of them. */
export class StagedTable {
  readonly #appender: DuckDBAppender
  readonly #types: readonly DuckDBType[]
  readonly #columns: DuckDBValue[][]
  #rows = 0

  constructor(appender: DuckDBAppender, width: number) {
    this.#appender = appender
    this.#types = Array.from({ length: width }, (_, index) => appender.columnType(index))
    this.#columns = this.#types.map(() => [])
  }

  /** Adds a row: a value for each column, in order. */
  add(...values: readonly DuckDBValue[]): void {
    for (let index = 0; index < values.length; index++) this.#columns[index]?.push(values[index] ?? null)
    if (++this.#rows === rowsPerChunk) this.#flush()
  }

  close(): void {
    if (this.#rows > 0) this.#flush()
    this.#appender.closeSync()
  }

  #flush(): void {
    const chunk = DuckDBDataChunk.create(this.#types, this.#rows)
    chunk.setColumns(this.#columns)
    this.#appender.appendDataChunk(chunk)
    for (const column of this.#columns) column.length = 0
    this.#rows = 0
  }
}
