import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { DuckDBAppender, DuckDBConnection, DuckDBType, DuckDBValue } from '@duckdb/node-api'
import { DuckDBDataChunk, DuckDBInstance } from '@duckdb/node-api'
import type { PublishedColumn } from '../../schema/columns/rates.ts'
import { defineColumn } from '../../schema/columns/rates.ts'
import type { NumberColumns } from './number-table.ts'
import { NumberTable } from './number-table.ts'

/** Rows that one call passes to DuckDB: the size of its vectors. */
const rowsPerChunk = 2048

/**
 * What DuckDB may hold in memory before it spills to disk. It exceeds the limit briefly while it joins and sorts, so only
 * writing, which spilling slows several times over, gets the higher limit.
 */
const memoryLimits = { staging: '200MB', writing: '400MB' }

/** More threads would share the same memory for their buffers. */
const maxThreads = 4

const defaultThreads = Math.min(availableParallelism(), maxThreads)

/** A table's columns and their SQL types. */
export type StagedColumns<Name extends string> = readonly (readonly [name: Name, type: string])[]

/** The definitions of a table's columns in SQL. */
export function defineColumns(columns: StagedColumns<string>, published: readonly PublishedColumn[]): string {
  const all = [...columns, ...published.map(({ name }) => defineColumn(name))]
  return all.map((column) => column.join(' ')).join(', ')
}

/**
 * Holds the rows of one file until they can be joined: references may come before or after the prices that name them. It
 * is on disk, so that a file of any size takes the same memory.
 */
export class StagingDatabase implements AsyncDisposable {
  /** How many statements `runSideBySide` can run at full speed. */
  readonly threads: number
  readonly #instance: DuckDBInstance
  readonly #connection: DuckDBConnection
  readonly #tables: { close(): void }[] = []
  readonly #interrupt = () => this.#connection.interrupt()
  readonly #signal: AbortSignal | undefined

  private constructor(
    instance: DuckDBInstance,
    connection: DuckDBConnection,
    threads: number,
    signal: AbortSignal | undefined,
  ) {
    this.threads = threads
    this.#instance = instance
    this.#connection = connection
    this.#signal = signal
    signal?.addEventListener('abort', this.#interrupt)
  }

  /** @param folder an empty local folder; the caller removes it */
  static async open(
    folder: string,
    {
      threads = defaultThreads,
      signal,
    }: { readonly threads?: number | undefined; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<StagingDatabase> {
    const instance = await DuckDBInstance.create(join(folder, 'staging.duckdb'), {
      memory_limit: memoryLimits.staging,
      threads: String(threads),
      temp_directory: join(folder, 'spill'),
      preserve_insertion_order: 'false',
    })
    const database = new StagingDatabase(instance, await instance.connect(), threads, signal)
    // The database ends with the file that is staged, so closing it need not bring its file up to date.
    await database.run('PRAGMA disable_checkpoint_on_shutdown')
    // One transaction: rows go straight into the database's file, without a log.
    await database.run('BEGIN')
    return database
  }

  /** @param published further columns: `add` takes their values as a list in this order */
  async createTable<Name extends string>(
    name: string,
    columns: StagedColumns<Name>,
    published: readonly PublishedColumn[] = [],
  ): Promise<StagedTable<Name>> {
    await this.run(`CREATE TABLE ${name} (${defineColumns(columns, published)})`)
    const table = new StagedTable(await this.#connection.createAppender(name), columns)
    this.#tables.push(table)
    return table
  }

  /** Creates a table of numbers; its columns have their own names and types. */
  async createNumberTable<Columns extends NumberColumns>(
    name: string,
    columns: Columns,
  ): Promise<NumberTable<Columns>> {
    const types = Object.entries(columns).map(([column, { type }]) => [column, type] as const)
    await this.run(`CREATE TABLE ${name} (${defineColumns(types, [])})`)
    const table = new NumberTable(await this.#connection.createAppender(name), columns)
    this.#tables.push(table)
    return table
  }

  /** Closes all tables for writing, so that queries see their rows. */
  async commit(): Promise<void> {
    for (const table of this.#tables.splice(0)) table.close()
    await this.run('COMMIT')
  }

  /** Makes tables that are created from now on keep the order of their query's rows. */
  async keepOrder(): Promise<void> {
    await this.run('SET preserve_insertion_order = true')
  }

  /** Raises the memory limit for writing. Call it when everything is sorted. */
  async beginWriting(): Promise<void> {
    await this.run(`SET memory_limit = '${memoryLimits.writing}'`)
  }

  /**
   * Runs statements at the same time, each on one thread, so that a COPY writes its query's rows in order without
   * buffering them. DuckDB's swapping of join sides is off, because it changes the order.
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
    await this.run(`SET threads = ${this.threads}`)
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

  /** Reads the few rows of a query; bigints become numbers. */
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
export class StagedTable<Name extends string> {
  readonly #appender: DuckDBAppender
  readonly #names: readonly Name[]
  readonly #types: readonly DuckDBType[]
  readonly #columns: DuckDBValue[][]
  #rows = 0

  /** @param columns the table's first columns, by name; its others have their values by position */
  constructor(appender: DuckDBAppender, columns: StagedColumns<Name>) {
    this.#appender = appender
    this.#names = columns.map(([name]) => name)
    this.#types = Array.from({ length: appender.columnCount }, (_, index) => appender.columnType(index))
    this.#columns = this.#types.map(() => [])
  }

  /** Adds a row. */
  add(row: Readonly<Record<Name, DuckDBValue>>, others: readonly DuckDBValue[] = []): void {
    let column = 0
    for (const name of this.#names) this.#columns[column++]?.push(row[name])
    for (const value of others) this.#columns[column++]?.push(value)
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
