import { rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { DuckDBConnection, DuckDBDataChunk, DuckDBResult } from '@duckdb/node-api'
import { DuckDBInstance, JSDuckDBValueConverter } from '@duckdb/node-api'
import type { PublishedColumn } from '../../schema/columns/rates.ts'
import type { ColumnValue } from '../parquet/column-values.ts'
import type { NumberColumns } from './number-table.ts'
import { NumberTable } from './number-table.ts'
import { NumberChunk } from './read-numbers.ts'
import type { StagedColumns } from './staged-table.ts'
import { defineColumns, StagedTable } from './staged-table.ts'
import { toLiteral } from './staged-value.ts'

/**
 * What DuckDB may hold in memory before it spills to disk. It exceeds the limit briefly while it joins and sorts, so only
 * writing, which spilling slows several times over, gets the higher limit.
 */
const memoryLimits = { staging: '200MB', writing: '250MB' }

/** More threads would share the same memory for their buffers. */
const maxThreads = 4

const defaultThreads = Math.min(availableParallelism(), maxThreads)

/** A text as a name of SQL. */
const quote = (name: string) => `"${name}"`

/**
 * Holds the rows of one part of a file until they can be joined: references may come before or after the prices that name
 * them. It is on disk, so that a part of any size takes the same memory.
 */
export class StagingDatabase implements AsyncDisposable {
  readonly #references: string | undefined
  readonly #instance: DuckDBInstance
  readonly #connection: DuckDBConnection
  readonly #tables: { close(): void }[] = []
  readonly #interrupt = () => this.#connection.interrupt()
  readonly #signal: AbortSignal | undefined
  readonly #close: () => Promise<void>
  #isInterrupted = false

  private constructor({ instance, connection, signal, name, close }: OpenDatabase) {
    this.#references = name === firstPart ? undefined : mainDatabase
    this.#instance = instance
    this.#connection = connection
    this.#signal = signal
    this.#close = close
    signal?.addEventListener('abort', this.#interrupt)
  }

  /**
   * Opens a database for the first part of a file. All parts share its memory.
   *
   * @param folder an empty local folder; the caller removes it
   */
  static async open(
    folder: string,
    {
      threads = defaultThreads,
      signal,
    }: { readonly threads?: number | undefined; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<StagingDatabase> {
    const instance = await DuckDBInstance.create(join(folder, `${firstPart}.duckdb`), {
      memory_limit: memoryLimits.staging,
      threads: String(threads),
      temp_directory: join(folder, 'spill'),
      // By default DuckDB keeps up to 128 MB that it freed for each thread.
      allocator_flush_threshold: '8MB',
      allocator_bulk_deallocation_flush_threshold: '32MB',
    })
    const close = async () => instance.closeSync()
    const connection = await instance.connect()
    const database = new StagingDatabase({ instance, connection, signal, name: firstPart, close })
    // The database ends with the file that is staged, so closing it need not bring its file up to date.
    await database.run('PRAGMA disable_checkpoint_on_shutdown')
    // One transaction: rows go straight into the database's file, without a log.
    await database.run('BEGIN')
    return database
  }

  /** Opens a database for a further part of the file. It is removed when it is closed. */
  async openPart(folder: string, part: number): Promise<StagingDatabase> {
    const name = `part${part}`
    const path = join(folder, `${name}.duckdb`)
    const connection = await this.#instance.connect()
    await connection.run(`ATTACH ${toLiteral(path)} AS ${quote(name)}`)
    await connection.run(`USE ${quote(name)}`)
    const close = async () => {
      const closing = await this.#instance.connect()
      await closing.run(`DETACH ${quote(name)}`)
      closing.closeSync()
      for (const file of [path, `${path}.wal`]) await rm(file, { force: true })
    }
    const opened = { instance: this.#instance, connection, signal: this.#signal }
    const database = new StagingDatabase({ ...opened, name, close })
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

  /**
   * The name of the database with the tables of the file's references, which is that of the first part. Undefined if this
   * database has them itself.
   */
  get references(): string | undefined {
    return this.#references
  }

  /** Closes all tables for writing, so that queries see their rows. */
  async commit(): Promise<void> {
    for (const table of this.#tables.splice(0)) table.close()
    await this.run('COMMIT')
  }

  /** Raises the memory limit for writing. Call it when everything is sorted. */
  async beginWriting(): Promise<void> {
    await this.run(`SET memory_limit = '${memoryLimits.writing}'`)
  }

  async run(sql: string): Promise<void> {
    await this.#guard(() => this.#connection.run(sql))
  }

  /** Reads the few rows of a query; bigints become numbers. */
  async query(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const reader = await this.#guard(() => this.#connection.runAndReadAll(sql))
    return reader
      .getRowObjectsJS()
      .map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value]),
        ),
      )
  }

  /** Reads the columns of a query; lists are arrays. */
  async readColumns(sql: string): Promise<readonly (readonly ColumnValue[])[]> {
    const result = await this.#guard(() => this.#connection.stream(sql))
    const columns = Array.from({ length: result.columnCount }, (): ColumnValue[] => [])
    for await (const chunk of this.#readChunks(result))
      for (const [index, column] of columns.entries())
        for (const value of chunk.convertColumnValues(index, JSDuckDBValueConverter)) column.push(readValue(value))
    return columns
  }

  /** Reads the rows of a query in pieces; its columns are numbers, none of which is missing. */
  async *readNumbers(sql: string): AsyncGenerator<NumberChunk> {
    const result = await this.#guard(() => this.#connection.stream(sql))
    for await (const chunk of this.#readChunks(result)) yield new NumberChunk(chunk)
  }

  async *#readChunks(result: DuckDBResult): AsyncGenerator<DuckDBDataChunk> {
    for (;;) {
      const chunk = await this.#guard(() => result.fetchChunk())
      if (chunk === null || chunk.rowCount === 0) return
      yield chunk
    }
  }

  /** Ends the statement that runs, and fails those that follow. */
  interrupt(): void {
    this.#isInterrupted = true
    this.#connection.interrupt()
  }

  /** An aborted statement fails with the signal's reason. */
  async #guard<Value>(work: () => Promise<Value>): Promise<Value> {
    this.#signal?.throwIfAborted()
    if (this.#isInterrupted) throw new Error('the database was interrupted')
    try {
      return await work()
    } catch (error) {
      this.#signal?.throwIfAborted()
      throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#signal?.removeEventListener('abort', this.#interrupt)
    this.#connection.closeSync()
    await this.#close()
  }
}

function readValue(value: unknown): ColumnValue {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  if (Array.isArray(value)) return value.map(String)
  throw new TypeError(`a column has a value of type ${typeof value}`)
}

/** The name of the database of the first part. */
const firstPart = 'staging'

/** Its name in SQL. */
export const mainDatabase = quote(firstPart)

interface OpenDatabase {
  readonly instance: DuckDBInstance
  readonly connection: DuckDBConnection
  readonly signal: AbortSignal | undefined
  readonly name: string
  readonly close: () => Promise<void>
}
